"""Sliders over a sweep, as plain HTML: they work in a notebook, and in the page that it is exported to."""
from __future__ import annotations

import html
import json
import uuid
from typing import Any, Mapping, Sequence

from .values import Table

_SCRIPT = """
(() => {
  const root = document.getElementById(ID), points = POINTS, axes = AXES, shown = SHOWN;
  const sliders = [...root.querySelectorAll('input')];
  const draw = () => {
    const index = sliders.reduce((sum, slider, i) => sum * axes[i].length + Number(slider.value), 0);
    sliders.forEach((slider, i) => slider.nextElementSibling.textContent = axes[i][slider.value]);
    root.querySelectorAll('td').forEach((cell, i) => {
      const value = points[index][shown[i]];
      cell.textContent = typeof value === 'number' ? value.toPrecision(6) : String(value ?? 'unknown');
    });
  };
  sliders.forEach(slider => slider.addEventListener('input', draw));
  draw();
})();
"""


class Sliders:
    """A slider for each axis of a sweep, and below them the figures at the point they are on."""

    def __init__(self, table: Table, axes: Mapping[str, Sequence[Any]], show: Sequence[str]):
        self.table, self.axes, self.show = table, dict(axes), list(show)

    def _repr_html_(self) -> str:
        place = f"ringside-{uuid.uuid4().hex}"
        sliders = "".join(
            f'<label style="display:block">{html.escape(path)} <input type="range" min="0" max="{len(values) - 1}" value="0"> '
            "<output></output></label>" for path, values in self.axes.items())
        rows = "".join(f"<tr><th>{html.escape(name)}</th><td></td></tr>" for name in self.show)
        script = _SCRIPT
        for name, value in (("ID", place), ("POINTS", self.table.rows), ("AXES", list(self.axes.values())), ("SHOWN", self.show)):
            script = script.replace(name, json.dumps(value).replace("</", "<\\/"), 1)
        return f'<div id="{place}">{sliders}<table>{rows}</table></div><script>{script}</script>'
