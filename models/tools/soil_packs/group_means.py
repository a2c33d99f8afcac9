"""The interval of an area's mean (docs/rasters.md), with samples in place of cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# WGS 84.
SEMI_MAJOR = 6_378_137.0
ECCENTRICITY_2 = 0.0066943799901413165

#: Groups with fewer samples are single values.
LEAST_OF_GROUP = 2


@dataclass(frozen=True)
class ErrorModel:
    #: Standard normal quantile of the upper bound.
    z: float
    #: Standard deviation of an error that all cells share, ÷ value.
    systematic: float
    nugget: float
    range_m: float


@dataclass(frozen=True)
class Bounded:
    """Measurements with the predictions in their places."""

    places: np.ndarray
    observed: np.ndarray
    mean: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    def at(self, chosen: np.ndarray) -> Bounded:
        parts = (self.places, self.observed, self.mean, self.lower, self.upper)
        return Bounded(*(part[chosen] for part in parts))


def contains_mean(samples: Bounded, errors: ErrorModel) -> bool:
    """Whether the interval of the samples' mean contains the mean of their measurements."""
    predicted = samples.mean.mean()
    error = samples.observed.mean() - predicted
    widths = own_half_widths(samples, error < 0, errors.z * errors.systematic)
    metres = metres_between(samples.places[:, None], samples.places[None, :])
    correlation = (1 - errors.nugget) * np.exp(-metres / errors.range_m)
    np.fill_diagonal(correlation, 1)
    own = np.sqrt(widths @ correlation @ widths) / len(widths)
    return bool(abs(error) <= np.hypot(own, errors.z * errors.systematic * predicted))


def own_half_widths(samples: Bounded, is_below: np.ndarray | bool, shared: float) -> np.ndarray:
    """Below or above the mean, without the error that all cells share, which is `shared` times the mean."""
    below, above = samples.mean - samples.lower, samples.upper - samples.mean
    widths = np.maximum(np.where(is_below, below, above), 0)
    return np.sqrt(np.maximum(widths**2 - (shared * samples.mean) ** 2, 0))


def metres_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """On the ellipsoid, between places (lon, lat) so near that the Earth is flat between them."""
    lon = (b[..., 0] - a[..., 0] + 180) % 360 - 180
    lat = np.radians((a[..., 1] + b[..., 1]) / 2)
    # Radii of curvature in the prime vertical and in the meridian (Snyder 1987, eq. 4-20 and 4-18).
    w = 1 - ECCENTRICITY_2 * np.sin(lat) ** 2
    east = np.radians(lon) * SEMI_MAJOR / np.sqrt(w) * np.cos(lat)
    north = np.radians(b[..., 1] - a[..., 1]) * SEMI_MAJOR * (1 - ECCENTRICITY_2) / w**1.5
    return np.hypot(east, north)
