from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from scipy import stats
from test_statistics import STOCK

from soil_packs import bands
from soil_packs.distribution import calibrated_probability
from soil_packs.validation import Measurements, compare_samples, find_refusals

SEEDS = range(200 if os.environ.get("EVERY_RUN") else 8)
SUPPORT = {"lower": 0.0, "upper": None}
WITH_SUPPORT = {**STOCK, "bands": [{**band, "support": SUPPORT} for band in STOCK["bands"]]}


def simulate_zeros(seed: int, share: float, count: int = 1_500) -> Measurements:
    """Simulates values with perfect quantiles. The share of zeros differs between places; `share` is its mean."""
    rng = np.random.default_rng(seed)
    zero = np.clip(share + rng.normal(0, share / 2, count), 0, 1)
    scale = 60 * np.exp(rng.normal(0, 0.4, count))
    of_rest = stats.lognorm(0.5)
    present = 1 - zero

    def quantile(p: np.ndarray) -> np.ndarray:
        rest = np.clip((p - zero) / np.maximum(present, 1e-12), 0, 1)
        return np.where(p <= zero, 0, scale * of_rest.ppf(rest))

    observed = quantile(rng.uniform(size=count))
    mean = present * scale * of_rest.mean()
    places = rng.uniform(0, 0.1, (count, 2))
    columns = [mean, *(quantile(np.full(count, p)) for p in (0.05, 0.95))]
    return Measurements(observed, np.column_stack(columns), places, None)


@pytest.mark.parametrize("share", [0.2, 0.4, 0.8])
def test_perfect_quantiles_of_values_with_zeros_are_accepted(share: float):
    refused = [find_refusals(WITH_SUPPORT, simulate_zeros(seed, share)) for seed in SEEDS]
    assert np.mean([bool(one) for one in refused]) <= 0.015


def test_the_claimed_share_is_95_percent_where_the_lower_bound_is_the_minimum():
    samples = simulate_zeros(1, 0.4)
    (coverage,) = compare_samples(WITH_SUPPORT, samples)["coverage"]
    above = (samples.bands[:, 1] > 0).mean()
    assert coverage["claimed"] == pytest.approx(0.95 - 0.05 * above)


def test_narrow_bounds_of_values_with_zeros_are_refused():
    right = simulate_zeros(1, 0.4)
    narrow = right.bands * [1, 1, 0.6]
    samples = Measurements(right.observed, narrow, right.places, None)
    assert any("q05 to q95 claim" in text for text in find_refusals(WITH_SUPPORT, samples))


@pytest.mark.parametrize(
    ("values", "lower"),
    [
        (lambda rng: np.where(rng.uniform(size=300) < 0.4, 0, rng.gamma(4, 20, 300)), 0),
        (lambda rng: np.maximum(rng.gamma(4, 20, 300), 45), 45),
        (lambda rng: 5 + rng.gamma(4, 20, 300), 0),
        (lambda rng: rng.normal(0, 1, 300), None),
    ],
    ids=["40 % zeros", "20 % below detection", "never negative", "of either sign"],
)
def test_the_support_starts_at_the_lowest_value_if_many_samples_have_it(
    values: Any, lower: float | None
):
    y = values(np.random.default_rng(1))
    found = bands.choose_distribution(y, (None, None))
    is_tied = (y == y.min()).mean() > bands.MOST_TIED
    assert found["lower"] == lower if lower is not None else found["lower"] < y.min()
    assert (found["thresholds"][0] == found["lower"]) is bool(is_tied)
    assert np.all(np.diff(found["thresholds"]) > 0)


def test_the_support_ends_at_the_limits_of_the_property():
    y = np.random.default_rng(1).uniform(2, 99, 300)
    found = bands.choose_distribution(y, (0, 100))
    assert (found["lower"], found["upper"]) == (0, 100)
    assert found["thresholds"][-1] < 100


def test_many_zeros_do_not_bias_the_calibrated_probability():
    """Out-of-bag samples with the lowest value get a random probability up to that of the value."""
    found = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        y = np.where(rng.uniform(size=400) < 0.4, 0, rng.gamma(4, 20, 400))
        # Trees with a single leaf, whose distribution is that of the drawn samples.
        bags = [
            (np.zeros(400, int), np.bincount(rng.integers(0, 400, 400), minlength=400))
            for _ in range(30)
        ]
        declared = bands.choose_distribution(y, (0, None))
        found.append(calibrated_probability(bags, y, declared))
    assert np.mean(found) == pytest.approx(0.05, abs=0.012)
