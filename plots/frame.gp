# The frame of every figure: the panel, its axes and its labels.
# Places are fractions of the sheet; they, the texts and the numbers at the axes stand above.
set encoding utf8
unset key
set lmargin at screen panel_left
set rmargin at screen panel_right
set bmargin at screen panel_bottom
set tmargin at screen panel_top
set border 0 linecolor rgb ink linewidth 0.5
x_tic_style = 'set xtics out nomirror scale 0.5,0.25 offset 0,0.25 font tic_font textcolor rgb ink'
y_tic_style = 'set ytics out nomirror scale 0.5,0.25 font tic_font textcolor rgb ink'
eval x_tic_style
eval y_tic_style
set label 1 title at screen title_x,title_y center front font label_font textcolor rgb ink
set label 5 letter at screen letter_x,title_y left front font label_font textcolor rgb ink
set label 2 xlabel at screen xlabel_x,xlabel_y center front font label_font textcolor rgb ink
set label 3 ylabel at screen ylabel_x,ylabel_y center rotate front font label_font textcolor rgb ink
# Without any font cairo draws no text and says nothing; characters then have no width.
no_fonts = "ropetool: no fonts found, the figure would have no text; install the package fonts-dejavu-core"
