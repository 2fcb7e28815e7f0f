#!/usr/bin/env python3
"""Packs the npm package: what its engine reads, and what npm reads of it.
usage: npm_files.py SOURCE_FOLDER PACKAGE_FOLDER FONTS_FOLDER

presets.json, drawing.json and questions.json are {place: text, or {"base64": bytes}} for the engine's own files.
"""
import base64
import json
import pathlib
import re
import shutil
import subprocess
import sys

source, package, fonts = map(pathlib.Path, sys.argv[1:4])
PRESETS = ("models", "gpus", "clusters", "frameworks", "scenarios", "software", "engines", "evidence", "engine-evidence")


def texts(*folders):
    found = {}
    for folder in folders:
        for path in sorted((source / "assets" / folder).rglob("*")):
            if path.is_file():
                text = path.read_text(encoding="utf-8")
                text = json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":")) if path.suffix == ".json" else text
                found[f"/ringside/{path.relative_to(source / 'assets')}"] = text
    return found


def pack(name, files):
    (package / name).write_text(json.dumps(files, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


pack("drawing.json", texts("measured", "study") | {f"/ringside/fonts/{font.name}": {"base64": base64.b64encode(font.read_bytes()).decode()}
                                          for font in sorted(fonts.iterdir()) if font.suffix in (".ttf", ".otf")})
pack("questions.json", texts("questions"))
pack("presets.json", texts(*PRESETS))
for name in ("index.mjs", "index.d.ts", "figure.mjs", "worker.mjs", "package.json"):
    shutil.copy(source / "app/npm" / name, package)
shutil.copy(source / "LICENSE", package)
shutil.copy(source / "docs/npm.md", package / "README.md")
version = re.search(r"project\([^)]*?VERSION\s+([0-9.]+)", (source / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
about = json.loads((package / "package.json").read_text(encoding="utf-8")) | {"version": version}
(package / "package.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
# Which views a link may name, by the module that has them.
ask = ("import { open } from './index.mjs'; const engine = await open({ drawing: true });"
       "console.log(engine.answer({ command: ['picture', '--list', '--json'] }).stdout.views"
       " ? JSON.stringify(engine.answer({ command: ['picture', '--list', '--json'] }).stdout) : '')")
views = subprocess.run(["node", "--input-type=module", "-e", ask], cwd=package, capture_output=True, text=True, check=True).stdout
pack("presets.json", texts(*PRESETS) | {"/ringside/views.json": views.strip()})
