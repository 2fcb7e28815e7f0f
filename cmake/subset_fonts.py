#!/usr/bin/env python3
"""Writes the program's fonts with only the characters that the window can draw: those of glyph_ranges().

usage: subset_fonts.py ui/draw/look.cpp FOLDER
"""
import pathlib
import re
import subprocess
import sys

FONTS = ["Inter-Regular.otf", "Inter-SemiBold.otf", "JetBrainsMono-Regular.ttf", "DejaVuSans.ttf", "DejaVuSansMono.ttf"]

source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
table = re.search(r"kRanges\{(.*?)0\};", source.read_text(), re.S).group(1)
bounds = re.findall(r"0x([0-9A-F]{4})", table)
unicodes = ",".join(f"U+{first}-{last}" for first, last in zip(bounds[::2], bounds[1::2]))
folder.mkdir(parents=True, exist_ok=True)
for name in FONTS:
    found = next(pathlib.Path("/usr/share/fonts").rglob(name))
    subprocess.run([sys.executable, "-m", "fontTools.subset", found, f"--unicodes={unicodes}", "--no-hinting",
                    "--layout-features=", f"--output-file={folder / name}"], check=True)
