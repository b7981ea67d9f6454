# A map: one coloured cell for each number, first row at the top, and a colour bar.
set object 1 rectangle from screen frame_left,frame_bottom to screen frame_right,frame_top \
  behind fillstyle empty border linecolor rgb ink linewidth frame_width
set object 2 rectangle from screen bar_left-frame_x,frame_bottom to screen bar_right+frame_x,frame_top \
  behind fillstyle empty border linecolor rgb ink linewidth frame_width
set cbrange [colour_low:colour_high]
set cbtics out nomirror scale 0.5 font tic_font textcolor rgb ink
set colorbox user noborder origin screen bar_left,panel_bottom \
  size screen bar_right-bar_left,panel_top-panel_bottom
set label 4 value_label at screen value_x,ylabel_y center rotate front font label_font textcolor rgb ink
plot datafile binary array=(columns,rows) format='%float64' origin=(first_x,first_y) \
  dx=step_x dy=step_y using 1 with image
if (GPVAL_TERM_HCHAR < 40) exit error no_fonts
