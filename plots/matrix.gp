# Maps: one coloured cell for each number, first row at the top; the frames lie round the cells.
set cbrange [colour_low:colour_high]
unset colorbox
set multiplot
do for [i=1:panels] {
  set lmargin at screen cells_left[i]
  set rmargin at screen cells_right[i]
  set bmargin at screen cells_bottom[i]
  set tmargin at screen cells_top[i]
  set object 1 rectangle from screen frame_left[i],frame_bottom[i] to screen frame_right[i],frame_top[i] \
    behind fillstyle empty border linecolor rgb ink linewidth frame_width
  set label 4 panel_title[i] at screen panel_x[i],panel_y[i] center front font tic_font textcolor rgb ink
  unset xtics
  unset ytics
  if (show_x[i]) {
    eval x_tic_style
    set xtics (x_tic_text[1] x_tic_at[1] x_tic_level[1])
    do for [k=2:x_tics] { set xtics add (x_tic_text[k] x_tic_at[k] x_tic_level[k]) }
  }
  if (show_y[i]) {
    eval y_tic_style
    set ytics (y_tic_text[1] y_tic_at[1] y_tic_level[1])
    do for [k=2:y_tics] { set ytics add (y_tic_text[k] y_tic_at[k] y_tic_level[k]) }
  }
  plot datafile binary skip=8*columns*rows*(i-1) array=(columns,rows) format='%float64' \
    origin=(first_x,first_y) dx=step_x dy=step_y using 1 with image
  if (GPVAL_TERM_HCHAR < 40) { exit error no_fonts }
  unset label
}
