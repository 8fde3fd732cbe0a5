# Refaults per read against no policy: a cluster per cell, a bar per policy.
set terminal svg size 1000,440 font "sans-serif,13" background "#ffffff"
set output output
set datafile separator "\t"
set title name noenhanced
set ylabel "refaults per read against no policy, %"
set style data histograms
set style histogram clustered gap 1
set style fill solid noborder
set xtics out nomirror noenhanced
set ytics out nomirror
set grid ytics linecolor rgb "#dddddd"
set border 3
set xzeroaxis linecolor rgb "#444444"
set key outside right top noenhanced
set yrange [*<-5:5<*<100]
plot for [i=2:columns] data using i:xtic(1) title columnheader(i) linecolor i
