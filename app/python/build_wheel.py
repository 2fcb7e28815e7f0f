#!/usr/bin/env python3
"""Builds the wheel of the package `ringside`, with nothing but Python. usage: build_wheel.py [FOLDER]

Prints its path; `python3 -m pip install --no-index FILE` installs it. A wheel is an archive of the package and a record
of it (packaging.python.org, "Binary distribution format"). The same sources give the same bytes.
"""
import base64
import hashlib
import pathlib
import re
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]


def version():
    return re.search(r"project\([^)]*?VERSION\s+([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)


def metadata(number):
    about = (SOURCE / "docs/agents.md").read_text(encoding="utf-8")
    return ("Metadata-Version: 2.1\nName: ringside\nVersion: " + number + "\nSummary: Memory, communication, step time and cost of "
            "training large language models\nLicense: MIT\nRequires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n" + about)


def build(folder):
    number = version()
    info = f"ringside-{number}.dist-info"
    files = {f"ringside/{path.name}": path.read_bytes() for path in sorted((HERE / "ringside").iterdir()) if path.suffix in (".py", ".typed")}
    files[f"{info}/METADATA"] = metadata(number).encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: ringside\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/LICENSE"] = (SOURCE / "LICENSE").read_bytes()
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"ringside-{number}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)  # of 1980, so that the bytes depend on the sources alone
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return wheel


if __name__ == "__main__":
    print(build(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build")))
