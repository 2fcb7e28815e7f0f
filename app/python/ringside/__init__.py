"""Ringside from Python: memory, communication, step time and cost of training large language models.

>>> import ringside
>>> s = ringside.Scenario(model="llama-3.1-70b", cluster={"gpu": "h100-sxm-80gb", "gpus": 256})
>>> report = ringside.evaluate(s.with_(parallel__tensor=8))
>>> report.memory.total, report.step.time, report.fits

The answers are those of the command line, byte for byte: a `ringside serve --stdio` process gives them. Keys end in
their unit; bytes are decimal, rates of links one-way and per GPU.
"""
from __future__ import annotations

import importlib.metadata
import itertools
import os
from typing import Any, Mapping, Sequence, Union

from .engine import Engine, RingsideError, shared
from .notebook import Sliders
from .values import Node, Picture, Report, Scenario, Table, set_path, wrapped

try:
    __version__ = importlib.metadata.version("ringside")
except importlib.metadata.PackageNotFoundError:
    __version__ = "0+source"

__all__ = ["Engine", "Node", "Picture", "Report", "RingsideError", "Scenario", "Sliders", "Table", "collective", "evaluate",
           "evaluate_all", "explain", "picture", "question", "rent", "run", "scaling", "schedule", "search", "sliders", "sweep"]

# A scenario, its fields, a file's path or a ringside: link.
AnyScenario = Union[Scenario, Mapping[str, Any], str, "os.PathLike[str]"]
_FIGURES = ("memory.card_bytes", "memory.fits", "step.time_s", "step.mfu", "run.days", "run.cost_usd")


def _file(scenario: AnyScenario) -> tuple[str, Any]:
    """The word for a command's FILE, and its standard input."""
    if isinstance(scenario, Scenario):
        return "-", scenario.fields
    return ("-", dict(scenario)) if isinstance(scenario, Mapping) else (os.fspath(scenario), "")


def _words(options: Mapping[str, Any]) -> list[str]:
    """top=5, changes=True, free=["batch"]: --top=5 --changes --free=batch."""
    words: list[str] = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(option)
            elif one is not None and one is not False:
                words.append(f"{option}={one}")
    return words


def run(*command: str, stdin: Any = "", **options: Any) -> Any:
    """Any command of the program: run("schedule", kind="zb-h1", stages=8). `stdin` is what FILE `-` reads."""
    return wrapped(shared().run([*command, *_words(options)], stdin))


def _of_scenario(command: str, scenario: AnyScenario, options: Mapping[str, Any]) -> Any:
    word, stdin = _file(scenario)
    return shared().run([command, *_words(options), "--", word], stdin)


def evaluate(scenario: AnyScenario) -> Report:
    """Memory by component and stage, step time, MFU, bubble, traffic, days and cost."""
    return Report(_of_scenario("evaluate", scenario, {}))


def evaluate_all(scenarios: Sequence[AnyScenario]) -> list[Report]:
    """The same for many, in one call."""
    requests = [{"command": ["evaluate", "--", word], "stdin": stdin} for word, stdin in map(_file, scenarios)]
    return [Report(document) for document in shared().run_all(requests)]


def sweep(scenario: Scenario | Mapping[str, Any], axes: Mapping[str, Sequence[Any]], show: Sequence[str] = _FIGURES) -> Table:
    """A row for every combination: sweep(s, {"parallel.tensor": [1, 2, 4, 8], "training.micro_batch": [1, 2]}).

    A combination that cannot run has its reason in the column `fault`, and no figures.
    """
    base = scenario if isinstance(scenario, Scenario) else Scenario(scenario)
    points = [dict(zip(axes, values)) for values in itertools.product(*axes.values())]
    answers = shared().answers({"command": ["evaluate", "-"], "stdin": base.with_(point).fields} for point in points)
    rows = []
    for point, answer in zip(points, answers):
        runs = answer["status"] in (0, 1)
        figures = {name: answer["stdout"]["metrics"].get(name) if runs else None for name in show}
        rows.append({**point, **figures, "fault": None if runs else answer["stderr"].strip()})
    return Table(rows, [*axes, *show, "fault"])


def sliders(scenario: Scenario | Mapping[str, Any], axes: Mapping[str, Sequence[Any]], show: Sequence[str] = _FIGURES) -> Sliders:
    """A sweep to be explored in a notebook."""
    return Sliders(sweep(scenario, axes, show), axes, [*show, "fault"])


def search(scenario: AnyScenario, top: int = 10, **options: Any) -> Table:
    """Every legal layout, ranked: a row each, with its fields, its metrics and its `scenario`.

    Options are those of `ringside search`: objective="memory", framework="torchtitan", free=["batch"].
    """
    document = _of_scenario("search", scenario, {"top": top, **options})
    base = scenario if isinstance(scenario, Scenario) else Scenario(scenario) if isinstance(scenario, Mapping) else None
    rows = []
    for layout in document["layouts"]:
        fields = {f"{part}.{name}": value for part in ("parallel", "training") for name, value in layout[part].items()}
        row = {**fields, **layout["metrics"]}
        if base is not None:
            row["scenario"] = base.with_({part: layout[part] for part in ("parallel", "training")})
        rows.append(row)
    shown = ["parallel.tensor", "parallel.context", "parallel.pipeline", "parallel.expert", "parallel.zero", "training.micro_batch",
             "training.recompute", "training.schedule", *(document["layouts"][0]["metrics"] if rows else [])]
    return Table(rows, shown)


def rent(scenario: AnyScenario, **options: Any) -> Node:
    """Days and dollars over cluster types and numbers of GPUs: rent(s, deadline_days=30)."""
    return wrapped(_of_scenario("rent", scenario, options))


def explain(scenario: AnyScenario) -> Node:
    """The main figures with range, working and source; where the step's time goes; what would free memory."""
    return wrapped(_of_scenario("explain", scenario, {}))


def schedule(**options: Any) -> Node:
    """A pipeline schedule: schedule(kind="zb-h1", stages=8, micro_batches=32)."""
    return run("schedule", **options)


def collective(**options: Any) -> Node:
    """A collective and its cost: collective(kind="all-reduce", algorithm="tree", ranks=64, bytes=1e9)."""
    return run("collective", **options)


def scaling(**options: Any) -> Node:
    """Loss and compute optimum by every law: scaling(parameters="70e9", tokens="1.4e12")."""
    return run("scaling", **options)


def question(id: str, answer: str | None = None, seed: int = 1) -> Node:
    """A question with numbers from a seed; with an answer, its verdict."""
    words = ["question", "show" if answer is None else "answer", f"--seed={seed}", "--", id]
    return wrapped(shared().run(words + ([] if answer is None else [answer])))


def picture(view: str, scenario: AnyScenario | None = None, **options: Any) -> Picture:
    """A view as SVG: picture("memory", s, size="1280x800", light=True)."""
    word, stdin = ("", "") if scenario is None else _file(scenario)
    given = {"view": view, **({"scenario": word} if word else {}), **options}
    return Picture(shared().run(["picture", *_words(given), "--svg", "--output=-"], stdin))
