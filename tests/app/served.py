"""Calls that tests draw, and the servers that they send them to."""
import json
import os
import random
import subprocess

MODELS = ["llama-3.1-8b", "llama-3.1-70b", "gpt-3-175b", "mixtral-8x7b", "no-such-model"]
GPUS = ["h100-sxm-80gb", "a100-sxm-80gb", "b200", "h100-sxm-80gb"]


def environment():
    return {name: value for name, value in os.environ.items() if not name.startswith("RINGSIDE_")}


def drawn_scenario(random_):
    pick = random_.choice
    return {"model": pick(MODELS), "cluster": {"gpu": pick(GPUS), "gpus": pick([8, 64, 256, 1024]), "gpus_per_node": 8},
            "parallel": {"tensor": pick([1, 2, 4, 8]), "pipeline": pick([1, 2, 4]), "zero": pick([0, 1, 2, 3]), "sequence_parallel": pick([True, False])},
            "training": {"micro_batch": pick([1, 2, 4]), "global_batch": pick([64, 256, 512]), "recompute": pick(["none", "selective", "full"])}}


def drawn_calls(count, seed=1):
    """Pairs of a command's words and its standard input, as tests of every way in send them."""
    random_ = random.Random(seed)
    pick = random_.choice
    makers = [
        lambda: (["evaluate", "-"], drawn_scenario(random_)),
        lambda: (["evaluate", "--set", f"training.micro_batch={pick([1, 2, 3])}", "-"], drawn_scenario(random_)),
        lambda: (["explain", "-"], drawn_scenario(random_)),
        lambda: (["schedule", "--kind", pick(["1f1b", "zb-h1", "all", "none"]), "--stages", str(pick([2, 4, 8])), "--micro-batches", str(pick([4, 8, 16]))], ""),
        lambda: (["collective", "--kind", pick(["all-reduce", "all-gather"]), "--algorithm", pick(["ring", "tree", "all"]), "--ranks", str(pick([2, 8, 64]))], ""),
        lambda: (["scaling", "--parameters", pick(["7e9", "70B", "-1"]), "--tokens", "1.4e12"], ""),
        lambda: (["question", "show", "problem-4-link", "--seed", str(random_.randrange(1000))], ""),
        lambda: (["question", "answer", "problem-4-link", pick(["50 GB/s", "12.5 GB/s", "no idea"]), "--seed", str(random_.randrange(9))], ""),
    ]
    return [pick(makers)() for _ in range(count)]


class Server:
    """A server that takes a line and gives a line."""

    def __init__(self, *words):
        self.process = subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())

    def send(self, line):
        self.process.stdin.write((line if isinstance(line, bytes) else line.encode()) + b"\n")
        self.process.stdin.flush()

    def line(self):
        return self.process.stdout.readline().decode()

    def ask(self, message):
        self.send(message if isinstance(message, (str, bytes)) else json.dumps(message))
        return json.loads(self.line())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        status = self.process.wait(timeout=120)
        errors = self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()
        if _[0] is None:
            assert status == 0, f"exit status {status}: {errors}"
