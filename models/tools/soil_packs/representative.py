"""Whether validation samples represent the whole map: not only the surroundings of training samples, nor one part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import shapely
from scipy.spatial import KDTree
from scipy.stats import ksone

from .resampling import figure

#: Cells that represent the map.
MAP_CELLS, FEWEST_CELLS = 1_000, 50
#: Median distances from the training: of the samples ÷ of the map's cells.
LEAST_RATIO = 0.67
#: Of the one-sided Kolmogorov–Smirnov test.
SIGNIFICANCE = 0.01
RANDOM_SETS = 99
SEED = 1
EARTH_RADIUS = 6_371_009.0


def cells_within(coverage: Mapping[str, Any], cells: Any) -> np.ndarray:
    """The cells in which the map is valid."""
    lon_lat = np.reshape(cells, (-1, 2)).astype(float)
    return lon_lat[shapely.contains_xy(shapely.geometry.shape(coverage), *lon_lat.T)]


def doubts_of_places(
    places: np.ndarray, groups: np.ndarray | None, training: np.ndarray | None, cells: np.ndarray
) -> Iterator[str]:
    """Warnings about samples whose figures do not hold for the whole map.

    :param places: lon and lat of the samples, `training` of those that trained the model, `cells` of the map's
    """
    count = len(np.unique(places, axis=0)) if groups is None else len(set(groups))
    samples, ground = _on_sphere(places), _on_sphere(cells)
    if training is not None:
        yield from _near_training(samples, _on_sphere(training), ground, count)
    yield from _in_a_corner(samples, cells, count)


def _near_training(
    samples: np.ndarray, training: np.ndarray, ground: np.ndarray, count: int
) -> Iterator[str]:
    """Compares distances to the training as Milà et al. (2022) do, but one-sided: samples farther from the training
    than the map, such as withheld blocks, make a map look worse than it is. Samples of a group are not independent,
    so the number of groups counts."""
    tree = KDTree(training)
    of_samples, of_cells = (np.sort(tree.query(some)[0]) for some in (samples, ground))
    median, of_map = float(np.median(of_samples)), float(np.median(of_cells))
    below = np.searchsorted(of_cells, of_samples, side="right") / len(of_cells)
    largest = float((np.arange(1, len(of_samples) + 1) / len(of_samples) - below).max())
    if median < LEAST_RATIO * of_map and ksone.sf(max(largest, 0), count) < SIGNIFICANCE:
        yield (
            f"the samples lie close to the training samples: half of them within {figure(median)} m of one, and"
            f" half of the map's cells within {figure(of_map)} m. They make the map look better than it is,"
            " especially if they were split from the training at random. Hold out whole blocks or fields"
        )


def _in_a_corner(samples: np.ndarray, cells: np.ndarray, count: int) -> Iterator[str]:
    """A test by simulation: samples that cover the map leave its cells no farther away than random places do."""
    rng = np.random.default_rng(SEED)
    ground = _on_sphere(cells)
    # The cells are spread evenly. A random place lies anywhere in the surroundings of one.
    apart = float(np.median(KDTree(ground).query(ground, k=2)[0][:, 1]))
    per_degree = np.radians(EARTH_RADIUS) * np.array([np.cos(np.radians(cells[:, 1].mean())), 1])

    def mean_distance(some: np.ndarray) -> float:
        return float(KDTree(some).query(ground)[0].mean())

    def random_places() -> np.ndarray:
        chosen = cells[rng.integers(0, len(cells), count)]
        return _on_sphere(chosen + apart * rng.uniform(-0.7, 0.7, chosen.shape) / per_degree)

    found = mean_distance(samples)
    most = max(mean_distance(random_places()) for _ in range(RANDOM_SETS))
    if found > most:
        yield (
            f"the samples cover only part of the map: its cells are {figure(found)} m from the nearest of them on"
            f" average, and at most {figure(most)} m from as many random places. Their figures say nothing"
            " about the rest. Take samples from the whole map, or narrow its coverage"
        )


def _on_sphere(lon_lat: np.ndarray) -> np.ndarray:
    """Chords between places within a region are their distances in metres."""
    lon, lat = np.radians(lon_lat).T
    return EARTH_RADIUS * np.column_stack(
        [np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)]
    )
