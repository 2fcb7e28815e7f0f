"""Values that the package takes and gives: scenarios, reports, tables, pictures. They show themselves in notebooks."""
from __future__ import annotations

import copy
import html
import json
import pathlib
from typing import Any, Iterator, Mapping, Sequence

# Units with which keys end; an attribute may leave them out: memory.total is memory.total_bytes.
_UNITS = ("bytes", "s", "usd", "d", "per_s", "gb", "flops", "bytes_per_s", "gb_per_s", "tokens_per_s", "share")


def set_path(document: dict[str, Any], path: str, value: Any) -> None:
    """Sets "training.micro_batch" in nested dictionaries."""
    *above, last = path.split(".")
    for name in above:
        document = document.setdefault(name, {})
        if not isinstance(document, dict):
            raise TypeError(f"{path}: {name} is an id here; give it as a dictionary with what differs")
    document[last] = value


class Scenario:
    """What is trained, on what and how: the fields of `ringside.scenario/1`, each of which has a default.

    >>> s = Scenario(model="llama-3.1-70b", cluster={"gpu": "h100-sxm-80gb", "gpus": 256})
    >>> s.with_({"parallel.tensor": 8}, training__micro_batch=2)
    """

    def __init__(self, fields: Mapping[str, Any] | None = None, **more: Any):
        self.fields: dict[str, Any] = copy.deepcopy({**(fields or {}), **more})

    @classmethod
    def load(cls, path: str | pathlib.Path) -> Scenario:
        """From a scenario's file of JSON."""
        return cls(json.loads(pathlib.Path(path).read_text(encoding="utf-8")))

    def with_(self, changes: Mapping[str, Any] | None = None, **more: Any) -> Scenario:
        """A copy with these fields: {"parallel.tensor": 4}, or parallel__tensor=4."""
        changed = Scenario(self.fields)
        for path, value in {**(changes or {}), **{name.replace("__", "."): value for name, value in more.items()}}.items():
            set_path(changed.fields, path, copy.deepcopy(value))
        return changed

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self.fields == other.fields

    def __repr__(self) -> str:
        return f"Scenario({json.dumps(self.fields)})"


class Node(Mapping[str, Any]):
    """A part of an answer, by key or by attribute: report["memory"]["total_bytes"], report.memory.total."""

    def __init__(self, document: Mapping[str, Any], name: str = ""):
        self._document = document
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        keys = [name] if name in self._document else [f"{name}_{unit}" for unit in _UNITS if f"{name}_{unit}" in self._document]
        if len(keys) != 1:
            raise AttributeError(f"{self._name or 'the answer'} has no {name}: it has {', '.join(self._document)}")
        return self[keys[0]]

    def __getitem__(self, key: str) -> Any:
        return wrapped(self._document[key], f"{self._name}.{key}".lstrip("."))

    def __iter__(self) -> Iterator[str]:
        return iter(self._document)

    def __len__(self) -> int:
        return len(self._document)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(key for key in self._document if key.isidentifier())]

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values."""
        return copy.deepcopy(dict(self._document))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({json.dumps(self._document, indent=1)})"

    def _repr_html_(self) -> str:
        return _html_table(("", ""), [(key, value if not isinstance(value, (dict, list)) else json.dumps(value)) for key, value in self._document.items()])


class Report(Node):
    """What comes of a scenario: `report.memory.total`, `report.step.time`, `report.metrics["step.mfu"]`."""

    @property
    def fits(self) -> bool:
        """Whether the peak-memory GPU has the memory it needs."""
        return bool(self._document["metrics"].get("memory.fits", self._document["metrics"].get("serving.fits")))


def wrapped(value: Any, name: str = "") -> Any:
    """Dictionaries as Nodes, also in lists."""
    if isinstance(value, dict):
        return Node(value, name)
    return [wrapped(one, name) for one in value] if isinstance(value, list) else value


class Table(Sequence[dict[str, Any]]):
    """Rows of named values. `to_pandas()` and `column()` use pandas and numpy where those are installed."""

    def __init__(self, rows: Sequence[dict[str, Any]], columns: Sequence[str] | None = None):
        self.rows = list(rows)
        self.columns = list(columns) if columns is not None else list(dict.fromkeys(key for row in self.rows for key in row))

    def __getitem__(self, index: Any) -> Any:
        return Table(self.rows[index], self.columns) if isinstance(index, slice) else self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> Any:
        """The values of a column: an array of numpy where that is installed, else a list."""
        values = [row.get(name) for row in self.rows]
        try:
            import numpy
        except ImportError:
            return values
        return numpy.array(values)

    def to_pandas(self) -> Any:
        import pandas

        return pandas.DataFrame(self.rows, columns=self.columns)

    def __repr__(self) -> str:
        cells = [self.columns, *([_shown(row.get(name)) for name in self.columns] for row in self.rows)]
        widths = [max(len(line[i]) for line in cells) for i in range(len(self.columns))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in cells)

    def _repr_html_(self) -> str:
        return _html_table(self.columns, [[row.get(name) for name in self.columns] for row in self.rows])


class Picture:
    """A view as SVG, which notebooks show."""

    def __init__(self, svg: str):
        self.svg = svg

    def save(self, path: str | pathlib.Path) -> None:
        pathlib.Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Picture({len(self.svg)} characters of SVG)"


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else "" if value is None else str(value)


def _html_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    def line(cells: Sequence[Any], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(_shown(cell))}</{tag}>" for cell in cells) + "</tr>"

    head = f"<thead>{line(columns, 'th')}</thead>" if any(columns) else ""
    return f"<table>{head}<tbody>{''.join(line(row, 'td') for row in rows)}</tbody></table>"
