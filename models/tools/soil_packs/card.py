from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_MARK = "<!-- Written by soil_packs; a card of your own replaces it. -->"


def is_generated(text: str) -> bool:
    return _MARK in text


def summarise_accuracy(found: Mapping[str, Any], unit: str) -> list[dict[str, Any]]:
    figures = found["accuracy"]
    how = {"how": f"{figures['n']} held-out samples", "command": "npm run pack-validate"}
    rows = [("R2", figures["r2"]["value"])]
    rows += [(f"RMSE ({unit})", figures["rmse"]), (f"bias ({unit})", figures["bias"])]
    for one in found["coverage"]:
        rows.append((f"values between {one['lower']} and {one['upper']}", one["inside"]["value"]))
    return [{"metric": metric, "value": round(value, 4), **how} for metric, value in rows]


def format_card(manifest: Mapping[str, Any], doubts: Sequence[str] = ()) -> str:
    """:param doubts: reasons to doubt the figures of the validation"""
    grid, layer = manifest["grid"], manifest["property"]
    low, high = manifest.get("trained_range", (None, None))
    lines = [
        _MARK,
        "",
        f"# {manifest['title']}",
        "",
        f"`{manifest['id']}@{manifest['version']}` predicts {layer['name']} in {layer['unit']},"
        f" {layer['depth_cm'][0]} to {layer['depth_cm'][1]} cm deep, for cells of"
        f" {grid['cell_size']:g} × {grid['cell_size']:g} in the units of {grid['crs']['name']}. Each value stands for:"
        f" {manifest['sample_support']}.",
    ]
    if low is not None:
        lines += ["", f"The training data have values from {low:g} to {high:g} {layer['unit']}."]
    if manifest.get("not_for"):
        lines += ["", "It is not for:", "", *(f"- {one}" for one in manifest["not_for"])]
    lines += ["", "## Accuracy", ""]
    if manifest["accuracy"]:
        lines += ["| metric | value | based on |", "| --- | --- | --- |"]
        lines += [f"| {a['metric']} | {a['value']:g} | {a['how']} |" for a in manifest["accuracy"]]
        lines += ["", *(f"- Doubtful: {one}." for one in doubts)] if doubts else []
    else:
        lines += [
            "Not measured. `pack.validate` compares the pack with samples that the model did not see."
        ]
    error = manifest.get("error")
    if error is None:
        lines += [
            "",
            "Means of fields have no interval: estimate the correlation of errors with `pack.errors`.",
        ]
    else:
        lines += ["", f"Intervals of fields: {error['how']}."]
    area = manifest.get("applicability")
    if area is not None:
        lines += ["", f"Area of applicability: {area['how']}."]
    lines += ["", "## Covariates", "", "| name | unit | training data |", "| --- | --- | --- |"]
    for one in manifest["covariates"]:
        seen = one.get("trained_range") or one.get("trained_classes") or "not stated"
        lines.append(f"| {one['name']} | {one.get('unit') or ''} | {_format_values(seen)} |")
    lines += ["", "## Licenses", ""]
    lines += [
        f"- {one['part']}: {one['license']} ({one['citation']})" for one in manifest["licenses"]
    ]
    return "\n".join(lines) + "\n"


def _format_values(values: Any) -> str:
    return values if isinstance(values, str) else ", ".join(f"{value:g}" for value in values)
