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
  if (line_shown[i]) {
    # Its ground has round ends, which would reach over the frame.
    set arrow 1 from screen ground_left[i],screen line_at[i] to screen ground_right[i],screen line_at[i] nohead front \
      linecolor rgb paper linewidth 2
    set arrow 2 from graph 0,screen line_at[i] to screen line_right[i],screen line_at[i] nohead front \
      linecolor rgb ink linewidth 0.75
    set label 6 line_text[i] at screen line_x[i],line_y[i] center rotate front font tic_font textcolor rgb ink
  }
  # Cells that are set apart are pale and have strokes across them.
  strokes = ''
  if (strokes_count[i]) {
    strokes = sprintf(", datafile binary skip=%d record=(%d) format='%%float64%%float64%%float64%%float64' \
      using 1:2:3:4 with vectors nohead linecolor rgb ink linewidth 0.4", strokes_skip[i], strokes_count[i])
  }
  eval "plot datafile binary skip=8*columns*rows*(i-1) array=(columns,rows) format='%float64' \
    origin=(first_x,first_y) dx=step_x dy=step_y using 1 with image".strokes
  if (GPVAL_TERM_HCHAR < 40) { exit error no_fonts }
  unset label
  unset arrow
}
