"""A map of fields as SVG, coloured by their values, with names where they have room."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..command.texts import unit_text
from .html import Html, html, joined, shortened

_INK, _FAINT, _PAPER = "#2b2622", "#786e64", "#fbf9f5"
_NO_VALUE = "#d9d4cc"
# YlOrBr in nine classes, from ColorBrewer 2.0 (https://colorbrewer2.org) by Cynthia A. Brewer, Apache-2.0.
_RAMP = (
    (255, 255, 229),
    (255, 247, 188),
    (254, 227, 145),
    (254, 196, 79),
    (254, 153, 41),
    (236, 112, 20),
    (204, 76, 2),
    (153, 52, 4),
    (102, 37, 6),
)
_WIDTH, _MARGIN, _FOOTER, _LEGEND = 720, 16, 108, 260
_TALLEST = 1.2
_METRES_PER_DEGREE = 111_320
# A single small field is not enlarged beyond this.
_LEAST_METRES = 50.0
_NAME_CHARACTERS, _LABEL_CHARACTERS, _LABEL_SIZE = 80, 24, 11
_MOST_TICKS = 7

Bounds = tuple[float, float, float, float]


@dataclass(frozen=True)
class MappedField:
    name: str
    #: GeoJSON in degrees of WGS 84.
    polygon: Any
    #: None for a field without a result.
    value: float | None


def fields_map(fields: Sequence[MappedField], unit: str, title: str) -> Html:
    """Fields without a value that lie far from the others are counted, not drawn."""
    values = [one.value for one in fields if one.value is not None]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    scale = (low, high if high > low else low + 1)
    shown, far = _near([_Drawn(one) for one in fields])
    frame = _Frame(_around(one.bounds for one in shown), _WIDTH - 2 * _MARGIN)
    height = math.ceil(frame.height + _MARGIN + _FOOTER)
    # Fields without a value, which may be broken polygons, cover no other.
    behind = sorted(shown, key=lambda one: one.field.value is not None)
    legend = _legend(_WIDTH - _MARGIN - _LEGEND, height - 60, scale, unit) if values else None
    bar = _scale_bar(height - 40, frame.metres_per_pixel)
    return html(
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}"'
        ' viewBox="0 0 {width} {height}" font-family="system-ui, sans-serif">\n'
        '<title>{title}</title>\n<rect width="100%" height="100%" fill="{paper}"/>\n'
        '<g stroke="{ink}" stroke-width="0.6" stroke-linejoin="round" fill-rule="evenodd">\n'
        "{paths}</g>\n{labels}\n{bar}\n{key}\n{legend}\n</svg>\n",
        width=_WIDTH,
        height=height,
        title=shortened(title, _NAME_CHARACTERS),
        paper=_PAPER,
        ink=_INK,
        paths=[_path(one, frame, scale, unit) for one in behind],
        labels=_labels(shown, frame),
        bar=bar,
        key=_no_value_key(height - 84, shown, far),
        legend=legend,
    )


class _Drawn:
    def __init__(self, field: MappedField) -> None:
        self.field = field
        self.rings = _rings(field.polygon)
        places = [place for ring in self.rings for place in ring]
        self.bounds: Bounds | None = None
        if places:
            longitudes, latitudes = zip(*places)
            self.bounds = (min(longitudes), min(latitudes), max(longitudes), max(latitudes))


def _rings(polygon: Any) -> list[list[tuple[float, float]]]:
    """What is no position is left out: the service has checked the polygon, not this map."""
    coordinates = polygon.get("coordinates") if isinstance(polygon, dict) else None
    polygons = coordinates if polygon.get("type") == "MultiPolygon" else [coordinates]
    return [
        [(place[0], place[1]) for place in _listed(ring) if _is_place(place)]
        for one in _listed(polygons)
        for ring in _listed(one)
    ]


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else []


def _is_place(value: Any) -> bool:
    numbers = [isinstance(one, (int, float)) for one in _listed(value)[:2]]
    return numbers == [True, True]


def _around(all_bounds: Iterable[Bounds | None]) -> Bounds | None:
    known = [one for one in all_bounds if one is not None]
    if not known:
        return None
    west, south, east, north = zip(*known)
    return min(west), min(south), max(east), max(north)


def _near(fields: list[_Drawn]) -> tuple[list[_Drawn], int]:
    """A far field that failed, often for its place, would shrink all others."""
    frame = _around(one.bounds for one in fields if one.field.value is not None)
    if frame is None:
        return fields, 0
    west, south, east, north = frame
    reach = max(east - west, north - south) / 2

    def is_near(bounds: Bounds | None) -> bool:
        return (
            bounds is not None
            and bounds[0] > west - reach
            and bounds[2] < east + reach
            and bounds[1] > south - reach
            and bounds[3] < north + reach
        )

    drawn = [one for one in fields if one.field.value is not None or is_near(one.bounds)]
    return drawn, len(fields) - len(drawn)


class _Frame:
    """Degrees to pixels from the upper left, with the true shape at the middle latitude."""

    def __init__(self, bounds: Bounds | None, width: float) -> None:
        west, south, east, north = bounds or (0.0, 0.0, 0.0, 0.0)
        self._lon, self._lat = (west + east) / 2, (south + north) / 2
        self._across = _METRES_PER_DEGREE * math.cos(math.radians(self._lat))
        wide = max((east - west) * self._across, _LEAST_METRES)
        tall = max((north - south) * _METRES_PER_DEGREE, _LEAST_METRES)
        self.metres_per_pixel = max(wide / width, tall / (width * _TALLEST))
        inner = max(tall / self.metres_per_pixel, width / 4)
        self._x, self._y = _MARGIN + width / 2, _MARGIN + inner / 2
        self.height = inner + _MARGIN

    def place(self, lon: float, lat: float) -> tuple[float, float]:
        x = self._x + (lon - self._lon) * self._across / self.metres_per_pixel
        y = self._y - (lat - self._lat) * _METRES_PER_DEGREE / self.metres_per_pixel
        return round(x, 1), round(y, 1)


def _path(one: _Drawn, frame: _Frame, scale: tuple[float, float], unit: str) -> Html:
    value = one.field.value
    rings = [
        " L".join("{} {}".format(*frame.place(*place)) for place in ring) for ring in one.rings
    ]
    label = "no result" if value is None else f"{value:g} {unit_text(unit)}"
    colour = _NO_VALUE if value is None else _colour((value - scale[0]) / (scale[1] - scale[0]))
    dashed = Html(f' stroke="{_FAINT}" stroke-dasharray="3 2"') if value is None else None
    return html(
        '<path d="{path}" fill="{colour}"{dashed}><title>{name}: {label}</title></path>\n',
        path="".join(f"M{ring}Z" for ring in rings if ring),
        colour=colour,
        dashed=dashed,
        name=shortened(one.field.name, _NAME_CHARACTERS),
        label=label,
    )


def _colour(fraction: float) -> str:
    place = min(max(fraction, 0.0), 1.0) * (len(_RAMP) - 1)
    below = min(int(place), len(_RAMP) - 2)
    mixed = [a + (b - a) * (place - below) for a, b in zip(_RAMP[below], _RAMP[below + 1])]
    return "#" + "".join(f"{round(one):02x}" for one in mixed)


def _labels(fields: Sequence[_Drawn], frame: _Frame) -> Html:
    """Names in the middle of their fields, the largest first; one that would cover another is left out."""
    placed: list[tuple[float, float, float]] = []
    labels = []

    def size(one: _Drawn) -> float:
        west, south, east, north = one.bounds or (0.0, 0.0, 0.0, 0.0)
        return (east - west) * (north - south)

    for one in sorted(fields, key=size, reverse=True):
        if one.bounds is None:
            continue
        west, south, east, north = one.bounds
        x, middle = frame.place((west + east) / 2, (south + north) / 2)
        y = middle + _LABEL_SIZE / 3
        label = shortened(one.field.name, _LABEL_CHARACTERS)
        half = len(label) * _LABEL_SIZE / 3.4
        if any(abs(a - x) < h + half and abs(b - y) < _LABEL_SIZE + 2 for a, b, h in placed):
            continue
        placed.append((x, y, half))
        text = _text(x, y, label, _LABEL_SIZE, anchor="middle")
        group = '<g paint-order="stroke" stroke="{paper}" stroke-width="3">{text}</g>\n'
        labels.append(html(group, paper=_PAPER, text=text))
    return joined(labels)


def _no_value_key(y: float, drawn: Sequence[_Drawn], far: int) -> Html | None:
    if far == 0 and all(one.field.value is not None for one in drawn):
        return None
    note = f"no result; {far} more outside this map" if far else "no result"
    return html(
        '<rect x="{x}" y="{y}" width="24" height="14" fill="{fill}" stroke="{faint}" stroke-width="0.6"'
        ' stroke-dasharray="3 2"/>\n{text}',
        x=_MARGIN,
        y=y,
        fill=_NO_VALUE,
        faint=_FAINT,
        text=_text(_MARGIN + 32, y + 11, note, 12),
    )


def _legend(x: float, y: float, scale: tuple[float, float], unit: str) -> Html:
    low, high = scale
    stops = [
        html('<stop offset="{at}" stop-color="{colour}"/>', at=at / 8, colour=_colour(at / 8))
        for at in range(9)
    ]
    ticks = [
        _text(x + (tick - low) / (high - low) * _LEGEND, y + 32, f"{tick:g}", 12, anchor="middle")
        for tick in _round_ticks(low, high)
    ]
    return html(
        '<defs><linearGradient id="scale">{stops}</linearGradient></defs>\n'
        '<rect x="{x}" y="{y}" width="{width}" height="14" fill="url(#scale)"/>\n{ticks}{unit}',
        stops=stops,
        x=x,
        y=y,
        width=_LEGEND,
        ticks=ticks,
        unit=_text(x + _LEGEND / 2, y + 50, unit_text(unit), 12, _FAINT, "middle"),
    )


def _round_ticks(low: float, high: float) -> list[float]:
    """The values within the range that are multiples of the narrowest step (1, 2 or 5 × 10ⁿ) with few ticks."""
    power = 10.0 ** math.floor(math.log10((high - low) / _MOST_TICKS))
    steps = [factor * power for factor in (1, 2, 5, 10)]
    fits = (one for one in steps if math.floor(high / one) - math.ceil(low / one) < _MOST_TICKS)
    step = next(fits, high - low)
    return [at * step for at in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _scale_bar(y: float, metres_per_pixel: float) -> Html:
    """Of a round length (1, 2 or 5 × 10ⁿ metres)."""
    longest = (_WIDTH - _LEGEND - 4 * _MARGIN) * metres_per_pixel
    power = 10.0 ** math.floor(math.log10(longest))
    metres = next((one * power for one in (5, 2, 1) if one * power <= longest), power)
    text = f"{metres / 1000:g} km" if metres >= 1000 else f"{metres:g} m"
    return html(
        '<path d="M{x} {top}v6h{pixels}v-6" fill="none" stroke="{ink}" stroke-width="1.5"/>\n{text}',
        x=_MARGIN,
        top=y - 6,
        pixels=round(metres / metres_per_pixel, 1),
        ink=_INK,
        text=_text(_MARGIN, y + 18, text, 12),
    )


def _text(
    x: float, y: float, content: str, size: int, fill: str = _INK, anchor: str = "start"
) -> Html:
    return html(
        '<text x="{x}" y="{y}" font-size="{size}" fill="{fill}" text-anchor="{anchor}">{content}</text>',
        x=round(x, 1),
        y=round(y, 1),
        size=size,
        fill=fill,
        anchor=anchor,
        content=content,
    )
