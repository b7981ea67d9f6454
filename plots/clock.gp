# Dials with hands.
do for [i=1:dials] {
  set label 10+i dial_text[i] at screen dial_x[i],dial_y[i] center front font tic_font textcolor rgb ink
}
set cbrange [colour_low:colour_high]
unset colorbox
set multiplot
plot datafile index 0 using 1:2:3 with circles fillstyle empty linecolor rgb soft linewidth 0.75, \
  datafile index 1 using 1:2:3:4 with vectors nohead linecolor rgb soft linewidth 0.75, \
  datafile index 2 using 1:2:3:4:5 with vectors nohead linecolor rgb variable linewidth hand_width
if (GPVAL_TERM_HCHAR < 40) exit error no_fonts
