# A plot that covers the whole sheet: a unit of its axes is a dot, in both directions.
set lmargin at screen 0
set rmargin at screen 1
set bmargin at screen 0
set tmargin at screen 1
set xrange [sheet_left:sheet_right]
set yrange [sheet_bottom:sheet_top]
unset border
unset xtics
unset ytics
