# A map: one coloured cell for each number, first row at the top, and a colour bar.
set object 1 rectangle from screen frame_left,frame_bottom to screen frame_right,frame_top \
  behind fillstyle empty border linecolor rgb ink linewidth frame_width
set object 2 rectangle from screen bar_left-frame_x,frame_bottom to screen bar_right+frame_x,frame_top \
  behind fillstyle empty border linecolor rgb ink linewidth frame_width
do for [i=1:bar_tics] {
  set arrow i from screen bar_right,bar_y[i] to screen (bar_text[i] eq '' ? bar_small_tic : bar_tic),bar_y[i] \
    nohead linecolor rgb ink linewidth 0.5
  set label 10+i bar_text[i] at screen bar_text_x,bar_y[i] left front font tic_font textcolor rgb ink
}
set label 4 value_label at screen value_x,ylabel_y center rotate front font label_font textcolor rgb ink
set cbrange [colour_low:colour_high]
unset colorbox
set multiplot
plot datafile binary array=(columns,rows) format='%float64' origin=(first_x,first_y) \
  dx=step_x dy=step_y using 1 with image
if (GPVAL_TERM_HCHAR < 40) exit error no_fonts
# The bar is a map of its own: all colours, from the lowest up. They stand behind the cells.
unset object
unset arrow
unset label
unset xtics
unset ytics
set lmargin at screen bar_left
set rmargin at screen bar_right
set xrange [-0.5:1.5]
set yrange [-0.5:255.5]
plot datafile binary skip=8*columns*rows array=(2,256) format='%float64' using 1 with image
unset multiplot
