# Curves: shaded spans and reference lines behind, then bands, lines over them, points on top, and the
# legend where there is room.
set border 3 linecolor rgb ink linewidth 0.5
if (zero_line) set arrow 1 from graph 0,first 0 to graph 1,first 0 nohead back linecolor rgb rule linewidth 0.5
do for [i=1:spans] {
  set object 100+i rectangle from first span_left[i],graph 0 to first span_right[i],graph 1 behind \
    fillstyle solid noborder fillcolor rgb span_rgb[i]
  if (tag_right[i]-tag_left[i] > 1e-4) {
    set object 200+i rectangle from screen tag_left[i],tag_bottom[i] to screen tag_right[i],tag_top[i] behind \
      fillstyle solid noborder fillcolor rgb span_rgb[i]
  }
  set label 300+i span_text[i] at screen span_x[i],span_y[i] center front font tic_font textcolor rgb ink
}
# Thin and grey as the line at 0: no entry of the legend looks like them.
do for [i=1:marks] {
  set arrow 100+i from graph 0,first mark_value[i] to graph 1,first mark_value[i] nohead back \
    linecolor rgb rule linewidth 0.5
  set label 400+i mark_text[i] at screen mark_x[i],mark_y[i] right front font tic_font textcolor rgb ink
}
if (upright) {
  set arrow 99 from first upright_value,graph 0 to first upright_value,screen upright_top nohead back \
    linecolor rgb rule linewidth 0.5
  if (upright_starts) {
    set label 399 upright_text at screen upright_x,upright_y left front font tic_font textcolor rgb ink
  } else {
    set label 399 upright_text at screen upright_x,upright_y right front font tic_font textcolor rgb ink
  }
}
# Told apart without their colours: circle, square, triangle, diamond, pentagon, triangle upside down, and
# circle and square that are empty.
array marker[8] = [7, 5, 9, 13, 15, 11, 6, 4]
# What lies under them, a little larger, to set them off from the lines.
array ground[8] = [7, 5, 9, 13, 15, 11, 7, 5]
# All look as large.
array share[8] = [1, 1, triangle_share, diamond_share, pentagon_share, triangle_share, 1, 1]
# Of two bands the second, which lies within the first, is darker.
band_share(n) = n > 1 ? 0.5 : 0.25
key_rgb(i) = !key_colour[i] ? text_rgb : key_over[i] ? shade[key_colour[i]] : colour[key_colour[i]]
# No two are as wide: SVG would go on with the line before, which has other dashes.
key_width(i) = (key_over[i] ? over_width : line_width)+(GPVAL_TERM eq 'svg' ? 0.002*i : 0)
do for [i=1:keys] {
  if (key_kind[i] == 0) {
    set object 10+i rectangle from screen key_left[i],key_y[i]-key_up[i] to screen key_right[i],key_y[i]+key_up[i] \
      front fillstyle transparent solid band_share(key_dash[i]) noborder fillcolor rgb key_rgb(i)
  }
  if (key_kind[i] == 1) {
    set arrow 10+i from screen key_left[i],key_y[i] to screen key_right[i],key_y[i] nohead front \
      linecolor rgb key_rgb(i) linewidth key_width(i) dashtype key_dash[i]
  }
  if (key_marker[i]) {
    set label 500+i '' at screen (key_left[i]+key_right[i])/2,key_y[i] front \
      point pointtype ground[key_marker[i]] pointsize share[key_marker[i]]*ground_size linecolor rgb paper
    set label 600+i '' at screen (key_left[i]+key_right[i])/2,key_y[i] front \
      point pointtype marker[key_marker[i]] pointsize share[key_marker[i]]*marker_size linecolor rgb key_rgb(i)
  }
  if (key_kind[i] == 2) {
    set label 100+i '' at screen (key_left[i]+key_right[i])/2,key_y[i] front \
      point pointtype 6 pointsize point_size linecolor rgb text_rgb linewidth 0.8
  }
  set label 10+i key_text[i] at screen key_x[i],key_y[i] left front font tic_font textcolor rgb ink
}
trace_rgb(i) = trace_colour[i] ? colour[trace_colour[i]] : text_rgb
# gnuplot looks at the data of a loop that runs not once, and warns of them: only what is there is named.
band_plot = "for [i=1:bands] datafile index i-1 using 1:2:3 with filledcurves \
    fillstyle transparent solid band_share(trace_dash[i]) noborder fillcolor rgb colour[trace_colour[i]]"
# Of several series bands lie on each other: thin lines at their edges.
low_plot = "for [i=1:bands] datafile index i-1 using 1:2 with lines \
    linecolor rgb colour[trace_colour[i]] linewidth 0.5"
high_plot = "for [i=1:bands] datafile index i-1 using 1:3 with lines \
    linecolor rgb colour[trace_colour[i]] linewidth 0.5"
line_plot = "for [i=1:lines-over] datafile index bands+i-1 using 1:2 with lines \
    linecolor rgb trace_rgb(bands+i) linewidth line_width dashtype trace_dash[bands+i]"
ground_plot = "for [i=1:marked] datafile index bands+lines+points+i-1 using 1:2 with points \
    pointtype ground[sign_shape[i]] pointsize share[sign_shape[i]]*ground_size linecolor rgb paper"
marker_plot = "for [i=1:marked] datafile index bands+lines+points+i-1 using 1:2 with points \
    pointtype marker[sign_shape[i]] pointsize share[sign_shape[i]]*marker_size linecolor rgb colour[trace_colour[sign_trace[i]]]"
# Lines over the others lie on a lighter one that sets them off.
rim_plot = "for [i=lines-over+1:lines] datafile index bands+i-1 using 1:2 with lines \
    linecolor rgb paper linewidth over_width+1.2"
over_plot = "for [i=lines-over+1:lines] datafile index bands+i-1 using 1:2 with lines \
    linecolor rgb shade[trace_colour[bands+i]] linewidth over_width dashtype trace_dash[bands+i]"
point_plot = "for [i=1:points] datafile index bands+lines+i-1 using 1:2 with points \
    pointtype 6 pointsize point_size linecolor rgb text_rgb linewidth 0.8"
plots = ''
if (bands) plots = plots.', '.band_plot
if (bands && edges) plots = plots.', '.low_plot.', '.high_plot
if (lines > over) plots = plots.', '.line_plot
if (marked) plots = plots.', '.ground_plot.', '.marker_plot
if (over) plots = plots.', '.rim_plot.', '.over_plot
if (points) plots = plots.', '.point_plot
eval 'plot '.plots[3:]
if (GPVAL_TERM_HCHAR < 40) exit error no_fonts
