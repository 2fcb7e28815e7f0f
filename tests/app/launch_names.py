#!/usr/bin/env python3
"""Looks up every setting that exports write in the framework's own sources, and lists what it looked up and where it is.

    tests/app/launch_names.py build/release/ringside torchtitan=../torchtitan torchtitan:v0.2.2=../torchtitan@v0.2.2 ...

A source is FRAMEWORK[:VERSION]=FOLDER[@REVISION]: a checkout, or at a revision of a git repository, which may be bare.
The settings are those that rules of the framework's table write, and those that scenarios are exported with. Exits
with 1 where one is not found.
"""
import functools
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHIPPED = ("default", "deepseek-v3-2048", "mixtral-8x7b-64", "gpt-13b-8", "llama-8b-8", "mpt-30b-512")
MORE = ([], ["training.precision=fp8"], ["parallel.zero=3", "parallel.pipeline=1"], ["training.recompute=full"])
ENDINGS = (".py", ".yml", ".yaml", ".md", ".rst", ".json", ".toml")
# Where names are defined, and what a definition of the last part of a name looks like.
PLACES = {
    "megatron": ("megatron/", r"[\"']--{flag}[\"']|^\s*{name}\s*:"),
    "megatron-bridge": ("src/ 3rdparty/ scripts/", r"\b{name}\b"),
    "torchtitan": ("torchtitan/ tests/unit_tests/", r"\"{path}\"|\b{name}\s*:|\b{name}\b.*="),
    "nanotron": ("src/nanotron/", r"\b{name}\s*:"),
    "deepspeed": ("deepspeed/ docs/", r"[\"'`*]{name}[\"'`*]|\b{name}\s*:"),
    "fsdp": ("src/accelerate/", r"\b{name}\b"),
    "axolotl": ("src/axolotl/", r"\b{name}\s*:"),
    "maxtext": ("src/maxtext/configs/", r"^\s*{name}\s*:"),
}
# Settings of what the framework starts or hands on to, by where they are defined.
ELSEWHERE = {
    "--per_device_train_batch_size": "TrainingArguments of transformers",
    "--gradient_accumulation_steps": "TrainingArguments of transformers",
    "--gradient_checkpointing": "TrainingArguments of transformers",
    "optimizer.params.lr": "torch.optim",
    "optimizer.params.momentum": "torch.optim.SGD",
}


def exported(ringside, framework, version):
    """Every setting that one of some scenarios is exported with, also by code that is no rule."""
    flags = set()
    for scenario in SHIPPED:
        for more in MORE:
            command = [ringside, "export", ROOT / f"assets/scenarios/{scenario}.json", "--to", framework, "--json"]
            command += ["--for", version] if version else []
            command += ["--set", *more] if more else []
            outcome = subprocess.run(command, capture_output=True, text=True, check=False)
            if outcome.returncode == 0:
                flags.update(flag["flag"] for flag in json.loads(outcome.stdout)["flags"])
    return flags


def ruled(framework, version):
    """Every setting that a rule of the framework's table writes for this version."""
    table = json.loads((ROOT / f"assets/frameworks/{framework}.json").read_text())
    newest = table["versions"][0]["id"] if table.get("versions") else ""
    rules = [rule for rule in table["launch"] if rule.get("flag")]
    return {rule["flag"] for rule in rules if not rule.get("versions") or (version or newest) in rule["versions"]}


def blobs(folder, revision, places):
    """Names and bytes of a repository's text files; what the copy at hand lacks is left out."""
    git = ["git", "-C", folder]
    tree = subprocess.run([*git, "ls-tree", "-r", revision], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 3) for line in tree.splitlines()]
    wanted = {row[2]: row[3] for row in rows if row[1] == "blob" and row[3].startswith(places) and row[3].endswith(ENDINGS)}
    batch = subprocess.run([*git, "cat-file", "--batch"], input="\n".join(wanted).encode(), capture_output=True, check=True).stdout
    at = 0
    while at < len(batch):
        end = batch.index(b"\n", at)
        head = batch[at:end].decode().split()
        size = int(head[2]) if len(head) == 3 else -2  # "HASH missing" has no bytes behind it
        if size >= 0:
            yield wanted[head[0]], batch[end + 1 : end + 1 + size]
        at = end + 2 + max(size, -1)


@functools.cache
def lines_of(folder, revision, places):
    """Lines of the sources, each with its file and number."""
    wanted = tuple(places.split())
    if not revision and any(pathlib.Path(folder, place).is_dir() for place in wanted):
        files = [f for place in wanted for f in pathlib.Path(folder, place).rglob("*") if f.suffix in ENDINGS and f.is_file()]
        texts = [(str(f.relative_to(folder)), f.read_bytes()) for f in files]
    else:
        texts = blobs(folder, revision or "HEAD", wanted)
    decoded = [(name, data.decode(errors="replace")) for name, data in texts]
    return [(name, number, line) for name, text in decoded for number, line in enumerate(text.splitlines(), 1)]


def definition(lines, pattern):
    form = re.compile(pattern)
    return next((f"{name}:{number}: {line.strip()}" for name, number, line in lines if form.search(line)), "")


def check(ringside, source):
    target, _, where = source.partition("=")
    framework, _, version = target.partition(":")
    folder, _, revision = where.partition("@")
    places, form = PLACES[framework]
    lines = lines_of(folder, revision, places)
    missing = 0
    for flag in sorted(ruled(framework, version) | exported(ringside, framework, version)):
        path = flag.removeprefix("--")
        last = path.rsplit(".", 1)[-1]
        name = (path if framework == "megatron" else last.removeprefix("no_")).replace("-", "_")
        pattern = form.format(flag=re.escape(path), path=re.escape(path), name=re.escape(name))
        line = ELSEWHERE.get(flag) or definition(lines, pattern)
        missing += not line
        print(f"{target:20} {flag:60} {line[:120] or 'NOT FOUND'}")
    print(f"{target}: {missing} not found in {len(lines)} lines\n")
    return missing


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(1 if sum(check(sys.argv[1], source) for source in sys.argv[2:]) else 0)
