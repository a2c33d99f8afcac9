"""Checks whether jobs read the values that trained the model at the same places.

Recoded classes, swapped covariates, a raster of another year, a shift by a cell, or a scaler that was used only in
training gives a map that looks right but is less accurate than a validation with the training values shows.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from os import PathLike

import numpy as np
from scipy.spatial import KDTree

from .remarks import Remarks
from .resampling import format_figure
from .samples import last_decimal
from .service import CellsAround, read_cells_around

#: The share of values that must be equal. The others may differ at cell edges, or because single samples were corrected.
LEAST_EQUAL = 0.99
#: With a lower efficiency (1 − Σ(a − b)² ÷ Σ(a − ā)²; for classes the share of equal values), another grid does not
#: explain the differences.
LEAST_EFFICIENCY = 0.9
#: Another cell or covariate counts as a better fit only if it leaves less than this share of the squared differences
#: (for classes, of the differing values), because one of two bad fits is always slightly better.
OF_SQUARES = 0.5
#: The tolerated difference between two values, ÷ the standard deviation of the covariate's training values.
OF_SD = 1e-4
#: The least uncertainty of positions, a millionth of a degree (0.1 m): programs may project a place on an edge to different cells.
LEAST_ROUNDING = 1e-6
#: The rows are taken to be in the sampled table's order if at least one covariate correlates this strongly with its
#: column there.
LEAST_CORRELATION = 0.9

#: The share of places in which another cell or covariate must have a value to be compared.
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
NOT_CHECKED = "not checked: whether the pack's rasters have the training values"


def estimate_rounding(positions: np.ndarray) -> tuple[float, float]:
    """Estimates by how many degrees longitudes and latitudes may be off because they are rounded."""
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
    """Compares the training data with the pack's rasters, as jobs read them.

    :param positions: lon and lat (WGS 84) of each row of `x`
    :param x: the values that trained the model: rows x covariates
    :param rounding: by how many degrees the positions may be off, if their decimals do not show it
    """
    around, steps = read_cells_around(
        folder,
        positions=positions,
        rounding=estimate_rounding(positions)
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
    """Compares like `compare_training`, but with cells that were already read.

    :param around: the cells around each position, with the covariates `names`
    :param steps: the smallest difference between two values of each covariate
    """
    found = Remarks()
    kept = [at for at, cells in enumerate(around) if cells is not None]
    if len(kept) < len(x):
        found.figures.append(
            f"{NOT_CHECKED} in {len(x) - len(kept)} of {len(x)} rows: the position is outside the grid or"
            " has too few decimals"
        )
    if not kept:
        return found
    cells = [one for one in around if one is not None]
    x, positions = x[kept], positions[kept]
    for at, name in enumerate(names):
        tolerance = _tolerance(x[:, at], steps[at], name in classes)
        pack_values = _nearest_values(x[:, at], cells, at)
        apart = ~(np.abs(pack_values - x[:, at]) <= tolerance)
        if apart.mean() <= 1 - LEAST_EQUAL:
            continue
        one = int(np.flatnonzero(apart)[0])
        lon, lat = positions[one]
        had = "no value" if np.isnan(pack_values[one]) else format_figure(pack_values[one], 7)
        text = (
            f"{name}: the training values differ from the pack's in {apart.sum()} of {len(apart)} places,"
            f" such as {format_figure(x[one, at], 7)} near {lat:.6f} N, {lon:.6f} E, where the pack has {had}"
        )
        wrong, efficiency = _find_reason(
            x[:, at], pack_values, apart, cells, at, names, name in classes
        )
        if wrong is None and efficiency >= LEAST_EFFICIENCY:
            found.warnings.append(
                f"{text}. They are similar (Nash–Sutcliffe efficiency {efficiency:.3f}), as if from another"
                " grid: validate with samples that were not used in training, or preferably train on the pack's own values"
            )
        else:
            share = "share of equal values" if name in classes else "Nash–Sutcliffe efficiency"
            reason = wrong or f"they are not similar ({share} {efficiency:.3f})"
            found.refusals.append(f"{text}: {reason}. {ADVICE}")
    if not found.warnings and not found.refusals:
        found.figures.append(
            f"the pack's rasters have at least {100 * LEAST_EQUAL:g} % of each covariate's training values, compared in"
            f" {len(kept)} of {len(around)} places"
        )
    return found


def are_rows_of(x: np.ndarray, sampled: np.ndarray, classes: Sequence[bool]) -> bool:
    """Whether the rows are from a table that the service sampled, in any order."""
    rows = sampled[np.isfinite(sampled).all(axis=1)]
    if len(rows) == 0:
        return False
    tolerance = np.array(
        [np.max(_tolerance(values, 0, is_class)) for values, is_class in zip(x.T, classes)]
    )
    apart, _ = KDTree(rows / tolerance).query(x / tolerance, p=np.inf)
    return bool((apart <= 1).mean() >= LEAST_EQUAL)


def have_same_order(x: np.ndarray, sampled: np.ndarray) -> bool:
    """Whether the rows are in the order of the sampled table: at least one covariate, even if scaled, correlates with its
    column there."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found = [np.corrcoef(a, b)[0, 1] for a, b in zip(x.T, sampled.T)]
    return bool(np.nanmax(np.abs(found), initial=0) >= LEAST_CORRELATION)


def _tolerance(values: np.ndarray, step: float, is_class: bool) -> np.ndarray:
    if is_class:
        return np.full(len(values), 1e-6)
    # Models read float32, whose shortest decimals equal those in the table.
    decimal = last_decimal(values.astype(np.float32))
    least = max(OF_SD * values.std(), decimal / 2, step / 2)
    # Slightly more than half of the last decimal, to allow for floating-point errors.
    return np.maximum(least * (1 + 1e-6), 2 * np.spacing(np.abs(values).astype(np.float32)))


def _nearest_values(
    values: np.ndarray, cells: Sequence[CellsAround], index: int, shift: tuple[int, int] = (0, 0)
) -> np.ndarray:
    """Returns for each place the value closest to the training value in the cells in which the place may lie; NaN without a
    value."""
    found = np.full(len(values), np.nan)
    for i, (value, one) in enumerate(zip(values, cells)):
        possible = one.possible_values(index, shift)
        apart = np.abs(possible - value)
        if not np.isnan(apart).all():
            found[i] = possible[np.nanargmin(apart)]
    return found


def _find_reason(
    values: np.ndarray,
    pack_values: np.ndarray,
    apart: np.ndarray,
    cells: Sequence[CellsAround],
    index: int,
    names: Sequence[str],
    is_class: bool,
) -> tuple[str | None, float]:
    """Returns a reason for the differences, if another cell or covariate fits better, and the efficiency of the pack's
    values (at most 1; for classes, the share of equal values)."""

    def misfit(other: np.ndarray, where: np.ndarray) -> float:
        if is_class:
            return float((other != values)[where].sum())
        return float(((other - values)[where] ** 2).sum())

    def fits_better(other: np.ndarray) -> bool:
        where = ~np.isnan(pack_values) & ~np.isnan(other)
        return where.mean() > LEAST_COMPARED and misfit(other, where) < OF_SQUARES * misfit(
            pack_values, where
        )

    known = ~np.isnan(pack_values)
    spread = ((values - values.mean()) ** 2)[known].sum()
    if is_class:
        efficiency = 1 - float(apart.mean())
    else:
        efficiency = 1 - misfit(pack_values, known) / spread if spread > 0 else -np.inf
    others = [other for other in range(len(names)) if other != index]
    for other in others:
        if fits_better(_nearest_values(values, cells, other)):
            return f"they are closer to the pack's values of {names[other]}", efficiency
    of_neighbours = {
        way: shifted
        for shift, way in NEIGHBOURS.items()
        if fits_better(shifted := _nearest_values(values, cells, index, shift))
    }
    if of_neighbours:
        # Misfits are comparable only where all these neighbours have a value.
        shared = known & ~np.isnan([*of_neighbours.values()]).any(axis=0)
        best = min(of_neighbours, key=lambda way: misfit(of_neighbours[way], shared))
        return (
            f"the next cell to the {best} fits better: the raster or the training data are shifted",
            efficiency,
        )
    return None, efficiency
