"""Checks whether validation samples represent the whole map, and not only a part or the surroundings of training samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import shapely
from scipy.spatial import KDTree
from scipy.stats import ksone

from .resampling import format_figure

#: The number of cells that represent the map. If fewer cells than the second number have data, samples are not compared.
MAP_CELLS, FEWEST_CELLS = 1_000, 50
#: The least tolerated ratio of median distances to the training samples: validation samples ÷ cells of the map.
LEAST_RATIO = 0.67
#: The significance level of the one-sided Kolmogorov–Smirnov test.
SIGNIFICANCE = 0.01
RANDOM_SETS = 99
SEED = 1
EARTH_RADIUS = 6_371_009.0


def cells_within(coverage: Mapping[str, Any], cells: Any) -> np.ndarray:
    lon_lat = np.reshape(cells, (-1, 2)).astype(float)
    return lon_lat[shapely.contains_xy(shapely.geometry.shape(coverage), *lon_lat.T)]


def doubts_of_places(
    places: np.ndarray, groups: np.ndarray | None, training: np.ndarray | None, cells: np.ndarray
) -> Iterator[str]:
    """Warns of samples whose figures do not apply to the whole map.

    :param places: lon and lat of the samples
    :param groups: the group of each sample, if any
    :param training: lon and lat of the training samples, if known
    :param cells: lon and lat of the map's cells
    """
    count = len(np.unique(places, axis=0)) if groups is None else len(set(groups))
    samples, ground = _on_sphere(places), _on_sphere(cells)
    if training is not None:
        yield from _warn_of_near_samples(samples, _on_sphere(training), ground, count)
    yield from _warn_of_clustered_samples(samples, cells, count)


def _warn_of_near_samples(
    samples: np.ndarray, training: np.ndarray, ground: np.ndarray, count: int
) -> Iterator[str]:
    """Compares distances to the training samples as in Milà et al. (2022), but one-sided: samples that are farther away
    than the map's cells, such as withheld blocks, underestimate the accuracy, which is accepted. Samples in a group are
    not independent, so the number of groups counts."""
    tree = KDTree(training)
    of_samples, of_cells = (np.sort(tree.query(some)[0]) for some in (samples, ground))
    median, of_map = float(np.median(of_samples)), float(np.median(of_cells))
    below = np.searchsorted(of_cells, of_samples, side="right") / len(of_cells)
    largest = float((np.arange(1, len(of_samples) + 1) / len(of_samples) - below).max())
    if median < LEAST_RATIO * of_map and ksone.sf(max(largest, 0), count) < SIGNIFICANCE:
        yield (
            f"the samples lie close to the training samples: the median distance is {format_figure(median)} m, but"
            f" {format_figure(of_map)} m for the map's cells. Such samples overestimate the accuracy of the map,"
            " especially if they were split from the training data at random. Hold out whole blocks or fields"
        )


def _warn_of_clustered_samples(samples: np.ndarray, cells: np.ndarray, count: int) -> Iterator[str]:
    """Tests by simulation whether cells are on average farther from the nearest sample than from the nearest of `count`
    random places."""
    rng = np.random.default_rng(SEED)
    ground = _on_sphere(cells)
    # The cells are spread evenly, so random places are cells with a random shift of up to 0.7 times the distance between
    # neighbouring cells.
    apart = float(np.median(KDTree(ground).query(ground, k=2)[0][:, 1]))
    per_degree = np.radians(EARTH_RADIUS) * np.array([np.cos(np.radians(cells[:, 1].mean())), 1])

    def mean_distance(places: np.ndarray) -> float:
        return float(KDTree(places).query(ground)[0].mean())

    def random_places() -> np.ndarray:
        chosen = cells[rng.integers(0, len(cells), count)]
        return _on_sphere(chosen + apart * rng.uniform(-0.7, 0.7, chosen.shape) / per_degree)

    found = mean_distance(samples)
    most = max(mean_distance(random_places()) for _ in range(RANDOM_SETS))
    if found > most:
        yield (
            f"the samples cover only part of the map: its cells are on average {format_figure(found)} m from the nearest"
            f" sample. In {RANDOM_SETS} simulations with {count} random places, this average was at most"
            f" {format_figure(most)} m. The figures do not apply to the rest of the map. Take samples from the whole map, or reduce its coverage"
        )


def _on_sphere(lon_lat: np.ndarray) -> np.ndarray:
    """Converts places to 3D coordinates, whose distances within a region are nearly those on the ground, in metres."""
    lon, lat = np.radians(lon_lat).T
    return EARTH_RADIUS * np.column_stack(
        [np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)]
    )
