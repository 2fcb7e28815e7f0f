#!/bin/sh
# Draws README's four pictures anew. Run it in the source folder with the program to ask as its argument:
# docs/pictures.sh build/release/ringside
set -e
ringside=${1:-build/release/ringside}
out=docs/pictures

for view in memory pipelines lab; do
    "$ringside" picture --view "$view" -o "$out/$view.png"
done
"$ringside" animate --view overview --size 1280x800 --fps 12 --seconds 12 -o "$out/overview.gif"
