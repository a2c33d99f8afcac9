"""Computes the interval of an area's mean (docs/intervals.md) from samples instead of cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Parameters of the WGS 84 ellipsoid.
SEMI_MAJOR = 6_378_137.0
ECCENTRICITY_2 = 0.0066943799901413165

#: Just below 1.96, the z of a 95 % interval.
Z_OF_95 = 1.95

#: The number of distances computed at a time, which limits the memory.
DISTANCES_IN_MEMORY = 2**20

#: The fewest samples per group: a single sample does not test the interval of a mean.
LEAST_OF_GROUP = 2


@dataclass(frozen=True)
class ErrorModel:
    #: Standard normal quantile of the upper bound's level.
    z: float
    #: Standard deviation of the error that all cells share, as a fraction of the value.
    systematic: float
    nugget: float
    range_m: float
    #: Standard deviation of the errors that cells do not share ÷ the standard deviation that the bounds imply.
    standardised: float = 1.0


@dataclass(frozen=True)
class BoundedPredictions:
    places: np.ndarray
    observed: np.ndarray
    mean: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    def select(self, chosen: np.ndarray) -> BoundedPredictions:
        parts = (self.places, self.observed, self.mean, self.lower, self.upper)
        return BoundedPredictions(*(part[chosen] for part in parts))


def contains_mean(samples: BoundedPredictions, errors: ErrorModel) -> bool:
    weight = np.full(len(samples.mean), 1 / len(samples.mean))
    own = weight * own_sd(samples, errors)
    se = np.hypot(
        np.sqrt(variance_of_sum(own, samples.places, errors)),
        errors.systematic * samples.mean.mean(),
    )
    lower, upper = mean_interval(samples, weight, se, errors)
    return bool(lower <= samples.observed.mean() <= upper)


def variance_of_sum(sd: np.ndarray, places: np.ndarray, errors: ErrorModel) -> float:
    """Computes the variance of the sum of correlated errors, without holding the distances of all pairs in memory."""
    # The nugget is the part of the variance that a sample shares with no other sample.
    variance = errors.nugget * (sd @ sd)
    rows = max(DISTANCES_IN_MEMORY // len(sd), 1)
    for start in range(0, len(sd), rows):
        some = slice(start, start + rows)
        metres = metres_between(places[some, None], places[None, :])
        variance += (1 - errors.nugget) * (sd[some] @ np.exp(-metres / errors.range_m) @ sd)
    return float(variance)


def mean_interval(
    cells: BoundedPredictions, weight: np.ndarray, se: float, errors: ErrorModel
) -> tuple[float, float]:
    """Computes the interval of an area's mean with this standard error, without limiting it to possible values.

    k², the squared ratio of this standard error to the cells' mean standard deviation, ranges from 1, for the possibly
    skewed interval of a single cell, to 0, for the symmetric interval of the mean of many independent errors. Between
    these, the interval shifts as in the first terms of the expansion of Cornish and Fisher (1938).
    """
    below, above = half_widths(cells)
    z, sd = errors.z, weight @ whole_sd(cells, errors)
    ratio = 0 if sd == 0 else se / sd
    k2 = min(1, ratio**2)
    below, above = weight @ below, weight @ above
    half = z * se * (1 - k2) + ratio * k2 * (below + above) / 2
    middle = weight @ cells.mean + k2 * (above - below) / 2
    return float(middle - half), float(middle + half)


def half_widths(samples: BoundedPredictions) -> tuple[np.ndarray, np.ndarray]:
    below, above = samples.mean - samples.lower, samples.upper - samples.mean
    return np.maximum(below, 0), np.maximum(above, 0)


def cell_sd(below: np.ndarray, above: np.ndarray, z: float) -> np.ndarray:
    """Computes the standard deviation of a possibly skewed error from its bounds (docs/intervals.md)."""
    # The far tail of a skewed error contributes more variance than the bounds of an interval of less than 95 % show.
    weight = 3 if z < Z_OF_95 else 1
    return np.sqrt(((below + above) ** 2 + weight * (above - below) ** 2) / (4 * z**2))


def own_sd(samples: BoundedPredictions, errors: ErrorModel) -> np.ndarray:
    """Computes the standard deviation without the error that all cells share."""
    variance = cell_sd(*half_widths(samples), errors.z) ** 2
    own = np.maximum(variance - (errors.systematic * samples.mean) ** 2, 0)
    return errors.standardised * np.sqrt(own)


def whole_sd(samples: BoundedPredictions, errors: ErrorModel) -> np.ndarray:
    """Computes the standard deviation including the error that all cells share."""
    variance = cell_sd(*half_widths(samples), errors.z) ** 2
    more = 1 - 1 / errors.standardised**2
    return np.sqrt(variance + more * own_sd(samples, errors) ** 2)


def metres_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Computes ellipsoidal distances between places (lon, lat) so close together that the ground between them is flat."""
    lon = (b[..., 0] - a[..., 0] + 180) % 360 - 180
    lat = np.radians((a[..., 1] + b[..., 1]) / 2)
    # Radii of curvature in the prime vertical and in the meridian (Snyder 1987, eq. 4-20 and 4-18).
    w = 1 - ECCENTRICITY_2 * np.sin(lat) ** 2
    east = np.radians(lon) * SEMI_MAJOR / np.sqrt(w) * np.cos(lat)
    north = np.radians(b[..., 1] - a[..., 1]) * SEMI_MAJOR * (1 - ECCENTRICITY_2) / w**1.5
    return np.hypot(east, north)
