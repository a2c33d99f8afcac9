"""The formula of a batch's `display_ranges`, which the service implements as well."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from conftest import ROOT

from soil_batch.report.colours import common_scale
from soil_batch.results.display_range import pool_ranges
from soil_batch.schemas.jobs import JobSummary

POOLED = json.loads((ROOT / "test/fixtures/display-ranges/pooled.json").read_text())


def summary(values: dict[str, float]) -> JobSummary:
    absent: dict[str, Any] = dict.fromkeys(one.name for one in dataclasses.fields(JobSummary))
    return JobSummary(**(absent | values))


@pytest.mark.parametrize("case", POOLED, ids=[case["name"] for case in POOLED])
def test_a_run_pools_ranges_by_the_formula_of_the_service(case: dict):
    expected = case["range"] and tuple(case["range"])
    assert pool_ranges([summary(values) for values in case["summaries"]]) == expected


@pytest.mark.parametrize("value", [0.0, -4.0, 7e-9, 1e300])
def test_the_scale_of_a_single_value_has_two_different_ends(value: float):
    ones = {"predicted_area_ha": 1, "mean": value, "cell_sd": 0}
    scale = common_scale([summary(ones | {"cell_min": value, "cell_max": value})], None)
    assert scale.low < scale.high
    assert scale.ticks
