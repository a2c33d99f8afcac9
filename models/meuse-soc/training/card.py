"""Writes the model card's tables between its markers, from the measured figures.

As a script, it writes them from `build/accuracy.json`.
"""

from __future__ import annotations

import json
import re

import area
from intervals import exact_bounds
from learners import CHOSEN

README = area.PACK / "README.md"
ERRORS = area.BUILD / "errors.json"
COMMAND = "python models/meuse-soc/training/evaluate.py"
CV = "10 × 10-fold cross-validation"
SPATIAL = "10 × 10 k-means blocks held out"
DISCS = {"all": "all {} discs", "disjoint": "{} disjoint discs"}
DERIVED = "of derived targets"
PERTURBED = "of targets with the bulk density's error"


def rounded(value):
    """Rounds all numbers of a nested structure to three decimals."""
    if isinstance(value, float):
        return round(value, 3)
    if isinstance(value, list):
        return [rounded(item) for item in value]
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return value


def bounds_text(share: float, n: int) -> str:
    low, high = exact_bounds(round(share, 3), n)
    return f"{low:.3f}–{high:.3f}"


def figures(chosen: dict, intervals: dict, samples: int) -> list[dict]:
    """The figures of the manifest and of the card's first table; `metric` is unique."""
    result = []

    def add(metric: str, value: float, how: str) -> None:
        result.append({"metric": metric, "value": round(value, 3), "how": how, "command": COMMAND})

    def add_share(metric: str, share: float, how: str) -> None:
        add(metric, share, f"{how}; n {samples}, 95 % interval {bounds_text(share, samples)}")

    for design, prefix, how in (("cv", "", CV), ("spatial_cv", "spatial ", SPATIAL)):
        add(f"{prefix}R2", chosen[f"{design}_r2"], f"{DERIVED}, {how}")
        add(f"{prefix}RMSE (kg/m3)", chosen[f"{design}_rmse"], f"{DERIVED}, {how}")
        error = f"predicted − observed {DERIVED}"
        add(f"{prefix}bias (kg/m3)", chosen[f"{design}_bias"], f"{error}, {how}")
        for end, third in (("low", "lowest"), ("high", "highest")):
            add(
                f"{prefix}bias, {third} third (kg/m3)",
                chosen[f"{design}_bias_{end}"],
                f"{error} where the prediction is in its {third} third, {how}",
            )
        covers = intervals[design]
        add_share(
            f"{prefix}coverage, forest only",
            covers["forest"],
            f"share {DERIVED} inside the forest's own interval, {how}",
        )
        add_share(
            f"{prefix}coverage, q05 to q95",
            covers["full"],
            f"share {PERTURBED} inside the interval as published, {how}",
        )
        for bound, side in (("below_q05", "below q05"), ("above_q95", "above q95")):
            add_share(
                f"{prefix}share {side}",
                covers[bound],
                f"share {PERTURBED} {side} as published, where 0.05 is claimed, {how}",
            )
        add(
            f"{prefix}width, q05 to q95 (kg/m3)",
            covers["width"],
            f"mean, {how}",
        )
    return result


def table(head: list[str], rows: list[list[str]]) -> str:
    widths = [max(3, *(len(cell) for cell in column)) for column in zip(head, *rows)]
    lines = [head, ["-" * width for width in widths], *rows]
    padded = ([cell.ljust(width) for cell, width in zip(line, widths)] for line in lines)
    return "\n".join("| " + " | ".join(line) + " |" for line in padded)


def accuracy_table(report: dict) -> str:
    """The shares are in the table of the intervals, with their bounds."""
    values = {figure["metric"]: f"{figure['value']:.3f}" for figure in report["figures"]}
    chosen = next(row for row in report["learners"] if row["learner"] == CHOSEN)
    rows = [
        [metric, value, values[f"spatial {metric}"]]
        for metric, value in values.items()
        if not metric.startswith(("spatial", "coverage", "share"))
    ]
    of_map = [f"{chosen[f'{design}_r2_map']:.3f}" for design in ("cv", "spatial_cv")]
    return table(["figure", CV, SPATIAL], [rows[0], ["R2, weighted by area", *of_map], *rows[1:]])


def learners_table(report: dict) -> str:
    rows = [
        [
            row["learner"],
            f"{row['cv_r2']:.3f} ± {row['cv_r2_sd']:.3f}",
            f"{row['cv_r2_map']:.3f}",
            f"{row['cv_rmse']:.2f}",
            f"{row['spatial_cv_r2']:.3f} ± {row['spatial_cv_r2_sd']:.3f}",
            f"{row['spatial_cv_rmse']:.2f}",
        ]
        for row in report["learners"]
    ]
    head = ["learner", "R²", "R² of the map", "RMSE", "spatial R²", "spatial RMSE"]
    return table(head, rows)


def intervals_table(report: dict) -> str:
    names = {
        "forest_uncalibrated": ("forest only, at 0.05 and 0.95", "derived"),
        "forest": ("forest only, calibrated", "derived"),
        "full_uncalibrated": ("with the error, at 0.05 and 0.95", "with error"),
        "full": ("as published: with the error, calibrated", "with error"),
        "full_on_derived": ("as published (looks better than it is)", "derived"),
        "below_q05": ("below q05 as published (claimed: 0.05)", "with error"),
        "above_q95": ("above q95 as published (claimed: 0.05)", "with error"),
        "full_low": ("as published, lowest third of the predictions", "with error"),
        "full_middle": ("as published, middle third", "with error"),
        "full_high": ("as published, highest third", "with error"),
    }
    samples = report["data"]["samples"]
    rows = []
    for name, (text, targets) in names.items():
        n = samples // 3 if name in ("full_low", "full_middle", "full_high") else samples
        shares = [report["intervals"][design][name] for design in ("cv", "spatial_cv")]
        cells = [f"{share:.3f} ({bounds_text(share, n)})" for share in shares]
        rows.append([text, targets, str(n), *cells])
    return table(
        ["share inside the 90 % interval", "targets", "n", "10 × 10-fold", "spatial"], rows
    )


def correlation_table(report: dict) -> str:
    columns = {
        "share": "{:g}",
        "systematic": "{:.3f}",
        "fit_nugget": "{:.2f}",
        "fit_range_m": "{:.0f}",
        "fit_integral_ha": "{:.1f}",
        "upper_integral_ha": "{:.1f}",
        "nugget": "{:.2f}",
        "range_m": "{:.0f}",
        "half_width": "{:.1f}",
        "change": "{:.1f}",
        "years": "{:.0f}",
    }
    head = [
        "shared part",
        "systematic relative sd",
        "nugget, fit",
        "range, fit (m)",
        "integral, fit (ha)",
        "integral, 80 % bound (ha)",
        "nugget, declared",
        "range, declared (m)",
        "half-width (kg/m³)",
        "change (kg/m³)",
        "years",
    ]
    rows = [
        [text.format(row[name]) for name, text in columns.items()] for row in report["correlation"]
    ]
    return table(head, rows)


def discs_table(report: dict) -> str:
    names = {
        "averaged": "mean of the cells' bounds",
        "independent": "cells taken as independent",
        "published": "as published",
    }
    columns = {
        f"{label.format(report['discs'][which]['discs'])}, {targets}": (which, of)
        for which, label in DISCS.items()
        for of, targets in (("derived", "derived targets"), ("with_error", "with error"))
    }
    rows = []
    for name, text in names.items():
        row = [text]
        for which, of in columns.values():
            assessed = report["discs"][which]
            share = assessed[name][of]
            row.append(f"{share:.3f} ({bounds_text(share, assessed['discs'])})")
        rows.append([*row, f"{report['discs']['all'][name]['width']:.3f}"])
    return table(["interval of a disc's mean", *columns, "width (kg/m³)"], rows)


def data_table(report: dict) -> str:
    names = {
        "samples": "samples with organic matter",
        "cells": "10 m cells in the mask",
        "target_min": "lowest target (kg/m³)",
        "target_mean": "mean target (kg/m³)",
        "target_max": "highest target (kg/m³)",
        "river_distance_correlation": "correlation of `river_distance` with the surveyed `dist.m`",
        "flooding_agreement": "share of the samples whose surveyed `ffreq` is that of their cell",
        "soil_agreement": "share of the samples whose surveyed `soil` is that of their cell",
        "cells_in_river": "mask cells whose centre lies inside the river's outline",
        "samples_in_river": "samples inside the river's outline",
    }
    data = report["data"]
    rows = []
    for name, text in names.items():
        share = name.endswith("_agreement")
        interval = f" (95 % interval {bounds_text(data[name], data['samples'])})" if share else ""
        rows.append([f"{text}{interval}", f"{data[name]:g}"])
    return table(["data", "value"], rows)


def write_tables(report: dict) -> None:
    errors = json.loads(ERRORS.read_text())
    tables = {
        "accuracy": accuracy_table(report),
        "data": data_table(report),
        "learners": learners_table(report),
        "intervals": intervals_table(report),
        "correlation": correlation_table(errors),
        "discs": discs_table(errors),
    }
    text = README.read_text()
    for name, content in tables.items():
        marked = rf"(<!-- {name}: .*? -->\n)(.*?)(\n<!-- /{name} -->)"
        place = re.search(marked, text, flags=re.DOTALL)
        if place is None:
            raise ValueError(f"the card has no markers for the table {name}")
        start, end = place.span(2)
        text = text[:start] + content + text[end:]
    README.write_text(text)


if __name__ == "__main__":
    write_tables(json.loads((area.BUILD / "accuracy.json").read_text()))
