# Refaults per read, round by round; bands and labels are put before this by report.sh.
set terminal svg size 920,420 font "sans-serif,13" background "#ffffff"
set output output
set title "Fixed random order through mmap, 128 MiB in 100 MiB: one reader, policies swapped under it"
set xlabel "round (131,072 reads)"
set ylabel "refaults per read"
set yrange [0:1.1]
set xtics out nomirror
set ytics out nomirror
set grid ytics linecolor rgb "#dddddd" front
set border 3
set key bottom right horizontal
plot data using 1:2 with lines linecolor rgb "#777777" notitle, \
     data using 1:($3 == 1 ? $2 : NaN) with points pointtype 7 pointsize 0.6 linecolor rgb "#1f5fa8" title "measured", \
     data using 1:($3 == 0 ? $2 : NaN) with points pointtype 6 pointsize 0.6 linecolor rgb "#777777" title "switch and warm-up", \
     NaN with lines linecolor rgb "#c04000" linewidth 1.5 title "median"
