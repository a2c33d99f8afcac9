"""Whether a job reads the values that trained a model at the same places.

Recoded classes, swapped covariates, a raster of another year, one shifted by a cell or a scaler that was used
only in training give a map that looks right, but is worse than its validation with other values shows.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from os import PathLike

import numpy as np
from scipy.spatial import KDTree

from .remarks import Remarks
from .resampling import figure
from .samples import last_decimal
from .service import CellsAround, read_cells_around

#: The other values may differ, at edges of cells or by corrections of single samples.
LEAST_EQUAL = 0.99
#: Below it, another grid does not explain the differences.
LEAST_EFFICIENCY = 0.9
#: Another cell or covariate fits better if it leaves less than this share of the squared differences: of two bad fits,
#: one is always slightly better.
OF_SQUARES = 0.5
#: Differences of values, ÷ standard deviation.
OF_SD = 1e-4
#: A millionth of a degree, 0.1 m: two programs project a place on an edge to different cells.
LEAST_ROUNDING = 1e-6
#: Rows are recognised as those of a sampled table if they correlate with it in one covariate.
LEAST_CORRELATION = 0.9

#: The share of places in which another cell or covariate must have a value.
LEAST_COMPARED = 0.9

NEIGHBOURS = {
    (0, -1): "west",
    (0, 1): "east",
    (-1, 0): "north",
    (1, 0): "south",
    (-1, -1): "north-west",
    (-1, 1): "north-east",
    (1, -1): "south-west",
    (1, 1): "south-east",
}
ADVICE = (
    "Train on the values of the pack's rasters (pack.sample, or npm run pack-sample), or correct the raster, its scale"
    " or the order of the covariates"
)
NOT_CHECKED = "not checked: whether the pack's rasters have the training's values"


def rounding_of(positions: np.ndarray) -> tuple[float, float]:
    """By how many degrees a position's longitude and latitude may be off because they are rounded."""
    lon, lat = (max(last_decimal(degrees) / 2, LEAST_ROUNDING) for degrees in positions.T)
    return lon, lat


def compare_training(
    folder: str | PathLike[str],
    positions: np.ndarray,
    x: np.ndarray,
    *,
    names: Sequence[str],
    classes: Collection[str],
    rounding: tuple[float, float] | None = None,
    year: int | None = None,
) -> Remarks:
    """Compares the training with the pack's rasters, read as a job reads them.

    :param positions: lon and lat (WGS 84) of each row of `x`
    :param x: the values that trained the model: rows x covariates
    :param rounding: of the positions, if their digits do not show it
    """
    around, steps = read_cells_around(
        folder,
        positions=positions,
        rounding=rounding_of(positions)
        if rounding is None
        else np.maximum(rounding, LEAST_ROUNDING),
        year=year,
    )
    return check_training(around, steps, positions, x, names=names, classes=classes)


def check_training(
    around: Sequence[CellsAround | None],
    steps: Sequence[float],
    positions: np.ndarray,
    x: np.ndarray,
    *,
    names: Sequence[str],
    classes: Collection[str],
) -> Remarks:
    """As `compare_training`, with the cells that the service read.

    :param around: the cells of each position, with the covariates `names`
    :param steps: the smallest difference between two values of each covariate
    """
    found = Remarks()
    kept = [at for at, cells in enumerate(around) if cells is not None]
    if len(kept) < len(x):
        found.figures.append(
            f"{NOT_CHECKED} in {len(x) - len(kept)} of {len(x)} rows: they lie outside the grid, or their"
            " coordinates have too few decimals"
        )
    if not kept:
        return found
    cells = [one for one in around if one is not None]
    x, positions = x[kept], positions[kept]
    for at, name in enumerate(names):
        tolerance = _tolerance(x[:, at], steps[at], name in classes)
        own = _nearest(x[:, at], cells, at)
        apart = ~(np.abs(own - x[:, at]) <= tolerance)
        if apart.mean() <= 1 - LEAST_EQUAL:
            continue
        one = int(np.flatnonzero(apart)[0])
        lon, lat = positions[one]
        had = "no value" if np.isnan(own[one]) else figure(own[one], 7)
        text = (
            f"{name}: the training values differ from the pack's in {apart.sum()} of {len(apart)} places,"
            f" such as {figure(x[one, at], 7)} near {lat:.6f} N, {lon:.6f} E, where the pack has {had}"
        )
        wrong, efficiency = _find_reason(x[:, at], own, apart, cells, at, names, name in classes)
        if wrong is None and efficiency >= LEAST_EFFICIENCY:
            found.warnings.append(
                f"{text}. They are alike (1 − Σ(a − b)² ÷ Σ(a − ā)² = {efficiency:.3f}), as from another"
                " grid: validate with samples that were not used in training, or better train on the pack's own values"
            )
        else:
            share = "equal" if name in classes else "1 − Σ(a − b)² ÷ Σ(a − ā)²"
            reason = wrong or f"they are not alike ({share}: {efficiency:.3f})"
            found.refusals.append(f"{text}: {reason}. {ADVICE}")
    if not found.warnings and not found.refusals:
        found.figures.append(
            f"the pack's rasters have the training's values in {len(kept)} of {len(kept)} places"
        )
    return found


def are_rows_of(x: np.ndarray, sampled: np.ndarray, classes: Sequence[bool]) -> bool:
    """Whether the rows are those of a table that the service read, in any order."""
    rows = sampled[np.isfinite(sampled).all(axis=1)]
    if len(rows) == 0:
        return False
    tolerance = np.array(
        [np.max(_tolerance(values, 0, is_class)) for values, is_class in zip(x.T, classes)]
    )
    apart, _ = KDTree(rows / tolerance).query(x / tolerance, p=np.inf)
    return bool((apart <= 1).mean() >= LEAST_EQUAL)


def are_alike(x: np.ndarray, sampled: np.ndarray) -> bool:
    """Whether the rows are in the same order, although values may be scaled: one covariate correlates."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found = [np.corrcoef(a, b)[0, 1] for a, b in zip(x.T, sampled.T)]
    return bool(np.nanmax(np.abs(found), initial=0) >= LEAST_CORRELATION)


def _tolerance(values: np.ndarray, step: float, is_class: bool) -> np.ndarray:
    if is_class:
        return np.full(len(values), 1e-6)
    # Models read float32, whose shortest decimals are those of the table.
    decimal = last_decimal(values.astype(np.float32))
    least = max(OF_SD * values.std(), decimal / 2, step / 2)
    # A little more, so that a half of the last decimal is within it in floating point.
    return np.maximum(least * (1 + 1e-6), 2 * np.spacing(np.abs(values).astype(np.float32)))


def _nearest(
    values: np.ndarray, cells: Sequence[CellsAround], at: int, shift: tuple[int, int] = (0, 0)
) -> np.ndarray:
    """Of the cells in which each place may lie, the value nearest to the training's; NaN without one."""
    found = np.full(len(values), np.nan)
    for i, (value, one) in enumerate(zip(values, cells)):
        possible = one.possible(at, shift)
        apart = np.abs(possible - value)
        if not np.isnan(apart).all():
            found[i] = possible[np.nanargmin(apart)]
    return found


def _find_reason(
    values: np.ndarray,
    own: np.ndarray,
    apart: np.ndarray,
    cells: Sequence[CellsAround],
    at: int,
    names: Sequence[str],
    is_class: bool,
) -> tuple[str | None, float]:
    """Which other cell or covariate fits better, and how well the pack's values fit: at most 1."""

    def misfit(other: np.ndarray, where: np.ndarray) -> float:
        if is_class:
            return float((other != values)[where].sum())
        return float(((other - values)[where] ** 2).sum())

    def fits_better(other: np.ndarray) -> bool:
        where = ~np.isnan(own) & ~np.isnan(other)
        return where.mean() > LEAST_COMPARED and misfit(other, where) < OF_SQUARES * misfit(
            own, where
        )

    known = ~np.isnan(own)
    spread = ((values - values.mean()) ** 2)[known].sum()
    if is_class:
        efficiency = 1 - float(apart.mean())
    else:
        efficiency = 1 - misfit(own, known) / spread if spread > 0 else -np.inf
    others = [other for other in range(len(names)) if other != at]
    for other in others:
        if fits_better(_nearest(values, cells, other)):
            return f"they are closer to those of {names[other]}", efficiency
    of_neighbours = {
        way: shifted
        for shift, way in NEIGHBOURS.items()
        if fits_better(shifted := _nearest(values, cells, at, shift))
    }
    if of_neighbours:
        # Misfits of all are comparable where all have a value.
        best = min(of_neighbours, key=lambda way: misfit(of_neighbours[way], known))
        return f"the next cell to the {best} fits better: raster or training is shifted", efficiency
    return None, efficiency
