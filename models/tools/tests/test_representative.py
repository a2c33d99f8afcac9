from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import pytest
from test_statistics import STOCK, simulate_skewed

from soil_packs.representative import cells_within, doubts_of_places
from soil_packs.validation import Measurements, compare_samples, report_lines

SEEDS = range(300 if os.environ.get("EVERY_RUN") else 15)
#: The edge of the map in degrees: about 10 km.
EDGE = 0.09

#: The plastic number, with which the service spreads cells evenly (`bin/packs/sampled-cells.ts`).
PLASTIC = 1.324717957244746
CELLS = EDGE * ((0.5 + np.arange(1_000)[:, None] / [PLASTIC, PLASTIC**2]) % 1)

#: Validation samples, their groups, and training samples.
Places = tuple[np.ndarray, np.ndarray | None, np.ndarray]
Design = Callable[[np.random.Generator], Places]


def draw_clusters(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    centres = rng.uniform(0, EDGE, (count, 1, 2))
    return (centres + rng.uniform(-0.0015, 0.0015, (count, 10, 2))).reshape(-1, 2), np.repeat(
        np.arange(count), 10
    )


def clusters_split_at_random(rng: np.random.Generator) -> Places:
    places, groups = draw_clusters(rng, 40)
    is_validation = rng.permutation(400) < 100
    return places[is_validation], groups[is_validation], places[~is_validation]


def clusters_split_at_random_without_groups(rng: np.random.Generator) -> Places:
    samples, _, training = clusters_split_at_random(rng)
    return samples, None, training


def moved_training_samples(rng: np.random.Generator) -> Places:
    training = rng.uniform(0, EDGE, (200, 2))
    return training + rng.normal(0, 2e-4, training.shape), None, training


def samples_in_a_corner(rng: np.random.Generator) -> Places:
    return rng.uniform(0, EDGE / 2.5, (60, 2)), None, rng.uniform(0, EDGE, (300, 2))


def independent_samples(rng: np.random.Generator) -> Places:
    return rng.uniform(0, EDGE, (100, 2)), None, rng.uniform(0, EDGE, (300, 2))


def only_sixty_samples(rng: np.random.Generator) -> Places:
    return rng.uniform(0, EDGE, (20, 2)), None, rng.uniform(0, EDGE, (40, 2))


def whole_clusters_withheld(rng: np.random.Generator) -> Places:
    places, groups = draw_clusters(rng, 40)
    is_validation = groups < 12
    return places[is_validation], groups[is_validation], places[~is_validation]


def grid_split_at_random(rng: np.random.Generator) -> Places:
    places = (np.stack(np.mgrid[:14, :14], -1).reshape(-1, 2) + rng.uniform(size=2)) * EDGE / 14
    is_validation = rng.permutation(196) < 50
    return places[is_validation], None, places[~is_validation]


def blocks_withheld(rng: np.random.Generator) -> Places:
    places = rng.uniform(0, EDGE, (400, 2))
    block = (places // (EDGE / 5)) @ [5, 1]
    is_validation = np.isin(block, rng.choice(25, 8, False))
    return places[is_validation], block[is_validation], places[~is_validation]


def share_of_warnings(design: Design, word: str) -> float:
    found = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        samples, groups, training = design(rng)
        texts = [*doubts_of_places(samples, groups, training, CELLS)]
        found.append(any(word in text for text in texts))
    return float(np.mean(found))


@pytest.mark.parametrize(
    ("design", "word"),
    [
        (clusters_split_at_random, "training"),
        (clusters_split_at_random_without_groups, "training"),
        (moved_training_samples, "training"),
        (samples_in_a_corner, "coverage"),
    ],
)
def test_samples_that_do_not_represent_the_map_give_a_warning(design: Design, word: str):
    assert share_of_warnings(design, word) >= 0.97


@pytest.mark.parametrize(
    "design",
    [
        independent_samples,
        only_sixty_samples,
        whole_clusters_withheld,
        grid_split_at_random,
        blocks_withheld,
    ],
)
def test_samples_that_represent_the_map_rarely_give_a_warning(design: Design):
    assert share_of_warnings(design, "training") <= (0.03 if len(SEEDS) > 50 else 0)
    # By definition of its significance level, the test for clusters warns of one in a hundred random sets of places.
    assert share_of_warnings(design, "coverage") <= (0.03 if len(SEEDS) > 50 else 0.07)


def test_cells_outside_the_coverage_are_ignored():
    square = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]
    coverage = {"type": "Polygon", "coordinates": [square]}
    assert cells_within(coverage, [[0.5, 0.5], [2, 0.5]]).tolist() == [[0.5, 0.5]]
    assert len(cells_within(coverage, [])) == 0


def test_a_coverage_too_low_with_95_but_not_with_99_percent_confidence_gives_a_warning():
    right = simulate_skewed(1)
    mean = right.bands[:, :1]
    bands = mean + (right.bands - mean) * [1, 0.9, 0.65]
    found = compare_samples(STOCK, Measurements(right.observed, bands, right.places, None))
    assert not any("q05 to q95" in text for text in found["refusals"])
    assert any("q05 to q95 claim" in text for text in found["warnings"])


def test_twenty_groups_that_all_lie_within_the_bounds_give_no_warning():
    few = simulate_skewed(3, count=20)
    wide = few.bands[:, :1] + (few.bands - few.bands[:, :1]) * [1, 3, 3]
    found = compare_samples(STOCK, Measurements(few.observed, wide, few.places, np.arange(20)))
    assert not any("claim to contain" in text for text in found["warnings"])


def test_samples_that_cannot_show_skill_are_reported():
    few = simulate_skewed(2, count=12, sd=0.7)
    found = compare_samples(STOCK, few)
    lower = found["accuracy"]["r2"]["lower"]
    assert found["shows_skill"] is bool(lower > 0) is False
    assert any("cannot show skill" in line for line in report_lines(found))
    assert compare_samples(STOCK, simulate_skewed(1, count=600))["shows_skill"]


def test_the_coverage_of_each_class_has_an_interval():
    soil = np.repeat([1.0, 2.0, 3.0], 100)
    found = compare_samples(STOCK, simulate_skewed(1), classes={"soil": soil})
    assert [part["name"] for part in found["classes"]] == ["soil 1", "soil 2", "soil 3"]
    for part in found["classes"]:
        assert part["inside"]["n"] == 100
        assert part["inside"]["lower"] < part["inside"]["value"] <= part["inside"]["upper"]
