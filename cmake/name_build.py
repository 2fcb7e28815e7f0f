#!/usr/bin/env python3
"""Names a build of the page after what is in it, and lists its files with their sums in the worker that keeps them.
usage: name_build.py SOURCE PAGE FILE...    SOURCE has index.html, which gets their sizes for its bar, and offline.js; both
are written into PAGE
$RINGSIDE_PAGE_ADDRESS is where the page will be: chats show a preview's picture only by its whole address.
"""
import hashlib
import json
import os
import pathlib
import sys

source, page = map(pathlib.Path, sys.argv[1:3])
sums = {name: hashlib.sha256((page / name).read_bytes()).hexdigest() for name in sys.argv[3:]}
index, worker = ((source / name).read_text() for name in ("index.html", "offline.js"))
sizes = {name: (page / name).stat().st_size for name in sys.argv[3:]}
index = index.replace("{}; // SIZES", f"{json.dumps(sizes)}; //")
index = index.replace("ADDRESS", os.environ.get("RINGSIDE_PAGE_ADDRESS", ""))
build = hashlib.sha256(json.dumps([index, worker, sums], sort_keys=True).encode()).hexdigest()[:16]
index = index.replace("BUILD", build).encode()
files = {"./": hashlib.sha256(index).hexdigest(), **sums}
(page / "index.html").write_bytes(index)
(page / "offline.js").write_text(worker.replace("BUILD", build).replace("{}; // FILES", f"{json.dumps(files)}; //"))
