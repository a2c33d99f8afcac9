"""What a command says of estimates, failures, warnings and totals."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ..correction.change import Change
from ..correction.design import SPARES, Design
from ..correction.mean_error import LEVEL
from ..correction.of_run import FEW_SAMPLES, Correction
from ..correction.randomness import UNSEEN
from ..estimate import Estimate
from ..layers import JoinedStock
from ..plan import Plan, RunMap
from ..progress import duration
from ..schemas.jobs import JobWarning
from ..schemas.totals import Figures, LeftOut, Stratum, Total
from ..start import Start

# The most errors, warnings and maps that people see of each kind; `--json` and the tables have all.
_LISTED = 5
# The most fields that an error names, and files that a change names.
_NAMED = 3
# More strata than a farm usually has.
_STRATA = 20
# As the service: a smaller share of the area is that of neighbours' outlines.
_OVERLAP = 0.001

Item = TypeVar("Item")


def amount(value: float) -> str:
    """Three digits at most after the point for small amounts, none for large ones: `0.4`, `1,234`."""
    digits = 0 if value >= 100 else 1 if value >= 1 else 3
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def count(value: int, one: str, many: str | None = None) -> str:
    """`1 job`, `2 jobs`."""
    return f"{value:,} {one if value == 1 else many or f'{one}s'}"


def usd(value: float) -> str:
    """Two digits after the point, or more for two significant ones."""
    digits = 2 if value >= 0.1 or value == 0 else 1 - math.floor(math.log10(value))
    return f"US$ {value:,.{digits}f}"


def unit_text(unit: str) -> str:
    """A UDUNITS spelling for people: `kg/m3` as kg/m³."""
    return re.sub(r"(?<=[a-z])3\b", "³", re.sub(r"(?<=[a-z])2\b", "²", unit))


def change_lines(start: Start) -> list[str]:
    """How the folder's run differs from the request."""
    submitted, kept, left = len(start.submitted), len(start.kept), start.left
    lines = []
    if start.expired:
        lines.append(f"{count(len(start.expired), 'result')} expired before being downloaded.")
    stay = "stays" if kept == 1 else "stay"
    lines.append(f"Of the folder's run {count(kept, 'job')} {stay}; {submitted:,} to submit.")
    if left:
        more = f", {len(left) - _NAMED:,} more" if len(left) > _NAMED else ""
        lines.append(
            f"{count(len(left), 'map')} of polygons that the file no longer has"
            f" {'stays' if len(left) == 1 else 'stay'} in the folder, in no table or total:"
            f" {', '.join(left[:_NAMED])}{more}"
        )
    return lines


def estimate_lines(
    plan: Plan, maps: Sequence[RunMap], names: Sequence[str], told: set[str]
) -> list[str]:
    """:param names: the names of the jobs, in the order of the estimate"""
    estimate = plan.estimate
    usage = estimate.usage
    time = "not known yet" if estimate.seconds is None else duration(*estimate.seconds)
    cost = "not known"
    if estimate.usd is not None:
        cost = f"{usd(estimate.usd)} of AWS usage ({estimate.region})"
    left = (
        f"{usage.jobs.remaining:,} of {count(usage.jobs.limit, 'job')} and"
        f" {amount(usage.hectares.remaining)} of {amount(usage.hectares.limit)} ha left today"
    )
    fits = "" if estimate.fits_today else ": not enough; the rest waits for tomorrow"
    shown = [str(one) for one in maps[:_LISTED]]
    if len(maps) > _LISTED:
        shown.append(f"and {count(len(maps) - _LISTED, 'more map')}")
    batches = count(len(plan.chunks), "batch", "batches")
    lines = [
        f"Jobs    {len(estimate.jobs):,} in {batches}",
        *(f"{'Maps  ' if at == 0 else '      '}  {text}" for at, text in enumerate(shown)),
        f"Area    {amount(estimate.hectares)} ha",
        f"Time    {time}",
        f"Cost    {cost}",
        f"Quota   {left}{fits}",
    ]
    if estimate.unplanned:
        lines.append(f"{count(estimate.unplanned, 'job')} could not be checked in time.")
    jobs = [
        (name, job.year, job.error_code, job.error_message)
        for name, job in zip(names, estimate.jobs)
    ]
    warned = [(name, job.year, job.warnings) for name, job in zip(names, estimate.jobs)]
    lines += [*warning_lines(warned, told), *failure_lines("would fail", jobs)]
    # Only a prediction reads the data.
    lines.append("Fields in which the model has no data fail, too: an estimate does not see them.")
    return lines


def estimate_event(
    plan: Plan, maps: Sequence[RunMap], indexes: Sequence[int], names: Sequence[str]
) -> dict[str, Any]:
    estimate: Estimate = plan.estimate
    least, most = estimate.seconds or (None, None)
    jobs = list(zip(indexes, names, estimate.jobs))
    return {
        "total_jobs": len(jobs),
        "batches": len(plan.chunks),
        "hectares": estimate.hectares,
        "min_seconds": least,
        "max_seconds": most,
        "usd": estimate.usd,
        "region": estimate.region,
        "unplanned_jobs": estimate.unplanned,
        "failing_jobs": [
            {
                "job_index": index,
                "name": name,
                "year": job.year,
                "error_code": job.error_code,
                "error_message": job.error_message,
                "error_location": job.error_location and vars(job.error_location),
            }
            for index, name, job in jobs
            if job.error_code is not None
        ],
        "warnings": [
            {"job_index": index, "name": name, "year": job.year, **vars(one)}
            for index, name, job in jobs
            for one in job.warnings
        ],
        "maps": [
            {
                "model": one.model,
                "data_period": one.data_period,
                "years": one.years,
                "jobs": one.jobs,
                "repeated_jobs": one.repeated,
            }
            for one in maps
        ],
        "quota": {
            "fits": estimate.fits_today,
            "jobs_remaining": estimate.usage.jobs.remaining,
            "hectares_remaining": estimate.usage.hectares.remaining,
            "resets_at": estimate.usage.resets_at,
        },
    }


#: Name and year of a job, and why it fails.
Failure = tuple[str, int, str | None, str | None]


def failure_lines(what: str, jobs: Sequence[Failure]) -> list[str]:
    """Each error once, with the fields that it concerns: of many fields it often differs by numbers alone.

    :param jobs: all years of a field together, as in a run
    """
    failing = [job for job in jobs if job[2] is not None]
    if not failing:
        return []

    def error_of(job: Failure) -> str:
        return f"{job[2]}: {job[3]}"

    errors = _grouped(failing, lambda job: re.sub(r"\d+(\.\d+)?", "#", error_of(job)))
    errors.sort(key=len, reverse=True)
    lines = [f"{count(len(failing), 'job')} {what}:"]
    for of in errors[:_LISTED]:
        lines.append(f"  {_first_of([error_of(job) for job in of])}")
        lines.append(f"    {_fields_of([(job[0], job[1]) for job in of])}")
    return [*lines, *_more(len(errors), "error")]


def warning_lines(
    jobs: Sequence[tuple[str, int, Iterable[JobWarning]]], told: set[str]
) -> list[str]:
    """Each kind of warning once, with the fields that it concerns if these are not all.

    :param told: warnings that the command has shown; those of this call are added
    """
    listed = [(name, year, one) for name, year, warnings in jobs for one in warnings]
    warned = len({(at, job[0]) for at, job in enumerate(jobs) if list(job[2])})
    blocks = []
    for of in _grouped(listed, lambda one: one[2].code):
        text = _first_of([one.message for _, _, one in of])
        head = f"Warning for {count(len(of), 'job')}: {text}"
        if head not in told:
            told.add(head)
            fields = [f"  {_fields_of([(name, year) for name, year, _ in of])}"]
            blocks.append([head, *(fields if len(of) < warned else [])])
    return [
        *(line for block in blocks[:_LISTED] for line in block),
        *_more(len(blocks), "warning"),
    ]


def _first_of(texts: Sequence[str]) -> str:
    """The text of the first job, which the others may have with other numbers."""
    first = texts[0]
    return first if set(texts) == {first} else f"{first} (others with other numbers)"


def _fields_of(jobs: Sequence[tuple[str, int]]) -> str:
    """The first fields by name, each with its years, and how many jobs others have."""
    fields: list[tuple[str, list[int]]] = []
    for name, year in jobs:
        # A year that occurs again is of another field with the same name.
        if fields and fields[-1][0] == name and year not in fields[-1][1]:
            fields[-1][1].append(year)
        else:
            fields.append((name, [year]))
    named = [f"{name} ({', '.join(map(str, years))})" for name, years in fields[:_NAMED]]
    others = sum(len(years) for _, years in fields[_NAMED:])
    return ", ".join([*named, *([count(others, "more job")] if others else [])])


def _more(found: int, what: str, many: str | None = None, listed: int = _LISTED) -> list[str]:
    more = count(found - listed, f"more {what}", many and f"more {many}")
    return [f"  and {more}"] if found > listed else []


def _grouped(items: Sequence[Item], key: Callable[[Item], str]) -> list[list[Item]]:
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.values())


def total_lines(total: Total) -> list[str]:
    """A total in one line, and in others what the reader must know."""
    # With years, totals of one model can be told apart.
    years = f" for {total.years[0]}" if len(total.years) == 1 else ""
    layer = "" if total.depth_cm is None else f", {'–'.join(map(amount, total.depth_cm))} cm,"
    what = "" if total.property is None else f"{total.property}{layer} "
    interval = "" if total.level is None else f"; {round(100 * total.level)} % interval"
    fields = count(total.jobs, "field")
    lines = [
        f"Total of {fields}{years}, {amount(total.area_ha)} ha: {what}{_figures_text(total)}{interval}"
    ]
    if total.unpredicted_area_ha != 0:
        lines.append(
            f"  Of {amount(total.predicted_area_ha)} ha; the model has no value for"
            f" {amount(total.unpredicted_area_ha)} ha."
        )
    for one in total.job_warnings:
        # It says nothing of one field.
        if one.code != "static_model":
            share = amount(100 * one.area_ha / total.area_ha) if total.area_ha else "?"
            code = one.code.replace("_", " ")
            lines.append(
                f"  Warning for {count(one.jobs, 'field')} with {share} % of the area: {code}"
            )
    lines += [f"  {_stratum_text(one)}" for one in total.strata]
    if total.interval_missing is not None:
        lines.append(f"  No interval: {total.interval_missing.message}")
    return [*lines, *(f"  {one.message}" for one in total.warnings)]


def joined_lines(one: JoinedStock) -> list[str]:
    """The summed stock of adjoining layers, and a line that explains its bounds."""
    stock, depth = one.stock, "–".join(map(amount, one.depth_cm))
    of = "" if stock.substance is None else f" of {stock.substance}"
    each = "" if one.stock_per_ha is None else f", {amount(one.stock_per_ha)} t/ha"
    bounds = _bounds(stock.lower, stock.upper)
    head = f"Layers together, {depth} cm: {amount(stock.value)} t{of}{bounds}{each}"
    if bounds == "" or one.level is None:
        return [head]
    return [
        f"{head}; {round(100 * one.level)} % interval",
        "  Its bounds are sums, as if the layers' errors were fully correlated: the true interval is no wider.",
    ]


def _stratum_text(one: Stratum) -> str:
    name = "without a stratum" if one.value is None else one.value
    return f"{name}: {count(one.jobs, 'field')}, {amount(one.area_ha)} ha: {_figures_text(one)}"


def _figures_text(one: Figures) -> str:
    mean = f"{amount(one.mean)} {unit_text(one.unit)}{_bounds(one.lower, one.upper)}"
    if one.stock is None:
        return mean
    of = "" if one.stock.substance is None else f" of {one.stock.substance}"
    error = one.stock_standard_error
    sure = "" if error is None else f", standard error {amount(error)} t"
    bounds = _bounds(one.stock.lower, one.stock.upper)
    each = "" if one.stock_per_ha is None else f", {amount(one.stock_per_ha)} t/ha"
    return f"{mean}, {amount(one.stock.value)} t{of}{bounds}{sure}{each}"


def _bounds(lower: float | None, upper: float | None) -> str:
    return "" if lower is None or upper is None else f" ({amount(lower)} to {amount(upper)})"


def design_lines(found: Design, paths: Sequence[str]) -> list[str]:
    """A design, its strata, and what can be expected of it."""
    unit = unit_text(found.unit)
    chosen = [one.stratum for one in found.places if one.spare is None]
    lines = [
        f"{count(found.samples, 'place')} in {count(len(found.strata), 'stratum', 'strata')}, drawn with the seed"
        f" {found.seed}: {' and '.join(paths)}",
        f"  Each stratum has {SPARES} spare places, for those that cannot be sampled, to be taken in their order.",
    ]
    lines += [
        f"  {one.name}: {amount(one.area_ha)} ha, {count(chosen.count(at), 'place')}"
        for at, one in enumerate(found.strata[:_STRATA])
    ]
    lines += _more(len(found.strata), "stratum", "strata", _STRATA)
    lines += _scope_lines(found)
    if not found.expected:
        return [
            *lines,
            "  The places are allocated by area, and no interval can be expected: the model has no bounds.",
        ]
    lines.append(f"  {round(100 * LEVEL)} % interval to expect for the corrected mean:")
    for one in found.expected:
        share = (
            f" ({amount(100 * one.half_width / found.map_mean)} %)" if found.map_mean > 0 else ""
        )
        lines.append(f"  {one.samples:6,} samples: ± {amount(one.half_width)} {unit}{share}")
    if found.is_uncorrelated:
        lines.append(
            "  The model does not state the correlation of its errors: the interval may be narrower."
        )
    return lines


def correction_lines(found: Correction) -> list[str]:
    """A correction, what it rests on, and what it assumes."""
    unit = unit_text(found.unit)
    interval = f"{round(100 * found.level)} % interval"
    lines = [
        f"Mean of {count(found.fields, 'field')} in {found.year}, {amount(found.area_ha)} ha: {amount(found.mean)}"
        f" {unit}{_bounds(found.lower, found.upper)}; {interval}",
        f"  The maps alone: {amount(found.map_mean)} {unit}; measured − mapped: {found.mean_error:+.3g} (bias"
        f" {found.bias:+.3g}), standard error {amount(found.standard_error)}, {found.degrees_of_freedom:.1f} degrees of freedom",
    ]
    if found.stock_t is not None:
        stock = found.stock_t
        of = "" if stock.substance is None else f" of {stock.substance}"
        lines.append(
            f"  Stock: {amount(stock.value)} t{of}{_bounds(stock.lower, stock.upper)},"
            f" {amount(stock.value / found.area_ha)} t/ha"
        )
    lines.append(
        f"  From {count(found.samples, 'sample')} in {count(found.strata, 'stratum', 'strata')}"
        f"{', at the places of the design' if found.follows_design else ''}. The interval holds if places were drawn at"
        " random in each stratum, and no sample trained the model."
    )
    lines += [f"  Warning: {one.message}" for one in found.warnings]
    if not found.follows_design:
        lines.append(f"  {UNSEEN}")
    if found.collapsed_strata:
        lines.append(
            f"  {count(found.collapsed_strata, 'stratum has', 'strata have')} one sample: the variance is that between"
            " those of similar area, which makes the interval too wide rather than too narrow."
        )
    if found.samples < FEW_SAMPLES:
        lines.append(
            f"  Fewer than {FEW_SAMPLES} samples: with skewed errors, the interval is too narrow."
        )
    if found.samples_left_out:
        lines.append(_samples_left_out_line(found.samples_left_out))
    return lines + _scope_lines(found)


def measured_lines(found: Change) -> list[str]:
    """A measured change, what it rests on, and what it is not."""
    unit = unit_text(found.unit)
    depth = "" if found.depth_cm is None else f" {'–'.join(map(amount, found.depth_cm))} cm"
    what = (found.stock_t and found.stock_t.substance) or "mass"
    lines = [
        f"Change of {count(found.fields, 'field')} from {found.year_before} to {found.year_after},"
        f" {amount(found.area_ha)} ha: {_signed(found.change)} {unit} ({_signed(found.lower)} to {_signed(found.upper)});"
        f" {round(100 * found.level)} % interval",
        f"  The maps alone: {_signed(found.map_change)} {unit}, which is not measured; standard error"
        f" {amount(found.standard_error)}, {found.degrees_of_freedom:.1f} degrees of freedom",
    ]
    if found.stock_t is not None:
        stock = found.stock_t
        of = "" if stock.substance is None else f" of {stock.substance}"
        ends = [_signed(one) for one in (stock.lower, stock.upper) if one is not None]
        lines.append(
            f"  Stock: {_signed(stock.value)} t{of} ({' to '.join(ends)}),"
            f" {_signed(stock.value / found.area_ha)} t/ha"
        )
    lines += [
        f"  From {count(found.samples_before, 'sample')} before and {found.samples_after:,} after; in"
        f" {found.strata_paired:,} of {count(found.strata, 'stratum', 'strata')} by {count(found.plots_paired, 'plot')}"
        " visited twice.",
        f"  The layer is{depth} at both visits, a fixed depth. Unless its bulk density stayed the same, this is not a change"
        f" of {what}: compare equal soil mass instead (Wendt & Hauser 2013).",
    ]
    lines += [f"  Warning: {one.message}" for one in found.warnings]
    if found.samples_left_out:
        lines.append(_samples_left_out_line(found.samples_left_out))
    lines += _scope_lines(found)
    return lines if found.follows_design else [*lines, f"  {UNSEEN}"]


def _samples_left_out_line(samples: int) -> str:
    return f"  {count(samples, 'sample')} left out: where no map has a value."


def _scope_lines(found: Design | Correction | Change) -> list[str]:
    """Which fields are not in the figures, and which area is twice."""
    lines = []
    if found.fields_without_map:
        without = count(found.fields_without_map, "field")
        lines.append(f"  Without a map, so in none of these figures: {without}.")
    total = sum(one.area_ha for one in found.strata) if isinstance(found, Design) else found.area_ha
    if found.overlap_ha > _OVERLAP * total:
        shared = amount(found.overlap_ha)
        lines.append(f"  Warning: fields share {shared} ha, which counts once for each of them.")
    return lines


def _signed(value: float) -> str:
    return f"{'−' if value < 0 else '+'}{amount(abs(value))}"


def left_out_line(groups: Sequence[LeftOut]) -> str:
    """Jobs in no total, by why: a field has one for each year."""
    texts = []
    for one in groups:
        area = "" if one.area_ha is None else f" of {amount(one.area_ha)} ha"
        why = (one.error_code or one.reason).replace("_", " ")
        texts.append(f"{count(one.jobs, 'job')}{area}, {why}")
    return f"  Left out: {'; '.join(texts)}"


def opening_lines(folder: Path, written: Sequence[str], report: Path | None) -> list[str]:
    """What to open of the files that a run has written."""
    lines = [] if report is None else [f"Report, for any browser: {report}"]
    mosaics = [name for name in written if name.endswith(".vrt")]
    if mosaics:
        others = f" (and {len(mosaics) - 1} more .vrt)" if len(mosaics) > 1 else ""
        lines.append(
            f"All maps in QGIS: drag {folder / mosaics[0]}{others} into its window; the .qml beside it"
            " brings the colours."
        )
    return lines
