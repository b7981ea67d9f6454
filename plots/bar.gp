# The colour bar on the right, within a multiplot: all colours, from the lowest up; arrows where values lie
# beyond its ends.
unset object
unset arrow
unset label
unset xtics
unset ytics
set object 1 rectangle from screen bar_frame_left,bar_frame_bottom to screen bar_frame_right,bar_frame_top \
  behind fillstyle empty border linecolor rgb ink linewidth frame_width
bar_middle = (bar_frame_left+bar_frame_right)/2
if (bar_above) {
  set object 2 polygon from screen bar_frame_left,bar_frame_top to screen bar_frame_right,bar_frame_top \
    to screen bar_middle,bar_tip_top to screen bar_frame_left,bar_frame_top \
    behind fillstyle solid border linecolor rgb ink linewidth frame_width fillcolor rgb palette_high
}
if (bar_below) {
  set object 3 polygon from screen bar_frame_left,bar_frame_bottom to screen bar_frame_right,bar_frame_bottom \
    to screen bar_middle,bar_tip_bottom to screen bar_frame_left,bar_frame_bottom \
    behind fillstyle solid border linecolor rgb ink linewidth frame_width fillcolor rgb palette_low
}
do for [i=1:bar_tics] {
  set arrow i from screen bar_right,bar_y[i] to screen (bar_text[i] eq '' ? bar_small_tic : bar_tic),bar_y[i] \
    nohead linecolor rgb ink linewidth 0.5
  set label 10+i bar_text[i] at screen bar_text_x,bar_y[i] left front font tic_font textcolor rgb ink
}
set label 4 value_label at screen value_x,value_y center rotate front font label_font textcolor rgb ink
set lmargin at screen bar_left
set rmargin at screen bar_right
set bmargin at screen bar_bottom
set tmargin at screen bar_top
set xrange [-0.5:1.5]
set yrange [-0.5:255.5]
eval 'plot datafile '.bar_data.' with image'
unset multiplot
