#!/bin/sh
# Draws README's pictures anew, all but class.png, which is a window with guesses typed into it. Run it in the source
# folder with the program to ask as its argument: docs/pictures.sh build/release/ringside
set -e
ringside=${1:-build/release/ringside}
out=docs/pictures

picture() { # NAME, and what else the picture is told; the view is of that name
    name=$1
    shift
    "$ringside" picture --view "$name" "$@" -o "$out/$name.png"
}

for view in activations batch budget compression decide errata experts frontier goodput growth lab laws layout memory \
    message offload optimizer pipelines planner ranks recompute ring roofline step waterfall zero zoo; do
    picture "$view"
done
picture launch --press 3
"$ringside" picture --view ranks/bytes --steps 120 -o "$out/ranks-bytes.png"
picture measured --measured tests/data/step/llm-foundry-a100-80gb.json
picture drill --question model-state/easy --answer "810 GB" --hints 1
"$ringside" animate --view overview --size 1280x800 --fps 12 --seconds 12 -o "$out/overview.gif"
