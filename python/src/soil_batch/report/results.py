"""Prepares the totals, maps, tables and pictures that the report shows for each model and data period."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..results.facts import Facts, ModelFacts
from ..schemas.totals import Total
from .cells import MOST_PICTURE_BYTES, Cells, read_cells
from .colours import Scale, common_scale
from .fields import Field, PredictedField
from .fields_map import FieldsMap, prepare_fields_map
from .numbers import figure_text, range_text

# Texts for warnings of several fields: the messages of the service contain the numbers of a single field.
_WARNINGS = {
    "static_model": "The map is static: the requested year makes no difference",
    "smaller_than_cell": "The field, or a part of it, is smaller than a cell or contains no cell centre: its map covers ground outside it",
    "partly_outside_coverage": "Partly outside the coverage of the model",
    "partly_outside_grid": "Partly outside the grid of the model",
    "cells_without_data": "Some cells have no value",
    "properties_dropped": "Properties too large or too deeply nested to be kept",
    "interval_unavailable": "No interval",
    "impossible_values": "Some cells have a value that is impossible for the property",
    "means_outside_bounds": (
        "Some cells have a mean outside their own bounds: the interval is too narrow"
    ),
    "outside_training": (
        "In some cells, the model extrapolates beyond its training data: errors may exceed the bounds"
    ),
    "outside_applicability": (
        "Many cells differ from all training data of the model: its accuracy may not hold there"
    ),
}


@dataclass(frozen=True)
class YearMap:
    """The fields with a result in one requested year."""

    year: int
    fields: Sequence[PredictedField]
    #: The remarks on each field, without those in `Result.remarks`.
    remarks: Sequence[Sequence[str]]
    map: FieldsMap | None
    cells: Cells


@dataclass(frozen=True)
class Result:
    model: str
    #: The model's facts; None if they are not in the folder.
    facts: ModelFacts | None
    total: Total | None
    #: The remarks that all fields of a year share, and those on the total.
    remarks: Sequence[str]
    scale: Scale
    maps: Sequence[YearMap]

    @property
    def first(self) -> PredictedField:
        """The first field, from which values shared by all fields are read."""
        return self.maps[0].fields[0]

    @property
    def level(self) -> float | None:
        levels = (one.summary.level for year in self.maps for one in year.fields)
        return next((level for level in levels if level is not None), None)

    @property
    def substance(self) -> str | None:
        stocks = (one.summary.stock for year in self.maps for one in year.fields)
        return next((stock.substance for stock in stocks if stock is not None), None)

    @property
    def title(self) -> str:
        described = None if self.facts is None else self.facts.described
        what = "mean" if described is None else described.property or "mean"
        depth = None if described is None else described.depth_cm
        layer = "" if depth is None else f", {range_text(depth)} cm"
        return f"{what[:1].upper()}{what[1:]}{layer}"

    @property
    def source(self) -> str:
        static = "static map, " if self.first.job.temporal == "static" else ""
        years = ", ".join(str(one.year) for one in self.maps)
        period = range_text(self.first.job.data_period or ())
        return f"{self.model}, requested for {years}, {static}data of {period}"


def group_results(fields: Sequence[Field], facts: Facts) -> list[Result]:
    found = None if facts.totals is None else facts.totals.totals
    totals = () if found is None else found.totals
    groups: dict[tuple[str, object, int | None], dict[int, list[PredictedField]]] = {}
    for field in fields:
        if isinstance(field, PredictedField):
            at = next(
                (at for at, total in enumerate(totals) if _total_includes(total, field)), None
            )
            years = groups.setdefault((field.model, field.job.data_period, at), {})
            years.setdefault(field.year, []).append(field)
    results = []
    budget = MOST_PICTURE_BYTES
    for (model, _, at), years in groups.items():
        known = next((one for one in facts.models or () if one.described.model == model), None)
        scale = common_scale(
            [
                one.summary
                for one in fields
                if isinstance(one, PredictedField) and one.model == model
            ],
            known,
        )
        shared = _find_shared_warnings(years.values())
        maps = []
        for year, ones in years.items():
            asked = {(year, one.requested) for one in ones}
            without = [
                one for one in fields if one.summary is None and (one.year, one.requested) in asked
            ]
            cells = read_cells(ones, known, scale, budget)
            budget -= cells.picture_bytes
            own = [
                [one.message for one in field.job.warnings if one.message not in shared]
                for field in ones
            ]
            maps.append(
                YearMap(year, ones, own, prepare_fields_map([*ones, *without], scale), cells)
            )
        total = None if at is None else totals[at]
        remarks = [*shared, *([] if total is None else _list_remarks(total, set(shared.values())))]
        results.append(Result(model, known, total, remarks, scale, maps))
    return results


def _total_includes(total: Total, field: PredictedField) -> bool:
    same = (total.model, total.data_period) == (field.model, field.job.data_period)
    return same and field.year in total.years


def _find_shared_warnings(years: Iterable[Sequence[PredictedField]]) -> dict[str, str]:
    """Maps the message to the code of each warning that all fields of a year have, if there are several fields."""
    shared: dict[str, str] = {}
    for ones in years:
        counts = Counter(warning for field in ones for warning in set(field.job.warnings))
        shared |= {one.message: one.code for one, n in counts.items() if n == len(ones) > 1}
    return shared


def _list_remarks(total: Total, shown: set[str]) -> list[str]:
    remarks = []
    if total.interval_missing is not None:
        remarks.append(f"No interval: {total.interval_missing.message}")
    for one in total.job_warnings:
        if one.code not in shown:
            what = _WARNINGS.get(one.code, one.code.replace("_", " "))
            fields = f"{one.jobs} {'field' if one.jobs == 1 else 'fields'}"
            share = figure_text(100 * one.area_ha / total.area_ha, 0) if total.area_ha else "?"
            remarks.append(f"{what}: {fields} with {share} % of the area.")
    # The report lists overlapping fields separately.
    return [*remarks, *(one.message for one in total.warnings if one.code != "overlapping_fields")]
