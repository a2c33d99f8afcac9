from __future__ import annotations

import base64
import hashlib
import importlib.metadata
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from ..command.lists import cell_size_text
from ..command.texts import unit_text
from ..folder import STATE_FOLDER
from ..outcomes import batch_file_name
from ..results.columns import ResultJob, list_result_jobs
from ..results.facts import MODELS_FILE, TOTALS_FILE, Facts, current_facts
from ..results.write import TABLE_FILE, compute_source_digest
from ..run_state import RunState
from ..schemas.jobs import JobSummary
from ..snapshot import RunSnapshot
from .fields import list_report_fields, sum_areas
from .fields_map import LABEL_SIZE
from .files import CheckedFile, check_file, describe_faults
from .numbers import choose_ticks, decimals_of, figure_text, plain_text, range_text
from .polygon_digest import polygon_digest
from .results import group_results

__all__ = ["REPORT_FILE", "describe_faults", "write_report"]

REPORT_FILE = "report.html"


def write_report(snapshot: RunSnapshot, *, again: bool = False) -> list[CheckedFile]:
    """Writes the report. Returns the files that it was made from.

    :param again: write the report even if it was already made from these files
    """
    stored, outcomes, here = snapshot.stored, snapshot.outcomes, snapshot.here
    folder, state, fields, jobs = stored.folder, stored.state, stored.fields, stored.jobs
    tables = [TABLE_FILE, TOTALS_FILE, MODELS_FILE]
    tables += [f"{STATE_FOLDER}/{batch_file_name(one)}" for one in state.batches]
    files = [one for name in tables if (one := check_file(folder, here, name)) is not None]
    for job in jobs:
        one = check_file(folder, here, job.file)
        outcome = outcomes.jobs.get(job.index)
        if one is not None:
            files.append(one)
        elif outcome is not None and outcome.job.status == "completed":
            # The file was never downloaded.
            files.append(CheckedFile(job.file, None, None))
    # Without rasterio, the report has no pictures.
    has_pictures = find_spec("rasterio") is not None
    title = folder.path.resolve().name
    statuses = [(index, one.job.status) for index, one in sorted(outcomes.jobs.items())]
    source = compute_source_digest(
        title,
        asdict(state),
        [asdict(one) for one in files],
        statuses,
        sorted(outcomes.expired),
        has_pictures,
    )
    if not again and here.is_current(REPORT_FILE, source):
        return files
    facts = current_facts(here, outcomes)
    found = {one.file for one in files if one.found is not None}
    rows = list_result_jobs(jobs, outcomes, facts.descriptions, found)
    rasters = {one.file: folder.path / one.file for one in files if one.state == "unchanged"}
    fields_of_report = list_report_fields(rows, fields.wgs84, rasters)
    completed = [
        one.job for one in fields_of_report if one.job is not None and one.job.status == "completed"
    ]
    reasons = Counter(one.why for one in fields_of_report if one.summary is None)
    page = (
        _environment()
        .get_template("report.html.jinja")
        .render(
            title=title,
            state=state,
            source=None if state.source is None else Path(state.source.path).name,
            crs=fields.crs_name,
            completed=len(completed),
            last=max((job.completed_at or "" for job in completed), default=""),
            now=datetime.now(UTC).isoformat(),
            files=files,
            faults=describe_faults(files),
            facts=facts,
            names={one.job.job_id: one.name for one in fields_of_report if one.job is not None},
            results=group_results(fields_of_report, facts),
            joined=()
            if facts.totals is None or facts.totals.totals is None
            else facts.totals.totals.joined,
            fields=fields_of_report,
            reasons=[why for why, count in reasons.most_common() if count > 1],
            areas=sum_areas(fields_of_report),
            digests=_list_digests(state, rows, fields.wgs84, files, facts),
            version=importlib.metadata.version("soil-batch"),
        )
    )
    folder.write_result(REPORT_FILE, page.encode("utf-8", "replace"), source)
    return files


@cache
def _environment() -> Environment:
    loader = PackageLoader("soil_batch.report")
    made = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    texts = {name: loader.get_source(made, name)[0] for name in ("style.css", "tables.js")}
    # The browser runs and applies only scripts and styles with these hashes (Content Security Policy Level 3, 6.7.2.1).
    hashes = {
        name: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for name, text in texts.items()
    }
    made.globals |= {
        "style": texts["style.css"],
        "style_hash": hashes["style.css"],
        "script": texts["tables.js"],
        "script_hash": hashes["tables.js"],
        "decimals_of": decimals_of,
        "label_size": LABEL_SIZE,
        "round_ticks": choose_ticks,
        "stock_error": scale_stock_error,
    }
    made.filters |= {
        "cell_size": cell_size_text,
        "figure": figure_text,
        "per": divide_by_area,
        "plain": plain_text,
        "range": range_text,
        "time": _time_text,
        "unit": unit_text,
    }
    return made


def _time_text(time: str) -> str:
    """Formats an ISO time as `2026-11-22 09:44 UTC`."""
    return f"{time[:16].replace('T', ' ')} UTC"


def divide_by_area(tonnes: float | None, hectares: float) -> float | None:
    return None if tonnes is None or hectares == 0 else tonnes / hectares


def scale_stock_error(summary: JobSummary) -> float | None:
    """Scales the mean's standard error to the stock, which is proportional to the mean."""
    if summary.stock is None or summary.standard_error is None or summary.mean == 0:
        return None
    return summary.standard_error * abs(summary.stock.value / summary.mean)


@dataclass(frozen=True)
class Digest:
    """The SHA-256 of a file or pack from which the figures were made."""

    what: str
    sha256: str
    #: The current SHA-256 of a file, or `missing`; None for an unchanged file and a pack.
    now: str | None = None
    polygon: str | None = None


def _list_digests(
    state: RunState,
    rows: Sequence[ResultJob],
    polygons: Sequence[Any],
    files: Sequence[CheckedFile],
    facts: Facts,
) -> list[Digest]:
    of_polygons = {
        row.file: polygon_digest(polygons[row.run_job.field_index])
        for row in rows
        if row.file is not None
    }
    lines = []
    if state.source is not None:
        name = Path(state.source.path).name
        lines.append(Digest(f"{name}, the fields file", state.source.sha256))
    stored = f"{STATE_FOLDER}/{state.stored}, the fields that were read"
    lines.append(Digest(stored, state.digest))
    lines += [Digest(f"Pack of {one.model}", one.model_sha256) for one in facts.descriptions]
    for one in files:
        now = None if one.state == "unchanged" else one.found or "missing"
        polygon = of_polygons.get(one.file)
        lines.append(Digest(one.file, one.recorded or "not recorded", now, polygon))
    return lines
