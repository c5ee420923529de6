# gnuplot -e "data='docs/scale.dat'; out='docs/scale.svg'" benchmarks/big-matrix.gnuplot
set terminal svg size 960,420 font "sans,12" background "white"
set output out
set logscale xy
set grid
set key left top
set xlabel "cells"
set xrange [70:150000]
set multiplot layout 1,2
steps = "plan build begin status resume report"
set title "CPU seconds"
plot for [i=1:6] data using 1:(column(2*i)) with linespoints pointtype 7 title word(steps, i)
set title "peak memory, MB"
set key left top
plot for [i=1:6] data using 1:(column(2*i+1)) with linespoints pointtype 7 title word(steps, i)
unset multiplot
