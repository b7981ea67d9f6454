# A table on paper: tiles, rules, and the texts over them. The names of the rows stand on the left; those of
# the columns stand on end where their words are wider than a column.
do for [i=1:texts] {
  if (i > names && i <= names+heads) {
    set label 10+i cell_text[i] at screen cell_x[i],cell_y[i] left rotate front font tic_font textcolor rgb ink
    continue
  }
  if (i <= names) {
    set label 10+i cell_text[i] at screen cell_x[i],cell_y[i] left front font tic_font textcolor rgb ink
  } else {
    set label 10+i cell_text[i] at screen cell_x[i],cell_y[i] center front font tic_font textcolor rgb ink
  }
}
plot datafile index 0 using 1:2:3:4:5:6:7 with boxxyerror linecolor rgb variable fillstyle solid noborder, \
  datafile index 1 using 1:2:3:4 with vectors nohead linecolor rgb ink linewidth 0.75
if (GPVAL_TERM_HCHAR < 40) exit error no_fonts
