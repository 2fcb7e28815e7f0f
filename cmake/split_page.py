#!/usr/bin/env python3
"""What a page loads before its first frame, and what it loads after it.
usage: split_page.py LINKED.wasm OUT_FOLDER LIBRARY... -- ASSET_FOLDER=PLACE...

The module is split in two (Binaryen's wasm-split): rest.wasm has what only the folders in LATER define. Lessons and
questions go to rest.json, {place: text}. The page loads both when the overview stands, or first where a link asks.
LINKED.wasm has its functions' names, as linked with --profiling-funcs --no-demangle.
"""
import json
import pathlib
import re
import subprocess
import sys

# The linked program's objects have the names of their folders.
LATER = re.compile(r"unity_(ui_views_(?!overview)|core_(planner|parallelism|reliability|scaling|serving|training)_)|md4c|kernels")
# A shorter function may stand for an equal one of another folder: the linker's optimizer keeps one of equals.
LEAST = 200
FEATURES = ["exception-handling", "simd", "mutable-globals", "sign-ext", "nontrapping-float-to-int", "bulk-memory",
            "reference-types"]


def tool(root, name):
    """A tool of the ones emscripten itself uses."""
    return pathlib.Path(subprocess.run(["em-config", root], capture_output=True, text=True, check=True).stdout.strip()) / name


def number(data, at):
    """LEB128: the value and the place behind it."""
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def text(data, at):
    size, at = number(data, at)
    return data[at:at + size].decode(), at + size


def functions(data):
    """Names of a module's own functions, and their bodies' sizes."""
    names, sizes = {}, []
    at = 8
    while at < len(data):
        kind = data[at]
        size, at = number(data, at + 1)
        end, place = at + size, at
        if kind == 10:
            count, place = number(data, place)
            for _ in range(count):
                body, place = number(data, place)
                sizes.append(body)
                place += body
        elif kind == 0:
            title, place = text(data, place)
            while title == "name" and place < end:
                part = data[place]
                length, place = number(data, place + 1)
                behind = place + length
                if part == 1:
                    count, place = number(data, place)
                    for _ in range(count):
                        index, place = number(data, place)
                        names[index], place = text(data, place)
                place = behind
        at = end
    imported = len(names) - len(sizes)
    return [(names[imported + i], size) for i, size in enumerate(sizes)]


def objects_of(libraries):
    """The objects that define a function, by its name."""
    found = {}
    symbols = subprocess.run([tool("LLVM_ROOT", "llvm-nm"), "-A", "--defined-only", *libraries], capture_output=True, text=True, check=True)
    for line in symbols.stdout.splitlines():
        where, _, rest = line.rpartition(": ")
        kind, name = rest.split()[-2:]
        if kind in "tTwWvV":
            found.setdefault(name, set()).add(where.rpartition(":")[2])
    return found


def main():
    linked, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    border = sys.argv.index("--")
    defined = objects_of(sys.argv[3:border])
    later = [name for name, size in functions(linked.read_bytes())
             if size >= LEAST and all(LATER.search(o) for o in defined.get(re.sub(r"\.\d+$", "", name), {"?"}))]
    if len(later) < 500:
        sys.exit(f"Only {len(later)} functions can be loaded later; have the folders or the linker's names changed?")
    chosen = linked.with_suffix(".later")
    chosen.write_text("\n".join(later))
    subprocess.run([tool("BINARYEN_ROOT", "bin/wasm-split"), "--split", linked, f"--split-funcs=@{chosen}",
                    "-o1", out / "ringside.wasm", "-o2", out / "rest.wasm", *[f"--enable-{feature}" for feature in FEATURES]], check=True)
    rest = {}
    for folder, place in (pair.split("=") for pair in sys.argv[border + 1:]):
        for file in sorted(pathlib.Path(folder).rglob("*")):
            if file.is_file():
                rest[f"{place}/{file.relative_to(folder)}"] = file.read_text()
    (out / "rest.json").write_text(json.dumps(rest, ensure_ascii=False))


if __name__ == "__main__":
    main()
