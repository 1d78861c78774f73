# SPDX-License-Identifier: Apache-2.0
"""Draws charts of a run as self-contained SVG, for notebooks: without scripts, a server or anything from outside. The steps in a column of
pixels are drawn as their least and largest value, so that no spike is lost and a long run's chart is as small as a short one's."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Any, Iterable, List, Sequence, Tuple

from .store import Run, StoreError

if TYPE_CHECKING:
    from .store import Series

# The series that are charted if none are named and the run has them.
COMMON = ("loss", "validation_loss", "accuracy", "gain", "noise_scale", "goodput", "throughput", "batch_size", "replicas", "lr")

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 340, 150, 52, 20, 16
_COLUMNS = (_WIDTH - _LEFT) // 2  # which are told apart
_COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf", "#bcbd22", "#e377c2", "#7f7f7f")


def of(run: Run, names: Iterable[str] = ()) -> str:
    """Returns HTML that shows a run: a line about it, and a chart for each of these series, by default the common ones. Throws
    StoreError for a series that the run does not have, unless it has none at all yet."""
    wanted = list(names)
    try:
        there = run.series_names
    except StoreError as error:
        if error.kind != "not_found":
            raise
        there = []
    shown = wanted if wanted and there else [name for name in COMMON if name in there]
    charts = "".join(_chart(name, run.series(name), _COLOURS[index % len(_COLOURS)]) for index, name in enumerate(shown))
    return (f'<div style="font-family:sans-serif"><div style="margin:4px 0"><b>{html.escape(run.name)}</b> '
            f"{html.escape(_line(run))}</div>{charts or 'Nothing is recorded yet.'}</div>")


def _line(run: Run) -> str:
    replicas = f"{run.replicas} replica{'' if run.replicas == 1 else 's'}"
    parts = [run.id, run.state, f"step {run.step}", *([f"epoch {run.epoch} of {run.epochs}"] if run.epochs else []),
             *([replicas] if run.replicas else []),
             *([f"{run.restarts} restart{'' if run.restarts == 1 else 's'}"] if run.restarts else [])]
    return " · ".join(parts) + (f": {run.message}" if run.message else "")


def _chart(name: str, series: Series, colour: str) -> str:
    import numpy as np
    steps, values = series.steps, series.values
    finite = values[np.isfinite(values)]
    least, most = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    if least == most:
        least, most = least - (abs(least) or 1) / 2, most + (abs(most) or 1) / 2
    first, last = (int(steps.min()), int(steps.max())) if len(steps) else (0, 1)

    def x(step: float) -> float:
        return _LEFT + (step - first) / max(last - first, 1) * (_WIDTH - _LEFT - 4)

    def y(value: float) -> float:
        return _TOP + (most - value) / (most - least) * (_HEIGHT - _TOP - _BOTTOM)

    lines: List[str] = []
    for generation in np.unique(series.generations):
        own = series.generations == generation
        lines += [f'<polyline fill="none" stroke="{colour}" stroke-width="1.3" points="{points}"/>'
                  for points in _polylines(steps[own], values[own], x, y)]
        if generation:
            at = x(int(steps[own][0]))
            lines.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}" stroke="currentColor" stroke-opacity=".4" '
                         'stroke-dasharray="3 3"><title>restart</title></line>')
    newest = f"{values[-1]:.5g}" if len(values) else ""
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
            f'font-family="sans-serif" font-size="11" fill="currentColor"><title>{html.escape(name)}</title>'
            f'<text x="{_LEFT}" y="13" font-weight="bold">{html.escape(name)}</text>'
            f'<text x="{_WIDTH - 4}" y="13" text-anchor="end">{newest}</text>'
            f'<rect x="{_LEFT}" y="{_TOP}" width="{_WIDTH - _LEFT - 4}" height="{_HEIGHT - _TOP - _BOTTOM}" fill="none" stroke="currentColor" '
            'stroke-opacity=".25"/>'
            f'<text x="{_LEFT - 4}" y="{_TOP + 8}" text-anchor="end">{_number(most)}</text>'
            f'<text x="{_LEFT - 4}" y="{_HEIGHT - _BOTTOM}" text-anchor="end">{_number(least)}</text>'
            f'<text x="{_LEFT}" y="{_HEIGHT - 4}">{first:,}</text>'
            f'<text x="{_WIDTH - 4}" y="{_HEIGHT - 4}" text-anchor="end">step {last:,}</text>{"".join(lines)}</svg>')


def _number(value: float) -> str:
    """Returns a number that fits beside a chart."""
    text = f"{value:,.0f}" if 1000 <= abs(value) < 999_999 else f"{value:.3g}"
    return text if len(text) <= 7 else f"{value:.0e}"


def _polylines(steps: Any, values: Any, x: Any, y: Any) -> List[str]:
    """Returns the points of one generation, split at values that are not finite."""
    pieces: List[List[Tuple[float, float]]] = [[]]
    for step, value in _columns(steps, values):
        if math.isfinite(value):
            pieces[-1].append((x(step), y(value)))
        elif pieces[-1]:
            pieces.append([])
    return [" ".join(f"{at:.1f},{height:.1f}" for at, height in (piece * 2 if len(piece) == 1 else piece)) for piece in pieces if piece]


def _columns(steps: Any, values: Any) -> Sequence[Tuple[float, float]]:
    """Returns the samples; if there are many, the least and the largest of each column."""
    import numpy as np
    if len(steps) <= 2 * _COLUMNS:
        return list(zip(steps.tolist(), values.tolist()))
    points: List[Tuple[float, float]] = []
    for part in np.array_split(np.arange(len(steps)), _COLUMNS):
        finite = part[np.isfinite(values[part])]
        if not len(finite):
            points.append((float(steps[part[0]]), math.nan))
            continue
        ends = sorted({int(finite[values[finite].argmin()]), int(finite[values[finite].argmax()])})
        points += [(float(steps[end]), float(values[end])) for end in ends]
    return points
