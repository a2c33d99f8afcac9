"""Simulates the intervals of areas, with errors that have the declared bounds and correlation."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import fft, stats

from soil_packs.group_means import (
    BoundedPredictions,
    ErrorModel,
    cell_sd,
    half_widths,
    mean_interval,
    own_sd,
)

DRAWS, DRAWS_AT_ONCE = 20_000, 1_000
NUGGET = 0.3
IS_NIGHT = bool(os.environ.get("EVERY_RUN"))


@dataclass(frozen=True)
class Shape:
    """A distribution with mean 1."""

    #: The log sd of the log-normal distribution with the same coefficient of variation; nearly 0 if the distribution is
    #: symmetric, negative if it is skewed to the left.
    log_sd: float
    #: A distribution whose `isf` returns the value that is exceeded with a given probability.
    dist: Any

    def values_of_scores(self, scores: np.ndarray) -> np.ndarray:
        table = np.linspace(-6, 6, 2001)
        tails = stats.norm.sf(table) if self.log_sd > 0 else stats.norm.cdf(table)
        values = self.dist.isf(tails)
        return np.interp(scores, table, values if self.log_sd > 0 else 2 - values)


def log_normal(log_sd: float) -> Shape:
    return Shape(log_sd, stats.lognorm(abs(log_sd), scale=np.exp(-(log_sd**2) / 2)))


SHAPES = {
    "log sd 0.2": [log_normal(0.2)],
    "log sd 0.5": [log_normal(0.5)],
    "log sd 0.7": [log_normal(0.7)],
    "gamma": [Shape(np.sqrt(np.log1p(0.5**2)), stats.gamma(4, scale=0.25))],
    "normal": [Shape(1e-3, stats.norm(1, 0.3))],
    "left-skewed": [log_normal(-0.5)],
    "mixed": [log_normal(0.2), log_normal(0.5), log_normal(0.7)],
}


@dataclass(frozen=True)
class Area:
    """A square of cells, each with the shape of its distribution (`kind`) and its mean (`size`)."""

    kind: np.ndarray
    size: np.ndarray
    shapes: list[Shape]

    def means_of(self, scores: np.ndarray) -> np.ndarray:
        values = np.empty_like(scores)
        for i, shape in enumerate(self.shapes):
            values[:, self.kind == i] = shape.values_of_scores(scores[:, self.kind == i])
        return values @ self.size / len(self.size)

    def bounds(self, z: float) -> BoundedPredictions:
        ends = np.array([shape.values_of_scores(np.array([-z, z])) for shape in self.shapes])
        lower, upper = (self.size[:, None] * ends[self.kind]).T
        places = np.zeros((len(self.size), 2))
        return BoundedPredictions(places, self.size, self.size, lower, upper)


def area(shapes: list[Shape], edge: int, random: np.random.Generator) -> Area:
    cells = edge * edge
    return Area(random.integers(0, len(shapes), cells), random.uniform(0.7, 1.3, cells), shapes)


def correlation(metres: np.ndarray, range_m: float) -> np.ndarray:
    return np.where(metres == 0, 1, (1 - NUGGET) * np.exp(-metres / range_m))


def score_correlation(rho: np.ndarray, s: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Computes the correlation of the normal scores of log-normal values with correlation rho."""
    return np.log1p(rho * np.sqrt(np.expm1(s * s) * np.expm1(t * t))) / (s * t)


@dataclass(frozen=True)
class Outcome:
    #: Shares of the means below and above their interval.
    below: float
    above: float
    #: Standard deviation of the means ÷ the standard error.
    sd: float


def measure_outcome(
    means: np.ndarray, cells: BoundedPredictions, se: float, errors: ErrorModel
) -> Outcome:
    weight = np.full(len(cells.mean), 1 / len(cells.mean))
    lower, upper = mean_interval(cells, weight, se, errors)
    below, above = (means < lower).mean(), (means > upper).mean()
    return Outcome(float(below), float(above), float(means.std() / se))


def simulate(
    shapes: list[Shape],
    edge: int,
    cell_m: float,
    range_m: float,
    level: float,
    standardised: float = 1,
) -> Outcome:
    random = np.random.default_rng(1)
    found = area(shapes, edge, random)
    row, col = np.divmod(np.arange(edge * edge), edge)
    rho = correlation(cell_m * np.hypot(row[:, None] - row, col[:, None] - col), range_m)
    log_sd = np.array([shape.log_sd for shape in shapes])[found.kind]
    values, vectors = np.linalg.eigh(score_correlation(rho, log_sd[:, None], log_sd))
    # Some correlations are impossible between values of different shapes, so negative eigenvalues are set to 0.
    factor = vectors * np.sqrt(np.maximum(values, 0))
    factor /= np.linalg.norm(factor, axis=1)[:, None]
    means = np.concatenate(
        [
            found.means_of(random.standard_normal((DRAWS_AT_ONCE, len(rho))) @ factor.T)
            for _ in range(DRAWS // DRAWS_AT_ONCE)
        ]
    )
    z = stats.norm.ppf(0.5 + level / 2)
    cells = found.bounds(z)
    errors = ErrorModel(z, 0, NUGGET, range_m, standardised)
    sd = own_sd(cells, errors)
    se = np.sqrt(sd @ rho @ sd) / len(sd)
    return measure_outcome(means, cells, se, errors)


def assert_holds(outcome: Outcome, level: float) -> None:
    assert outcome.sd == pytest.approx(1, abs=0.05)
    assert level - 0.02 <= 1 - outcome.below - outcome.above <= level + 0.04
    assert max(outcome.below, outcome.above) <= (1 - level) / 2 + 0.015


#: Cells per edge, and the edge of a cell in metres: squares of 1, 1.44, 9 and 576 ha.
SQUARES = [(10, 10), (1, 120), (30, 10), (20, 120)]


@pytest.mark.parametrize("range_m", [150, 1000] if IS_NIGHT else [150])
@pytest.mark.parametrize(("edge", "cell_m"), SQUARES if IS_NIGHT else SQUARES[:2])
@pytest.mark.parametrize("shapes", SHAPES.values(), ids=SHAPES)
def test_nine_of_ten_intervals_contain_the_mean(shapes, edge, cell_m, range_m):
    assert_holds(simulate(shapes, edge, cell_m, range_m, 0.9), 0.9)


@pytest.mark.parametrize("shapes", [SHAPES["log sd 0.2"], SHAPES["gamma"]], ids=["log", "gamma"])
def test_nineteen_of_twenty_95_percent_intervals_contain_the_mean(shapes):
    assert_holds(simulate(shapes, 10, 10, 150, 0.95), 0.95)


def test_nine_of_ten_intervals_of_many_small_cells_contain_the_mean():
    """Simulates 576 ha at night, and 4 ha otherwise."""
    random = np.random.default_rng(1)
    edge, size = (240, 512) if IS_NIGHT else (20, 64)
    z = stats.norm.ppf(0.95)
    found = area(SHAPES["log sd 0.7"], edge, random)
    # The correlation wraps around outside the area (circulant embedding: Dietrich & Newsam 1997).
    apart = 10 * np.minimum(np.arange(size), size - np.arange(size))
    rho = correlation(np.hypot(apart[:, None], apart), 150)
    log_sd = np.float64(0.7)
    spectrum = fft.fft2(score_correlation(rho, log_sd, log_sd)).real
    root = np.sqrt(np.maximum(spectrum, 0)) / size
    means = []
    for _ in range(DRAWS // 2):
        noise = random.standard_normal((2, size, size))
        field = fft.fft2(root * (noise[0] + 1j * noise[1]))[:edge, :edge].ravel()
        means.append(found.means_of(np.array([field.real, field.imag])))
    cells = found.bounds(z)
    sd = np.zeros((size, size))
    sd[:edge, :edge] = cell_sd(*half_widths(cells), z).reshape(edge, edge)
    variance = (np.abs(fft.fft2(sd)) ** 2 * fft.fft2(rho).real).mean()
    se = float(np.sqrt(variance)) / edge**2
    errors = ErrorModel(z, 0, NUGGET, 150)
    assert_holds(measure_outcome(np.concatenate(means), cells, se, errors), 0.9)


@dataclass(frozen=True)
class WithZeros:
    """A mixture of zeros and log-normal values, with mean 1."""

    zeros: float
    log_sd: float

    def isf(self, tail: np.ndarray) -> np.ndarray:
        present = 1 - self.zeros
        value = log_normal(self.log_sd).dist.isf(np.minimum(tail / present, 1))
        return np.where(tail > present, 0, value / present)


@pytest.mark.parametrize("log_sd", [0.2, 0.5])
@pytest.mark.parametrize(("share", "least"), [(0.2, 0.86), (0.3, 0.83), (0.4, 0.78)])
def test_intervals_of_areas_with_zeros_have_the_stated_coverage(share, least, log_sd):
    """Bounds do not show the share of zeros, but the spread of withheld errors does (`standardised_sd`)."""
    zeros = WithZeros(share, log_sd)
    skewed = np.sqrt(np.log(np.exp(log_sd**2) / (1 - zeros.zeros)))
    values = zeros.isf(np.linspace(0, 1, 20_001)[1:-1])
    lower, upper = zeros.isf(np.array([0.95, 0.05])) - 1
    shown = cell_sd(np.array([-lower]), np.array([upper]), stats.norm.ppf(0.95))
    spread = max(float(values.std() / shown[0]), 1)
    for edge, cell_m in ((3, 10), (10, 10), (5, 120)):
        found = simulate([Shape(skewed, zeros)], edge, cell_m, 1000, 0.9, spread)
        # The least coverages are those in docs/intervals.md, less one percentage point.
        assert least < 1 - found.below - found.above < 0.92
