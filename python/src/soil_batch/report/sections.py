"""The sections of the report with figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..command.lists import cell_size_text
from ..command.texts import unit_text
from ..extras import pyproj
from ..fields import shape_of
from ..results.columns import ResultJob
from ..results.facts import Facts, ModelFacts
from ..schemas.batches import ModelDescription
from ..schemas.jobs import Job, JobSummary
from ..schemas.models import Model, ModelError
from ..schemas.totals import Total
from .fields_map import MappedField, fields_map
from .html import Html, decimals_of, estimate_text, figure, html, joined, shortened

# Outlines that enclose no area, or none that is certain.
_BROKEN_OUTLINE = re.compile(r"(geometry_|coordinates_|crs_|ring_)")
_SQUARE_METRES_PER_HECTARE = 10_000
_COLUMNS = 7
# What warnings say, without the numbers of each field, which are in its row.
_WARNINGS = {
    "static_model": "The map is static: the requested year makes no difference",
    "smaller_than_cell": "Smaller than a cell: the figures are of the cells that it touches",
    "partly_outside_coverage": "Partly outside the coverage of the model",
    "partly_outside_grid": "Partly outside the raster of the model",
    "cells_without_data": "Some cells have no value",
    "properties_dropped": "Properties too large to be kept",
    "interval_unavailable": "No interval",
    "impossible_values": "Some cells have a value that the property cannot have",
    "means_outside_bounds": (
        "Some cells have a mean outside their own bounds: the interval is too narrow"
    ),
    "outside_training": (
        "In some cells the model extrapolates beyond its training: errors may be larger than the bounds"
    ),
    "outside_applicability": (
        "Many cells are unlike all that the model was trained on: its accuracy need not hold there"
    ),
}


def totals_section(facts: Facts, rows: Sequence[ResultJob]) -> Html:
    """All fields of one model and period of data together."""
    if facts.totals is None:
        return html(
            "<p>The folder has no totals as downloaded: “soil-batch download” fetches them.</p>"
        )
    if facts.totals.totals is None:
        return html("<p>{missing}</p>", missing=facts.totals.totals_missing)
    names = {row.job.job_id: row.run_job.name for row in rows if row.job is not None}
    return joined(
        table
        for total in facts.totals.totals.totals
        for table in (_total_table(total, names), _strata_table(total))
    )


def _total_table(total: Total, names: Mapping[str, str]) -> Html:
    level = total.level
    interval = "" if level is None else f", {round(level * 100)} % interval, ± standard error"
    substance = ""
    if total.stock is not None and total.stock.substance:
        substance = f" of {total.stock.substance}"
    areas = decimals_of([total.predicted_area_ha])
    rows = [
        ("Fields with a result", str(total.jobs)),
        ("Their area", f"{figure(total.area_ha, areas)} ha"),
        ("of this with values", f"{figure(total.predicted_area_ha, areas)} ha"),
        ("without values, in no figure below", f"{figure(total.unpredicted_area_ha, areas)} ha"),
        (
            f"Mean of the area with values{interval}",
            estimate_text(
                total.mean,
                total.lower,
                total.upper,
                total.standard_error,
                decimals_of([total.mean]),
                unit_text(total.unit),
            ),
        ),
    ]
    if total.stock is not None:
        stock = total.stock
        error = total.stock_standard_error
        digits = decimals_of([stock.value])
        shown = estimate_text(stock.value, stock.lower, stock.upper, error, digits, "t")
        per_hectare = figure(total.stock_per_ha, decimals_of([total.stock_per_ha]))
        rows += [
            (f"Stock{substance}{interval}", shown),
            (f"Stock{substance} per hectare with values", f"{per_hectare} t/ha"),
        ]
    notes: list[str] = []
    if total.interval_missing is not None:
        notes.append(f"No interval: {total.interval_missing.message}")
    for one in total.job_warnings:
        what = _WARNINGS.get(one.code, one.code.replace("_", " "))
        fields = f"{one.jobs} {'field' if one.jobs == 1 else 'fields'}"
        share = figure(100 * one.area_ha / total.area_ha, 0) if total.area_ha else "?"
        notes.append(f"{what}: {fields} with {share} % of the area.")
    notes += [
        _overlaps_note(total, names) if one.code == "overlapping_fields" else one.message
        for one in total.warnings
    ]
    foot = [html('<tr><td colspan="2">{note}</td></tr>', note=note) for note in notes]
    layer = "" if total.depth_cm is None else f", {_range(total.depth_cm)} cm"
    static = "static map, " if total.temporal == "static" else ""
    return html(
        '<table class="totals">\n<caption>{caption}</caption>\n<tbody>\n{rows}</tbody>\n{foot}\n</table>',
        caption=f"{total.property or total.model}{layer}: {total.model}, requested for"
        f" {', '.join(map(str, total.years))}, {static}data of {_range(total.data_period)}",
        rows=[
            html('<tr><th>{name}</th><td class="n">{value}</td></tr>\n', name=name, value=value)
            for name, value in rows
        ],
        foot=html("<tfoot>{foot}</tfoot>", foot=foot) if foot else None,
    )


def _overlaps_note(total: Total, names: Mapping[str, str]) -> Html:
    """Instead of the service's message, in which a name could change the direction of what follows."""
    pairs = [
        " and ".join(html("<bdi>{name}</bdi>", name=names.get(id, id)) for id in one.job_ids)
        + f" by {figure(one.overlap_ha, decimals_of([one.overlap_ha]))} ha"
        for one in total.overlaps
    ]
    return html(
        "Fields overlap, by {sum} ha in all: {pairs}. Area and stock count that once for each field.",
        sum=figure(total.overlap_ha, decimals_of([total.overlap_ha])),
        pairs=Html("; ".join(pairs)),
    )


def _strata_table(total: Total) -> Html:
    """The same figures of each stratum, whose intervals do not add up to that of the total."""
    if not total.strata:
        return html("")
    areas = decimals_of([one.predicted_area_ha for one in total.strata])
    means = decimals_of([one.mean for one in total.strata])
    stocks = decimals_of([one.stock.value for one in total.strata if one.stock is not None])
    rows = []
    for one in total.strata:
        mean = estimate_text(one.mean, one.lower, one.upper, one.standard_error, means)
        stock = html("–")
        if one.stock is not None:
            value, lower, upper = one.stock.value, one.stock.lower, one.stock.upper
            stock = estimate_text(value, lower, upper, one.stock_standard_error, stocks)
        rows.append(
            html(
                '<tr><td>{value}</td><td class="n">{jobs}</td><td class="n">{area}</td><td class="n">{with_values}</td>'
                '<td class="n">{mean}</td><td class="n">{stock}</td></tr>\n',
                value="without a stratum" if one.value is None else shortened(one.value, 60),
                jobs=one.jobs,
                area=figure(one.area_ha, areas),
                with_values=figure(one.predicted_area_ha, areas),
                mean=mean,
                stock=stock,
            )
        )
    return html(
        '<table class="totals">\n<thead><tr><th>Stratum</th><th>Fields</th><th>Area, ha</th>'
        "<th>with values, ha</th><th>Mean, {unit}</th><th>Stock, t</th></tr></thead>\n<tbody>{rows}</tbody>\n</table>",
        unit=unit_text(total.unit),
        rows=rows,
    )


def area_section(rows: Sequence[ResultJob], polygons: Sequence[Any]) -> Html:
    """Where the hectares of all fields went, for each requested year, and why fields have no result."""
    hectares = {id(row): _hectares(row, polygons) for row in rows}
    decimals = decimals_of(hectares.values())
    years = list(dict.fromkeys(row.run_job.year for row in rows))
    return html(
        '<h2>Areas</h2>\n<table class="areas">\n<thead><tr><th>Requested year</th><th>Fields</th>'
        "<th>Area, ha</th><th>with values, ha</th><th>without values, ha</th>"
        "<th>of fields without a result, ha</th></tr></thead>\n<tbody>{years}</tbody>\n</table>\n{without}",
        years=[
            _area_row(year, [one for one in rows if one.run_job.year == year], hectares, decimals)
            for year in years
        ],
        without=_without_result(rows, hectares, decimals),
    )


def _area_row(
    year: int, rows: Sequence[ResultJob], hectares: dict[int, float | None], decimals: int
) -> Html:
    summaries = [row.summary for row in rows if row.summary is not None]
    every = sum(hectares[id(row)] or 0 for row in rows)
    predicted = sum(one.predicted_area_ha for one in summaries)
    with_result = sum(one.area_ha for one in summaries)
    unknown = sum(hectares[id(row)] is None for row in rows)
    note = (
        html("<br><small>and {count} of unknown area</small>", count=unknown) if unknown else None
    )
    cells = [every, predicted, with_result - predicted, every - with_result]
    return html(
        '<tr><td class="n">{year}</td><td class="n">{count}</td>{cells}</tr>\n',
        year=year,
        count=len(rows),
        cells=[
            html(
                '<td class="n">{value}{note}</td>',
                value=figure(value, decimals),
                note=note if at == len(cells) - 1 else None,
            )
            for at, value in enumerate(cells)
        ],
    )


def _without_result(
    rows: Sequence[ResultJob], hectares: dict[int, float | None], decimals: int
) -> Html | None:
    without = [row for row in rows if row.summary is None]
    if not without:
        return None
    return html(
        '<h2>Fields without a result</h2>\n<table class="failed">\n<thead><tr><th>Field</th><th>Year</th>'
        "<th>Area, ha</th><th>Why</th></tr></thead>\n<tbody>{rows}</tbody>\n</table>",
        rows=[
            html(
                '<tr><th scope="row">{name}</th><td class="n">{year}</td><td class="n">{area}</td>'
                "<td>{why}</td></tr>\n",
                name=row.run_job.name,
                year=row.run_job.year,
                area=figure(hectares[id(row)], decimals),
                why=_reason(row.job),
            )
            for row in without
        ],
    )


def _reason(job: Job | None) -> str:
    if job is None:
        return "Not known: not submitted, or its list of jobs was changed."
    if job.status == "completed":
        return "The model predicts no mean."
    return job.error_message or f"Not finished: {job.status}."


def _hectares(row: ResultJob, polygons: Sequence[Any]) -> float | None:
    """None if the outline is broken. The service tells none of a field that failed."""
    if row.summary is not None:
        return row.summary.area_ha
    code = None if row.job is None else row.job.error_code
    if _BROKEN_OUTLINE.match(code or ""):
        return None
    try:
        shape = shape_of(polygons[row.run_job.field_index])
        if shape is None:
            return None
        area, _ = pyproj().Geod(ellps="WGS84").geometry_area_perimeter(shape)
    except ImportError:
        return None
    return float(abs(area)) / _SQUARE_METRES_PER_HECTARE


def map_sections(rows: Sequence[ResultJob], facts: Facts, polygons: Sequence[Any]) -> Html:
    """A map and a table for each model, requested year and period of data."""
    groups: dict[tuple[str, int, str], list[tuple[ResultJob, Job, JobSummary]]] = {}
    for row in rows:
        job, summary = row.job, row.summary
        if job is not None and summary is not None and job.model is not None:
            key = (job.model, row.run_job.year, _range(job.data_period or ()))
            groups.setdefault(key, []).append((row, job, summary))
    without = [row for row in rows if row.summary is None]
    sections = []
    for (model, year, period), ones in groups.items():
        described = next((one for one in facts.descriptions if one.model == model), None)
        title = _title(model, year, period, described)
        unit = ones[0][2].unit
        drawn = [
            row for row in [*(row for row, _, _ in ones), *without] if row.run_job.year == year
        ]
        fields = [
            MappedField(
                row.run_job.name,
                polygons[row.run_job.field_index],
                None if row.summary is None else row.summary.mean,
            )
            for row in drawn
            if polygons[row.run_job.field_index] is not None
        ]
        notes = [
            text for _, job, _ in ones for text in _messages(job, lambda one: one == "static_model")
        ]
        sections.append(
            html(
                "<h2>{title}</h2>\n{notes}\n<figure>{map}<figcaption>Mean of each field, {unit}</figcaption>"
                "</figure>\n{table}",
                title=title,
                # It says what the requested year means, the same for each field.
                notes=[html("<p>{note}</p>", note=note) for note in dict.fromkeys(notes)],
                map=fields_map(fields, unit, title),
                unit=unit_text(unit),
                table=_field_table(ones, title),
            )
        )
    return joined(sections)


def _title(model: str, year: int, period: str, described: ModelDescription | None) -> str:
    depth = None if described is None else described.depth_cm
    layer = "" if depth is None else f", {_range(depth)} cm"
    what = "Mean" if described is None or described.property is None else described.property
    return f"{what}{layer}: {model}, requested for {year}, data of {period}"


def _messages(job: Job, wanted: Callable[[str], bool]) -> list[str]:
    return [one.message for one in job.warnings if wanted(one.code)]


def _field_table(ones: Sequence[tuple[ResultJob, Job, JobSummary]], title: str) -> Html:
    summaries = [summary for _, _, summary in ones]
    areas = decimals_of(one.area_ha for one in summaries)
    means = decimals_of(one.mean for one in summaries)
    stocks = decimals_of(None if one.stock is None else one.stock.value for one in summaries)
    per_hectare = decimals_of(one.stock_per_ha for one in summaries)
    unit = unit_text(summaries[0].unit)
    level = next((one.level for one in summaries if one.level is not None), None)
    interval = None
    if level is not None:
        interval = html(
            "<br><small>{level} % interval<br>± standard error</small>", level=round(level * 100)
        )
    substance = next((one.stock.substance for one in summaries if one.stock is not None), None)
    rows = []
    for row, job, one in ones:
        stock: Any = "–"
        if one.stock is not None:
            error = stock_error(one)
            stock = estimate_text(one.stock.value, one.stock.lower, one.stock.upper, error, stocks)
        rows.append(
            html(
                '<tr><th scope="row">{name}</th><td class="n">{area}</td><td class="n">{predicted}</td>'
                '<td class="n">{mean}</td><td class="n">{stock}</td><td class="n">{per_hectare}</td>'
                '<td class="n">{least} to {most}<br><small>{sd}</small></td></tr>\n',
                name=row.run_job.name,
                area=figure(one.area_ha, areas),
                predicted=figure(one.predicted_area_ha, areas),
                mean=estimate_text(one.mean, one.lower, one.upper, one.standard_error, means),
                stock=stock,
                per_hectare=figure(one.stock_per_ha, per_hectare),
                least=figure(one.cell_min, means),
                most=figure(one.cell_max, means),
                sd=figure(one.cell_sd, means),
            )
        )
        notes = _messages(job, lambda code: code != "static_model")
        if notes:
            note = '<tr class="note"><td colspan="{columns}">{notes}</td></tr>\n'
            rows.append(html(note, columns=_COLUMNS, notes=" ".join(notes)))
    return html(
        '<table class="fields">\n<thead><tr><th colspan="{columns}">{title}</th></tr>\n<tr><th>Field</th>'
        "<th>Area, ha</th><th>with values, ha</th><th>Mean, {unit}{interval}</th>"
        "<th>Stock{of}, t{interval}</th><th>Stock, t/ha</th><th>Cells, {unit}<br><small>least to greatest<br>"
        "standard deviation</small></th></tr></thead>\n<tbody>{rows}</tbody>\n<tfoot>{sum}</tfoot>\n</table>",
        columns=_COLUMNS,
        title=title,
        unit=unit,
        interval=interval,
        of=f" of {substance}" if substance else "",
        rows=rows,
        sum=_sum_row(summaries, areas, stocks),
    )


def stock_error(summary: JobSummary) -> float | None:
    """A stock is the mean × thickness × area, and so is its error."""
    if summary.stock is None or summary.standard_error is None or summary.mean == 0:
        return None
    return summary.standard_error * abs(summary.stock.value / summary.mean)


def _sum_row(summaries: Sequence[JobSummary], areas: int, stocks: int) -> Html:
    values = [None if one.stock is None else one.stock.value for one in summaries]
    known = [one for one in values if one is not None]
    return html(
        '<tr><th scope="row">Sum of {count}</th><td class="n">{area}</td><td class="n">{predicted}</td><td>'
        '</td><td class="n">{stock}</td><td colspan="2"><small>intervals and errors do not add up: see'
        " Totals</small></td></tr>",
        count=len(summaries),
        area=figure(sum(one.area_ha for one in summaries), areas),
        predicted=figure(sum(one.predicted_area_ha for one in summaries), areas),
        stock=figure(sum(known) if len(known) == len(values) else None, stocks),
    )


def model_sections(facts: Facts) -> Html:
    """What each model predicts, how well, and from what."""
    if facts.models is None:
        return html(
            "<h2>Models</h2><p>The folder has no models.json as downloaded: “soil-batch download” fetches"
            " it.</p>"
        )
    return joined(map(_model_section, facts.models))


def _model_section(one: ModelFacts) -> Html:
    model, published = one.described, one.published
    facts = [
        ("Property", model.property),
        ("Model", model.model),
        ("Unit", None if model.unit is None else unit_text(model.unit)),
        ("Layer", None if model.depth_cm is None else f"{_range(model.depth_cm)} cm"),
        ("Stock of", model.substance),
        ("One value stands for", model.sample_support),
    ]
    if published is not None:
        facts += [
            ("Data of", _range(published.data_period)),
            ("Grid", f"{cell_size_text(published)} in {published.grid.crs}"),
            ("Errors", _error_text(published.error)),
            ("Not for", "; ".join(published.not_for) or None),
        ]
    missing = html("<p>The service no longer has {model}.</p>", model=model.model)
    return html(
        "<h2>{title}</h2>\n{facts}\n{details}",
        title=model.model if published is None else published.title,
        facts=facts_list([(name, text) for name, text in facts if text is not None]),
        details=missing if published is None else _details(published),
    )


def facts_list(facts: Sequence[tuple[str, str]]) -> Html:
    ones = [html("<dt>{name}</dt><dd>{text}</dd>", name=name, text=text) for name, text in facts]
    return html("<dl>{ones}</dl>", ones=ones)


def _error_text(error: ModelError | None) -> str:
    if error is None:
        return "not declared"
    correlated = "no correlation declared, so no interval of an area"
    if error.correlation is not None:
        one = error.correlation
        correlated = f"correlation (1 − {one.nugget:g}) e^(−h ÷ {one.range_m:g} m)"
    return (
        f"bounds of a cell {error.lower} to {error.upper}; {correlated}; shared by all cells:"
        f" {100 * error.systematic_relative_sd:.1f} % of the value ({error.how})"
    )


def _details(model: Model) -> Html:
    return html(
        '<table class="accuracy">\n<thead><tr><th>Measured accuracy</th><th>Value</th><th>How</th></tr>'
        '</thead>\n<tbody>{accuracy}</tbody></table>\n<ul class="sources">{licenses}</ul>',
        accuracy=[
            html(
                '<tr><td>{metric}</td><td class="n">{value}</td><td>{how}</td></tr>\n',
                metric=unit_text(one.metric),
                value=f"{one.value:g}",
                how=one.how,
            )
            for one in model.accuracy
        ],
        licenses=[
            html("<li>{text}</li>\n", text=f"{one.part}: {one.citation} ({one.license})")
            for one in model.licenses
        ],
    )


def _range(pair: Sequence[float]) -> str:
    return "–".join(dict.fromkeys(f"{one:g}" for one in pair))
