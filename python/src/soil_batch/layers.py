"""Sums the stocks of adjoining layers: 0–20 cm and 20–50 cm make 0–50 cm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .schemas.jobs import Stock


@dataclass(frozen=True)
class Layer:
    model: str
    #: Top and bottom of the layer.
    depth_cm: tuple[float, ...]
    level: float | None
    predicted_area_ha: float
    stock: Stock


@dataclass(frozen=True)
class JoinedStock:
    """The summed stock of layers without a gap between them.

    Its bounds are sums, as if the layers' errors were fully correlated: with any other correlation, the interval is no
    wider.
    """

    #: The models of the layers, from the top.
    models: tuple[str, ...]
    depth_cm: tuple[float, float]
    level: float | None
    predicted_area_ha: float
    stock: Stock
    stock_per_ha: float | None


def join_layers(layers: Sequence[Layer]) -> list[JoinedStock]:
    """Sums the stocks of adjoining layers with the same level, unit, substance and predicted area.

    No layers are joined at a depth where two of them begin or two end, because the choice is ambiguous.
    """
    below = {one: [other for other in layers if _are_adjoining(one, other)] for one in layers}
    above = {one: [other for other in layers if _are_adjoining(other, one)] for one in layers}
    found = []
    for top in layers:
        chain = [top]
        while len(below[chain[-1]]) == 1 and len(above[below[chain[-1]][0]]) == 1:
            chain.append(below[chain[-1]][0])
        is_top = len(above[top]) != 1 or len(below[above[top][0]]) != 1
        if is_top and len(chain) > 1:
            found.append(_sum_chain(chain))
    return found


def _are_adjoining(upper: Layer, lower: Layer) -> bool:
    one, other = upper.stock, lower.stock
    same = (upper.level, one.unit, one.substance) == (lower.level, other.unit, other.substance)
    area = math.isclose(upper.predicted_area_ha, lower.predicted_area_ha, rel_tol=1e-6)
    return same and area and upper.depth_cm[-1] == lower.depth_cm[0] < lower.depth_cm[-1]


def _sum_chain(chain: Sequence[Layer]) -> JoinedStock:
    first, stocks = chain[0], [one.stock for one in chain]
    value = _sum([one.value for one in stocks])
    return JoinedStock(
        models=tuple(one.model for one in chain),
        depth_cm=(first.depth_cm[0], chain[-1].depth_cm[-1]),
        level=first.level,
        predicted_area_ha=first.predicted_area_ha,
        stock=Stock(
            value,
            _sum_if_all([one.lower for one in stocks]),
            _sum_if_all([one.upper for one in stocks]),
            first.stock.unit,
            first.stock.substance,
        ),
        stock_per_ha=float(f"{value / first.predicted_area_ha:.6g}")
        if first.predicted_area_ha > 0
        else None,
    )


def _sum_if_all(values: Sequence[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return _sum(known) if len(known) == len(values) else None


def _sum(values: Sequence[float]) -> float:
    # Rounding removes floating-point noise: the service's stocks have six significant digits.
    return float(f"{math.fsum(values):.9g}")
