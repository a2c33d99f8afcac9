"""Tests the statistics of `pack-validate` and `pack-errors`, some against figures of an earlier implementation.

That implementation drew the same random numbers, so bootstrap intervals agree as closely as other figures.
"""

from __future__ import annotations

import json
import os
import re

import numpy as np
import pandas
import pyproj
import pytest
from scipy import stats

from soil_packs import PackError, figures, group_means
from soil_packs.commands import ROOT
from soil_packs.group_means import ErrorModel, cell_sd, variance_of_sum
from soil_packs.pack_errors import area_ratio, error_warnings, estimate_errors, report_lines
from soil_packs.pack_validate import validate_pack
from soil_packs.resampling import draw_uniform, estimate_share
from soil_packs.samples import read_table
from soil_packs.validation import (
    Measurements,
    compare_samples,
    find_doubts,
    find_refusals,
    ratio_of_means,
)

MEUSE = ROOT / "models/meuse-soc"
Z_95 = 1.6448536269514722


def close(expected):
    return pytest.approx(expected, rel=1e-6)


# ---- Errors with a known correlation: nugget 0.3, range 150 m.


def simulate_withheld_blocks(
    blocks: int, width: float = 1, fold=lambda block, _: f"block {block}"
) -> str:
    """Simulates blocks of twelve samples on the equator that were withheld together, with 90 % bounds scaled by `width`."""
    random = iter(draw_uniform(72 * blocks))
    normal = lambda: np.sqrt(-2 * np.log(1 - next(random))) * np.cos(2 * np.pi * next(random))
    lines = ["lon,lat,stock,mean,q05,q95,fold"]
    for block in range(blocks):
        places = np.array([[next(random) * 400, next(random) * 400] for _ in range(12)])
        apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
        smooth = np.linalg.cholesky(np.exp(-apart / 150)) @ [normal() for _ in range(12)]
        for i, (x, y) in enumerate(places):
            error = np.sqrt(0.7) * smooth[i] + np.sqrt(0.3) * normal()
            lon, lat = block % 10 * 0.1 + x / 111_000, block // 10 * 0.1 + y / 111_000
            half = Z_95 * 10 * width
            values = [lon, lat, 50 + 10 * error, 50, 50 - half, 50 + half]
            lines.append(",".join([*map(repr, map(float, values)), fold(block, i)]))
    return "\n".join(lines)


FOUND = {
    "variance": 0.36314352646 * Z_95**2,
    "fit": {"nugget": 0.51599586728, "range_m": 229.35349723, "integral_ha": 15.99704151},
    "declared": {"nugget": 0.41, "range_m": 281.0, "integral_ha": 29.245916911},
    "standardised_errors": {"mean": -0.10759234949, "sd": 0.98535500062},
}
GROUPED = {
    "variance": 0.39674123388 * Z_95**2,
    "group_means": {"inside": {"n": 20.0, "value": 1.0, "lower": 0.83156652902, "upper": 1.0}},
}


@pytest.fixture(scope="module")
def found():
    return estimate_errors(read_table(simulate_withheld_blocks(60)), target="stock")


def test_the_correlation_is_fitted_and_declared_conservatively(found):
    assert found["pairs"] == 3960
    assert found["max_m"] == close(543.912257311)
    assert found["variance"] == close(FOUND["variance"])
    assert found["fit"] == close(FOUND["fit"])
    assert found["declared"] == close(FOUND["declared"])
    assert found["error"]["correlation"] == {"model": "exponential", "nugget": 0.41, "range_m": 281}
    assert found["standardised_errors"] == close(FOUND["standardised_errors"])
    assert list(error_warnings(found)) == []


def test_the_correlation_is_listed_by_distance(found):
    assert [lag["pairs"] for lag in found["lags"]] == [
        205,
        515,
        725,
        757,
        700,
        548,
        378,
        108,
        23,
        1,
    ]
    assert found["lags"][0]["correlation"] == close(0.41886234043)
    lines = list(report_lines(found))
    assert lines[0] == "720 samples"
    assert "fit: nugget 0.52, range 229 m, integral 16 ha" in lines


def test_whole_groups_are_resampled_and_their_means_compared():
    found = estimate_errors(
        read_table(simulate_withheld_blocks(20)),
        target="stock",
        group="fold",
        systematic=0.05,
        max_metres=500,
    )
    assert found["error"]["correlation"] == {"model": "exponential", "nugget": 0.49, "range_m": 432}
    assert found["variance"] == close(GROUPED["variance"])
    assert found["group_means"]["left_out"] == 0
    assert found["group_means"]["inside"] == close(GROUPED["group_means"]["inside"])


def test_bounds_that_are_too_wide_give_a_warning():
    found = estimate_errors(
        read_table(simulate_withheld_blocks(21, width=2)), target="stock", replicates=100
    )
    assert re.search(r"sd of 0\.501; .* too wide", next(error_warnings(found)))


@pytest.mark.parametrize(
    ("fold", "says"),
    [
        (lambda block, i: f"{block} {i}", "were withheld together: 0"),
        (lambda *_: "all", "all 72 samples are in the fold all"),
    ],
)
def test_samples_that_were_not_withheld_in_blocks_are_rejected(fold, says):
    with pytest.raises(PackError, match=says):
        estimate_errors(read_table(simulate_withheld_blocks(6, fold=fold)), target="stock")


# ---- The project's pack at its training samples, which its model has seen.


@pytest.fixture(scope="module")
def samples() -> pandas.DataFrame:
    grid = json.loads((MEUSE / "manifest.json").read_text())["grid"]
    to_degrees = pyproj.Transformer.from_crs(grid["crs"]["proj4"], 4326, always_xy=True)
    lines = (MEUSE / "data/meuse.csv").read_text().strip().split("\n")
    columns = [lines[0].split(",").index(name) for name in ("x", "y", "om")]
    rows = ["lon,lat,carbon,block"]
    for i, line in enumerate(lines[1:]):
        x, y, organic_matter = (line.split(",")[at] for at in columns)
        if organic_matter:
            lon, lat = to_degrees.transform(float(x), float(y))
            om = float(organic_matter)
            rows.append(f"{lon},{lat},{10 * om / 1.724 * (1.2 - 0.03 * om)},block {i % 8}")
    return read_table("\n".join(rows))


def test_a_pack_is_compared_with_samples(samples):
    found, (observed, predicted), remarks = validate_pack(
        MEUSE, samples, target="carbon", group="block", training=samples
    )
    assert found["samples"] == {"predicted": 153, "outside_grid": 0, "without_covariates": 0}
    expected = {"rmse": 6.3267885339, "bias": 3.7450975466, "slope": 0.9097089914}
    assert {name: found["accuracy"][name] for name in expected} == close(expected)
    r2 = {"value": 0.7771134801, "lower": 0.7384192784, "upper": 0.8167078119}
    assert found["accuracy"]["r2"] == close(r2)
    inside = {"n": 153, "value": 1, "lower": 0.9761780087, "upper": 1}
    assert found["coverage"][0]["inside"] == close(inside)
    assert found["group_means"]["inside"]["n"] == 8
    assert [part["name"] for part in found["thirds"]] == [
        "16 to 37.3",
        "37.5 to 45.3",
        "45.6 to 77.3",
    ]
    assert len(found["groups"]) == 8
    seen, too_wide = found["refusals"]
    assert seen.startswith("the model saw the grid cells of 153 of 153 samples (100.0 %)")
    assert too_wide.startswith(
        "q05 to q95 claim to contain 0.9 of all values, but contain 1.000 of 153"
    )
    of_samples, of_cells = remarks.figures
    assert re.match(r"stock of the median sample: \d+\.\d t/ha of carbon in 0 to 20 cm", of_samples)
    assert of_cells.startswith("stock of the samples' median cell: ")
    bias, near = remarks.warnings
    assert "times the mean of the measurements" in bias
    assert "training" in near
    for drawn in (
        figures.plot_observed_predicted(found, observed, predicted),
        figures.plot_coverage(found),
    ):
        assert re.fullmatch(r"<svg .*</svg>\n", drawn, re.DOTALL)


def test_a_missing_column_is_named(samples):
    with pytest.raises(PackError, match="no column stock"):
        validate_pack(MEUSE, samples, target="stock")


def test_published_shares_have_exact_intervals():
    accuracy = json.loads((MEUSE / "manifest.json").read_text())["accuracy"]
    shares = [one for one in accuracy if re.search("coverage|share", one["metric"])]
    assert len(shares) == 8
    for one in shares:
        lower, upper = map(
            float, re.search(r"n 153, 95 % interval ([\d.]+)–([\d.]+)$", one["how"]).groups()
        )
        # The published share is a mean over repeats, so it may correspond to a fractional number of samples.
        hits = one["value"] * 153
        below, above = (
            estimate_share(np.arange(153) < round_(hits)) for round_ in (np.floor, np.ceil)
        )
        assert below["lower"] - 0.0005 <= lower <= above["lower"] + 0.0005
        assert below["upper"] - 0.0005 <= upper <= above["upper"] + 0.0005


# ---- Contradictions beyond chance.

MANIFEST = {
    "id": "stock",
    "version": "1.0.0",
    "property": {"unit": "t/ha"},
    "true_zero": True,
    "mean": 0,
    "bands": [
        {"name": name, "level": level}
        for name, level in {"mean": None, "q05": 0.05, "q95": 0.95}.items()
    ],
    "error": {
        "lower": "q05",
        "upper": "q95",
        "systematic_relative_sd": 0,
        "correlation": {"model": "exponential", "nugget": 0.5, "range_m": 1000},
    },
}


def simulate_measurements(spoil=lambda bands: bands, fields: int = 40) -> Measurements:
    """Simulates ten samples per field with correlated errors. The bands have 90 % bounds unless `spoil` changes them."""
    rng = np.random.default_rng(3)
    mean = rng.uniform(20, 120, 10 * fields)
    shared = np.repeat(rng.normal(size=fields), 10)
    errors = 8 * np.sqrt(0.5) * (shared + rng.normal(size=10 * fields))
    bands = np.column_stack([mean, mean - 8 * Z_95, mean + 8 * Z_95])
    field = np.repeat(np.arange(fields), 10)
    places = np.column_stack([field * 0.1, rng.uniform(0, 0.002, 10 * fields)])
    groups = np.array([f"field {one}" for one in field], dtype=object)
    return Measurements(mean + errors, spoil(bands), places, groups)


def test_a_correct_pack_is_not_refused():
    samples = simulate_measurements()
    assert find_refusals(MANIFEST, samples) == []
    assert compare_samples(MANIFEST, samples)["refusals"] == []


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda b: b / 10, r"^the predictions are 0\.\d+ times the measurements.*Check the units"),
        (lambda b: np.log(np.maximum(b, 1)), r"^the predictions are 0\.0\d+ times .*logarithm"),
        (lambda b: 140 - b[:, [0, 2, 1]], r"^R² is -.*order"),
        (
            lambda b: b[:, :1] + 0.617 * (b - b[:, :1]),
            r"^q05 to q95 claim to contain 0\.9 of all values, but contain 0\.\d+",
        ),
    ],
)
def test_wrong_predictions_are_refused(spoil, says):
    assert any(
        re.search(says, text) for text in find_refusals(MANIFEST, simulate_measurements(spoil))
    )


def test_errors_declared_as_independent_are_refused():
    correlation = {"model": "exponential", "nugget": 1, "range_m": 0.001}
    manifest = {**MANIFEST, "error": {**MANIFEST["error"], "correlation": correlation}}
    says = r"^the intervals of areas claim to contain 0\.9 of all means, but contain 0\.\d+ of 40 groups"
    assert any(re.search(says, text) for text in find_refusals(manifest, simulate_measurements()))


def test_without_groups_neighbours_reveal_errors_declared_as_independent():
    samples = simulate_measurements()
    alone = Measurements(samples.observed, samples.bands, samples.places, None)
    assert find_refusals(MANIFEST, alone) == []
    correlation = {"model": "exponential", "nugget": 1, "range_m": 0.001}
    manifest = {**MANIFEST, "error": {**MANIFEST["error"], "correlation": correlation}}
    (found,) = find_refusals(manifest, alone)
    assert re.search(r"^the errors of nearest neighbours, .* claims 0\.00:", found)


def test_fewer_than_ten_samples_are_rejected():
    few = simulate_measurements().select(np.arange(9))
    with pytest.raises(PackError, match="too few samples have a prediction: 9;"):
        compare_samples(MANIFEST, few)


# ---- Skewed errors.


def simulate_skewed_blocks(rng, sd: float = 0.7) -> pandas.DataFrame:
    """Simulates 500 samples in blocks of ten for a correct model. Its errors have the nugget 0.3 and the range 150 m."""
    rows = []
    for block in range(50):
        x, y = rng.uniform(0, 400, (2, 10))
        rho = 0.7 * np.exp(-np.hypot(x[:, None] - x, y[:, None] - y) / 150)
        np.fill_diagonal(rho, 1)
        # Normal scores whose exponentials have this correlation.
        scores = np.linalg.cholesky(np.log1p(rho * np.expm1(sd**2)) / sd**2) @ rng.normal(size=10)
        stock = 60 * np.exp(sd * scores - sd**2 / 2)
        lower, upper = (60 * np.exp(sign * Z_95 * sd - sd**2 / 2) for sign in (-1, 1))
        place = {"lon": 0.1 * block + x / 111_320, "lat": y / 110_574}
        bands = {"mean": 60, "q05": lower, "q95": upper}
        rows.append(pandas.DataFrame({**place, "stock": stock, **bands, "fold": block}))
    return pandas.concat(rows)


def test_the_median_integral_of_skewed_errors_is_within_40_percent_of_the_truth():
    rng = np.random.default_rng(1)
    sets = 100 if os.environ.get("EVERY_RUN") else 25
    found = [
        estimate_errors(simulate_skewed_blocks(rng), target="stock", max_metres=500, replicates=20)
        for _ in range(sets)
    ]
    truth = 2 * np.pi * 0.7 * 150**2 / 1e4
    assert 0.6 <= np.median([one["fit"]["integral_ha"] for one in found]) / truth <= 1.4
    assert abs(np.mean([one["standardised_errors"]["mean"] for one in found])) < 0.05


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize(
    "errors", [*map(stats.lognorm, (0.2, 0.5, 0.7)), stats.gamma(4), stats.norm()]
)
def test_bounds_of_skewed_errors_determine_their_standard_deviation(level, errors):
    lower, upper = errors.ppf([0.5 - level / 2, 0.5 + level / 2]) - errors.mean()
    sd = cell_sd(-lower, upper, stats.norm.ppf(0.5 + level / 2))
    assert sd == pytest.approx(errors.std(), rel=0.03)


def test_the_uncertainty_of_an_area_follows_from_the_correlation():
    whole = {"nugget": 0, "range_m": 1e9}
    assert area_ratio(whole, 1) == pytest.approx(1, abs=1e-3)
    rng = np.random.default_rng(1)
    apart = np.hypot(*(rng.uniform(0, 1000, (2, 200_000)) - rng.uniform(0, 1000, (2, 200_000))))
    drawn = np.sqrt(0.7 * np.exp(-apart / 150).mean())
    assert area_ratio({"nugget": 0.3, "range_m": 150}, 100) == pytest.approx(drawn, rel=0.01)


# ---- Bias and leaked targets.


def simulate_skewed(
    seed: int, factor: float = 1, count: int = 300, sd: float = 0.5
) -> Measurements:
    """Simulates samples of a skewed stock with correct bounds and correct means times `factor`; `sd` is the sd of the
    errors' logarithms."""
    rng = np.random.default_rng(seed)
    mean = 60 * np.exp(rng.normal(0, 0.4, count))
    observed = mean * np.exp(rng.normal(-(sd**2) / 2, sd, count))
    lower, upper = (mean * np.exp(sign * Z_95 * sd - sd**2 / 2) for sign in (-1, 1))
    places = rng.uniform(0, 0.1, (count, 2))
    return Measurements(observed, np.column_stack([factor * mean, lower, upper]), places, None)


def is_biased(texts) -> bool:
    return any("times the mean of the measurements" in text for text in texts)


STOCK = {name: part for name, part in MANIFEST.items() if name != "error"}


def share_of_bias_refusals(seeds: range, **options) -> float:
    return np.mean(
        [is_biased(find_refusals(STOCK, simulate_skewed(seed, **options))) for seed in seeds]
    )


SEEDS = range(400 if os.environ.get("EVERY_RUN") else 10)


@pytest.mark.parametrize("sd", [0.35, 0.5, 0.7])
def test_right_means_are_rarely_refused(sd):
    assert share_of_bias_refusals(SEEDS, sd=sd) <= 0.015


def test_a_bias_of_a_fifth_is_refused_with_enough_samples():
    assert share_of_bias_refusals(SEEDS, factor=0.8, sd=0.35) >= 0.9
    assert share_of_bias_refusals(SEEDS, factor=0.8, count=1_492, sd=0.7) >= 0.95
    assert share_of_bias_refusals(SEEDS, factor=0.8, count=30, sd=0.7) <= 0.15


@pytest.mark.parametrize("factor", [0.85, 0.7])
def test_biased_models_are_detected(factor):
    found = compare_samples(STOCK, simulate_skewed(1, factor=factor, count=1_492))
    assert is_biased([*found["refusals"], *found["warnings"]])


def test_with_few_groups_a_bias_gives_only_a_warning():
    samples = simulate_measurements(lambda bands: 0.7 * bands, fields=8)
    found = compare_samples(STOCK, samples)
    assert not is_biased(found["refusals"])
    assert is_biased(found["warnings"])


def test_ratios_of_ph_are_not_computed():
    ph = {**STOCK, "true_zero": False}
    assert ratio_of_means(ph, simulate_skewed(1)) is None


def test_a_leaked_target_gives_a_warning():
    right = simulate_skewed(1)
    leaked = Measurements(
        right.observed, right.observed[:, None] * [1, 0.9, 1.1], right.places, None
    )
    assert any(text.startswith("R² is 1") for text in find_doubts(STOCK, leaked))


def test_the_variance_of_a_sum_does_not_depend_on_the_number_of_pairs_in_memory(monkeypatch):
    rng = np.random.default_rng(1)
    sd, places = rng.uniform(1, 2, 7), rng.uniform(0, 0.01, (7, 2))
    errors = ErrorModel(z=Z_95, systematic=0, nugget=0.3, range_m=500)
    line = pyproj.Geod(ellps="WGS84")
    expected = sum(
        a
        * b
        * (1 if one == other else 0.7 * np.exp(-line.inv(*places[one], *places[other])[2] / 500))
        for one, a in enumerate(sd)
        for other, b in enumerate(sd)
    )
    assert variance_of_sum(sd, places, errors) == close(expected)
    monkeypatch.setattr(group_means, "DISTANCES_IN_MEMORY", 14)
    assert variance_of_sum(sd, places, errors) == close(expected)
