"""Draws figures of a validation as SVG, with colours that are readable on white and in print."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

INK = "#57606a"
FAINT = "#d0d7de"
BLUE = "#0969da"
FONT = "DejaVu Sans, Verdana, sans-serif"

LEFT, TOP, EDGE = 64, 34, 360
ROW = 22


def plot_observed_predicted(
    found: dict[str, Any], observed: np.ndarray, predicted: np.ndarray
) -> str:
    ticks = _nice_ticks(min(observed.min(), predicted.min()), max(observed.max(), predicted.max()))
    along = lambda value: (value - ticks[0]) / (ticks[-1] - ticks[0]) * EDGE
    right, bottom = LEFT + EDGE, TOP + EDGE
    grid = "\n".join(
        f'<path d="M{LEFT + along(tick):.1f} {TOP}v{EDGE}M{LEFT} {bottom - along(tick):.1f}h{EDGE}"'
        f' stroke="{FAINT}" />\n'
        f'<text x="{LEFT + along(tick):.1f}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>\n'
        f'<text x="{LEFT - 8}" y="{bottom - along(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>'
        for tick in ticks
    )
    points = "".join(
        f'<circle cx="{LEFT + along(x):.1f}" cy="{bottom - along(y):.1f}" r="2.2" />'
        for x, y in zip(predicted, observed)
    )
    unit, middle = escape(found["unit"]), LEFT + EDGE / 2
    return _svg(
        f"{found['model']}: R² {found['accuracy']['r2']['value']:.2f}, n {found['accuracy']['n']}",
        right + 24,
        bottom + 48,
        f'{grid}<path d="M{LEFT} {bottom}L{right} {TOP}" stroke="{INK}" />\n'
        f'<g fill="{BLUE}" fill-opacity="0.45">{points}</g>\n'
        f'<text x="{middle}" y="{bottom + 38}" text-anchor="middle">predicted ({unit})</text>\n'
        f'<text transform="translate(16 {TOP + EDGE / 2}) rotate(-90)" text-anchor="middle">'
        f"observed ({unit})</text>",
    )


def plot_coverage(found: dict[str, Any]) -> str | None:
    """Plots the share of samples inside the outermost interval for each part, with its 95 % interval, and the claimed share."""
    if not found["coverage"]:
        return None
    outermost = found["coverage"][0]
    parts = [("all", outermost["inside"])]
    parts += [(f"predicted {part['name']}", part["inside"]) for part in found["thirds"]]
    parts += [(part["name"], part["inside"]) for part in [*found["classes"], *found["groups"]]]
    left, height = 190, len(parts) * ROW
    x = lambda value: f"{left + value * EDGE:.1f}"
    ticks = "\n".join(
        f'<path d="M{x(value)} {TOP}v{height}" stroke="{FAINT}" />\n'
        f'<text x="{x(value)}" y="{TOP + height + 16}" text-anchor="middle">{value:g}</text>'
        for value in (0, 0.25, 0.5, 0.75, 1)
    )
    rows = "".join(
        f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{escape(_shorten(name))}</text>\n'
        f'<path d="M{x(inside["lower"])} {y}H{x(inside["upper"])}" stroke="{BLUE}" stroke-width="2" />\n'
        f'<circle cx="{x(inside["value"])}" cy="{y}" r="4" fill="{BLUE}" />\n'
        f'<text x="{left + EDGE + 10}" y="{y + 4}">{inside["value"]:.2f} of {inside["n"]}</text>'
        for y, (name, inside) in zip(range(TOP + ROW // 2, TOP + height, ROW), parts)
    )
    claimed = outermost["claimed"]
    return _svg(
        f"{found['model']}: share inside {outermost['lower']} to {outermost['upper']}, claimed {claimed}",
        left + EDGE + 110,
        TOP + height + 28,
        f'{ticks}<path d="M{x(claimed)} {TOP}v{height}" stroke="{INK}" stroke-dasharray="4 3" />{rows}',
    )


def _svg(title: str, width: int, height: int, content: str) -> str:
    title = escape(title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" font-family="{FONT}" font-size="11" fill="{INK}">\n'
        f"<title>{title}</title>\n"
        f'<rect width="{width}" height="{height}" fill="#ffffff" />\n'
        f'<text x="{width / 2}" y="20" text-anchor="middle" font-size="13">{title}</text>\n'
        f"{content}\n</svg>\n"
    )


def _nice_ticks(least: float, most: float) -> np.ndarray:
    span = (most - least) or 1
    power = 10.0 ** np.floor(np.log10(span / 5))
    step = power * next((factor for factor in (1, 2, 5) if span / (power * factor) <= 6), 10)
    return step * np.arange(np.floor(least / step), np.ceil(most / step) + 1)


def _shorten(name: str) -> str:
    return f"{name[:27]}…" if len(name) > 28 else name
