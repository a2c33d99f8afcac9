"""Writes the report of a run from the files of its folder alone."""

from __future__ import annotations

import importlib.metadata
import importlib.resources
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ..folder import STATE_FOLDER, Folder
from ..outcomes import batch_file, read_outcomes
from ..results.columns import ResultJob, result_jobs
from ..results.facts import MODELS_FILE, TOTALS_FILE, Facts, current_facts
from ..results.write import TABLE_FILE
from ..run_state import RunState
from ..start import stored_jobs
from .files import CheckedFile, checked_file, file_faults, files_notice
from .html import Html, html
from .polygon_digest import polygon_digest
from .sections import area_section, facts_list, map_sections, model_sections, totals_section

__all__ = ["REPORT_FILE", "file_faults", "write_report"]

REPORT_FILE = "report.html"


def write_report(folder: Folder) -> list[CheckedFile]:
    """Returns the files that it was made from."""
    state = folder.require_run()
    fields, jobs = stored_jobs(folder, state)
    outcomes = read_outcomes(None, folder, state, jobs)
    recorded = folder.recorded()
    tables = [TABLE_FILE, TOTALS_FILE, MODELS_FILE]
    tables += [f"{STATE_FOLDER}/{batch_file(one)}" for one in state.batches]
    files = [
        one
        for name in tables
        if (one := checked_file(folder, name, recorded.get(name))) is not None
    ]
    for job in jobs:
        one = checked_file(folder, job.file, recorded.get(job.file))
        outcome = outcomes.jobs.get(job.index)
        if one is not None:
            files.append(one)
        elif outcome is not None and outcome.job.status == "completed":
            # It was never downloaded.
            files.append(CheckedFile(job.file, None, None))
    facts = current_facts(folder, outcomes)
    here = {one.file for one in files if one.found is not None}
    rows = result_jobs(jobs, outcomes, facts.descriptions, here)
    page = _page(folder, state, fields.crs_name, rows, fields.wgs84, files, facts)
    folder.write_result(REPORT_FILE, page.encode("utf-8", "replace"))
    return files


def _page(
    folder: Folder,
    state: RunState,
    crs: str,
    rows: Sequence[ResultJob],
    polygons: Sequence[Any],
    files: Sequence[CheckedFile],
    facts: Facts,
) -> Html:
    title = folder.path.resolve().name
    style = importlib.resources.files("soil_batch.report").joinpath("style.css").read_text("utf-8")
    return html(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src'
        " 'unsafe-inline'\">\n<title>{title}: soil report</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        "<header>\n<h1>{title}</h1>\n{run}\n</header>\n{notice}\n<h2>Totals</h2>\n{totals}\n{areas}\n{maps}\n"
        "{models}\n{method}\n{digests}\n<footer>Written by soil-batch {version} from the files of one run."
        "</footer>\n</body>\n</html>\n",
        title=title,
        style=Html(style),
        run=_run_facts(state, crs, rows),
        notice=files_notice(files),
        totals=totals_section(facts, rows),
        areas=area_section(rows, polygons),
        maps=map_sections(rows, facts, polygons),
        models=model_sections(facts),
        method=_method(facts),
        digests=_digests(state, rows, polygons, files, facts),
        version=importlib.metadata.version("soil-batch"),
    )


def _run_facts(state: RunState, crs: str, rows: Sequence[ResultJob]) -> Html:
    jobs = [row.job for row in rows if row.job is not None and row.job.status == "completed"]
    last = max((job.completed_at or "" for job in jobs), default="")
    source = state.source
    # A name could change the direction of what follows.
    fields = [] if source is None else [html("<bdi>{name}</bdi>", name=Path(source.path).name)]
    if source is not None and source.layer is not None:
        fields.append(html("layer <bdi>{name}</bdi>", name=source.layer))
    facts = [
        ("Maps", f"{len(jobs)} of {len(rows)} completed"),
        ("Fields", Html(", ".join([*fields, html("{crs}", crs=crs)]))),
        ("Started", _time_text(state.created_at)),
        *([("Last map", _time_text(last))] if last else []),
        ("Report", _time_text(datetime.now(timezone.utc).isoformat())),
        ("Service", state.base_url),
        ("Batches", ", ".join(state.batches)),
    ]
    return facts_list(facts)


def _time_text(time: str) -> str:
    """`2026-11-22 09:44 UTC` of an ISO time."""
    return f"{time[:16].replace('T', ' ')} UTC"


def _method(facts: Facts) -> Html:
    """How the figures are computed, and what their intervals do not contain."""
    totals = None if facts.totals is None else facts.totals.totals
    methods = [one.method for one in totals.totals if one.method] if totals is not None else []
    intervals = None
    if methods:
        intervals = html(
            "<p>Intervals (method {method}): errors of near cells are alike, as the model’s correlation says,"
            " and part of\nthe error is the same in all cells. The variance of a mean is the sum over all pairs"
            " of cells. A total sums over the\npairs of all fields, as if they were one polygon: neither the"
            " bounds nor the variances of fields add up to it. The\nstandard error is half the interval’s"
            " width, before it is cut at 0, divided by the normal quantile; that of a stock is\nthat of the"
            " mean × thickness × area.</p>",
            method=methods[0],
        )
    return html(
        "<h2>Method</h2>\n<p>A field’s area is the ground area of its polygon on the WGS 84 ellipsoid. Its area"
        " with values is this area × the\nshare of its cells that have a value, each cell weighted by the"
        " ground area of its part inside the field. Where cells have\nno value nothing is extrapolated: the"
        " mean is that of the cells with values, weighted likewise, and the stock is the\nmean × the layer’s"
        " thickness × the area with values. Fields that overlap count twice.</p>\n{intervals}\n<p>No interval"
        " here contains errors of the field’s outline, of sampling and laboratory beyond what the"
        " model’s\naccuracy shows, a comparison at equal soil mass instead of equal depth, or a change between"
        " years: the difference of\ntwo maps is not a measured change.</p>\n<p>Stocks of carbon are tonnes of"
        " carbon. CO₂ equivalents would be 44/12 of them, by molar mass. Whether carbon in the\nsoil is CO₂"
        " not emitted depends on a baseline, on permanence and on leakage: this report makes no such"
        " claim.</p>",
        intervals=intervals,
    )


def _digests(
    state: RunState,
    rows: Sequence[ResultJob],
    polygons: Sequence[Any],
    files: Sequence[CheckedFile],
    facts: Facts,
) -> Html:
    """SHA-256 of what the figures were made from."""
    of_polygons = {
        row.file: polygon_digest(polygons[row.run_job.field_index])
        for row in rows
        if row.file is not None
    }
    lines = []
    if state.source is not None:
        name = Path(state.source.path).name
        lines.append(_digest_row(f"{name}, the file of fields", state.source.sha256))
    stored = f"{STATE_FOLDER}/{state.stored}, the fields as read from it"
    lines.append(_digest_row(stored, state.digest))
    lines += [_digest_row(f"Pack of {one.model}", one.model_sha256) for one in facts.descriptions]
    for one in files:
        now = None if one.state == "unchanged" else one.found or "missing"
        polygon = of_polygons.get(one.file)
        lines.append(_digest_row(one.file, one.recorded or "not recorded", now, polygon))
    return html(
        '<h2 id="digests">Digests</h2>\n<p>SHA-256: “sha256sum” gives that of a file. Digests of files are'
        " those of the download, and “now” is what the folder\nhas. They show a change, but somebody who also"
        " changes the folder’s hidden “.soil-batch” is found only with the service:\nthe results table of a"
        " batch has its figures, and “npm run verify” predicts cells of a raster again. A polygon’s digest,"
        " of what\nwas sent, is POLYGON_SHA256 in its raster; a pack’s is of PACK_SHA256, the\ndigests of its"
        " files, with a line end after each line.</p>\n"
        '<table class="digests"><tbody>{lines}</tbody></table>',
        lines=lines,
    )


def _digest_row(what: str, digest: str, now: str | None = None, polygon: str | None = None) -> Html:
    return html(
        "<tr><td>{what}</td><td><code>{digest}</code>{now}{polygon}</td></tr>\n",
        what=what,
        digest=digest,
        now=html("<br><b>now <code>{now}</code></b>", now=now) if now else None,
        polygon=html("<br><small>polygon <code>{sha}</code></small>", sha=polygon)
        if polygon
        else None,
    )
