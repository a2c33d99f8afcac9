"""Bounds do not show rare peat. Withheld samples do, so that the interval of an area's mean is wide enough."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas
import pytest
from scipy import stats

from soil_packs import PackError
from soil_packs.group_means import BoundedPredictions, ErrorModel, contains_mean
from soil_packs.pack_errors import estimate_errors

IS_NIGHT = bool(os.environ.get("EVERY_RUN"))
SURVEYS, AREAS = (200, 40) if IS_NIGHT else (12, 15)
Z_95 = stats.norm.ppf(0.95)
METRES = 111_320
#: The nugget of all errors, and the range of the remaining correlation in metres.
NUGGET, RANGE_M = 0.4, 200
#: The sd of the logarithmic stock of mineral soil (mean about 50 t/ha), and the additional stock of peat.
LOG_SD, PEAT = 0.3, 350


@dataclass(frozen=True)
class Soil:
    """Soil with a share of peat. The map knows the share but not the places, so its bounds are those of the mixture."""

    peat: float

    def mean(self, base: np.ndarray) -> np.ndarray:
        return base + self.peat * PEAT

    def bounds(self, base: np.ndarray) -> np.ndarray:
        """Computes the 5 and 95 % quantiles of the mixture. Peat is rarer than 5 %, so both are values of mineral soil."""
        levels = np.array([0.05, 0.95]) / (1 - self.peat)
        ends = stats.lognorm(LOG_SD, scale=np.exp(-(LOG_SD**2) / 2)).ppf(np.minimum(levels, 0.9999))
        return base * ends[:, None]

    def measured(self, rng: np.random.Generator, places: np.ndarray, base: np.ndarray) -> Any:
        metres = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
        rho = (1 - NUGGET) * np.exp(-metres / RANGE_M) + NUGGET * np.eye(len(places))
        scores = np.linalg.cholesky(rho) @ rng.normal(size=(len(places), 2))
        mineral = base * np.exp(LOG_SD * scores[:, 0] - LOG_SD**2 / 2)
        return mineral + PEAT * (scores[:, 1] > stats.norm.isf(self.peat))


def simulate_survey(soil: Soil, rng: np.random.Generator) -> pandas.DataFrame:
    """Simulates 300 samples in distant blocks of ten, which are withheld block by block."""
    parts = []
    for block in range(30):
        places = rng.uniform(0, 400, (10, 2))
        base = rng.uniform(35, 65, 10)
        lower, upper = soil.bounds(base)
        parts.append(
            pandas.DataFrame(
                {
                    **{"lon": block * 0.2 + places[:, 0] / METRES, "lat": places[:, 1] / METRES},
                    **{"stock": soil.measured(rng, places, base), "mean": soil.mean(base)},
                    **{"q05": lower, "q95": upper, "fold": block},
                }
            )
        )
    return pandas.concat(parts)


def simulate_area(
    soil: Soil, rng: np.random.Generator, edge: int = 14, cell: float = 40
) -> BoundedPredictions:
    places = cell * np.stack(np.mgrid[:edge, :edge], -1).reshape(-1, 2)
    base = np.full(len(places), rng.uniform(35, 65))
    lower, upper = soil.bounds(base)
    observed = soil.measured(rng, places, base)
    return BoundedPredictions(places / METRES, observed, soil.mean(base), lower, upper)


@dataclass(frozen=True)
class Outcome:
    covered: float
    #: The share of areas whose interval contains their mean if intervals trust the bounds (`standardised_sd` 1).
    covered_without: float
    spreads: np.ndarray


def simulate(peat: float) -> Outcome:
    soil, rng = Soil(peat), np.random.default_rng(1)
    inside, without, spreads = [], [], []
    while len(spreads) < SURVEYS:
        table = simulate_survey(soil, rng)
        try:
            found = estimate_errors(
                table, target="stock", group="fold", max_metres=400, replicates=200
            )
        except PackError:
            continue
        declared = found["error"]
        correlation = declared["correlation"]
        spreads.append(declared.get("standardised_sd", 1))
        models = [
            ErrorModel(Z_95, 0, correlation["nugget"], correlation["range_m"], spread)
            for spread in (spreads[-1], 1)
        ]
        for _ in range(AREAS):
            cells = simulate_area(soil, rng)
            for hits, model in zip((inside, without), models):
                hits.append(contains_mean(cells, model))
    return Outcome(float(np.mean(inside)), float(np.mean(without)), np.array(spreads))


@pytest.mark.parametrize("peat", [0.01, 0.02, 0.04])
def test_withheld_samples_make_the_intervals_of_areas_cover_rare_peat(peat: float):
    found = simulate(peat)
    assert found.covered >= 0.87
    assert found.covered_without < 0.8


def test_errors_are_hardly_widened_if_the_bounds_are_right():
    found = simulate(0)
    assert np.median(found.spreads) <= 1.1
    assert found.spreads.max() < 1.4
    assert 0.87 <= found.covered <= 0.99
