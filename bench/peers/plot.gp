# SPDX-License-Identifier: GPL-3.0-or-later
# Work-precision diagram; set model, curves (blocks of scd and ms, each headed by a name), terminal, output.
size_x = 1000; size_y = 640
if (terminal eq 'png') { set terminal pngcairo size size_x, size_y font 'sans,12' background 'white' }
if (terminal eq 'svg') { set terminal svg size size_x, size_y font 'sans,14' background 'white' dynamic }
set output output
set title model.': accuracy and processor time (filled: mbs; open: others)'
set xlabel 'scd: correct digits at the end'
set ylabel 'processor time [ms]'
set logscale y
set xrange [1:11]
set xtics 1
set format y '%g'
set grid xtics ytics lc rgb '#dddddd' lt 1
set key outside right top Left reverse spacing 1.15 samplen 3
set border 3
set tics nomirror
blocks = int(system("grep -c '^\"' ".curves))
colour(k) = word('#d62728 #ff7f0e #2ca02c #1f77b4 #9467bd #8c564b #e377c2', (k - 1) % 7 + 1)
other(k) = word('#000000 #7f7f7f #17a2b8 #b8860b #6a3d9a #c2185b #2e7d32 #5d4037 #0d47a1 #e65100', (k - 1) % 10 + 1)
own = int(system("grep -c '^\"mbs' ".curves))
filled(k) = word('7 5 9 11 13 15 7', (k - 1) % 7 + 1)
hollow(k) = word('6 4 8 10 12 14 6 4 8 10', (k - 1) % 10 + 1)
plot for [k = 1:own] curves index k - 1 using 1:2 \
         with linespoints lw 2.2 dt 1 ps 1.1 lc rgb colour(k) pt int(filled(k)) title columnheader(1), \
     for [k = own + 1:blocks] curves index k - 1 using 1:2 \
         with linespoints lw 1.4 dt 2 ps 1 lc rgb other(k - own) pt int(hollow(k - own)) title columnheader(1)
