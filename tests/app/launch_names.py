#!/usr/bin/env python3
"""Looks up every name that exports write in a checkout of the framework's sources, and lists what it looked up.

    tests/app/launch_names.py build/release/ringside torchtitan=../torchtitan torchtitan:v0.2.2=../torchtitan@v0.2.2 ...

A source is FRAMEWORK[:VERSION]=REPOSITORY[@REVISION], a git repository. Exits with 1 where a name is not found.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHIPPED = ("default", "deepseek-v3-2048", "mixtral-8x7b-64", "gpt-13b-8", "llama-8b-8", "mpt-30b-512")
MORE = ([], ["training.precision=fp8"], ["parallel.zero=3", "parallel.pipeline=1"], ["training.recompute=full"])
# Where names are defined, and what a definition of the last part of a name looks like.
PLACES = {
    "megatron": ("megatron/", r"--{flag}\b|\b{name}\s*:"),
    "megatron-bridge": ("src/ 3rdparty/", r"\b{name}\b"),
    "torchtitan": ("torchtitan/ tests/unit_tests/", r"\"{path}\"|\b{name}\s*:|\b{name}\b.*="),
    "nanotron": ("src/nanotron/", r"\b{name}\s*:|\b{name}\b"),
    "deepspeed": ("deepspeed/ docs/", r"\b{name}\b"),
    "fsdp": ("src/accelerate/", r"\b{name}\b"),
    "axolotl": ("src/axolotl/", r"\b{name}\s*:"),
    "maxtext": ("src/maxtext/configs/", r"\b{name}\s*:"),
}
# Of the Hugging Face Trainer, which accelerate starts; of PyTorch's optimizers, which DeepSpeed hands on.
ELSEWHERE = {"--per_device_train_batch_size", "--gradient_accumulation_steps", "optimizer.params.lr", "optimizer.params.momentum"}


def exported(ringside, framework, version):
    """Every flag that some scenario is exported with."""
    flags = {}
    for scenario in SHIPPED:
        for more in MORE:
            command = [ringside, "export", ROOT / f"assets/scenarios/{scenario}.json", "--to", framework, "--json"]
            command += ["--for", version] if version else []
            command += ["--set", *more] if more else []
            outcome = subprocess.run(command, capture_output=True, text=True, check=False)
            if outcome.returncode == 0:
                flags.update((flag["flag"], flag["value"]) for flag in json.loads(outcome.stdout)["flags"])
    return flags


def found(repository, revision, places, pattern):
    command = ["git", "-C", repository, "grep", "-nE", "-m1", "-e", pattern, revision, "--", *places.split()]
    lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    return lines[0].strip() if lines else ""


def check(ringside, source):
    target, _, where = source.partition("=")
    framework, _, version = target.partition(":")
    repository, _, revision = where.partition("@")
    places, form = PLACES[framework]
    missing = 0
    for flag in sorted(exported(ringside, framework, version)):
        path = flag.removeprefix("--")
        name = path.rsplit(".", 1)[-1].removeprefix("no_").replace("-", "_") if framework != "megatron" else path.replace("-", "_")
        pattern = form.format(flag=re.escape(path), path=re.escape(path), name=re.escape(name))
        line = "of the Trainer" if flag in ELSEWHERE else found(repository, revision or "HEAD", places, pattern)
        missing += not line
        print(f"{target:20} {flag:60} {line[:120] or 'NOT FOUND'}")
    return missing


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    absent = sum(check(sys.argv[1], source) for source in sys.argv[2:])
    print(f"{absent} not found")
    sys.exit(1 if absent else 0)
