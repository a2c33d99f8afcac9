"""The texts that commands print about estimates, results, designs, corrections and changes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ..correction.change import Change
from ..correction.correct_run import FEW_SAMPLES, Correction
from ..correction.design import SPARES, Design
from ..correction.mean_error import LEVEL
from ..correction.randomness import UNSEEN
from ..estimate import Estimate
from ..layers import JoinedStock
from ..plan import Plan, RunMap
from ..progress import format_duration
from ..schemas.jobs import JobWarning, Stock
from ..schemas.totals import Figures, LeftOut, Stratum, Total
from ..start import Start

# At most this many errors, warnings and maps are printed; `--json` and the tables list all.
_LISTED = 5
# At most this many fields are named per error or warning, and this many maps of jobs that are no longer in the run.
_NAMED = 3
# At most this many strata of a design are printed.
_STRATA = 20
# The share of the area above which an overlap is reported, as in the service: outlines of neighbours often overlap slightly.
_OVERLAP = 0.001

Item = TypeVar("Item")


def amount_text(value: float) -> str:
    """Formats an amount with at most three decimals below 1, one below 100, and none from 100: `0.4`, `12.2`, `1,234`."""
    digits = 0 if value >= 100 else 1 if value >= 1 else 3
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def count_text(value: int, singular: str, plural: str | None = None) -> str:
    return f"{value:,} {singular if value == 1 else plural or f'{singular}s'}"


def usd_text(value: float) -> str:
    """Formats a price with two decimals, or with more if two significant digits need them."""
    digits = 2 if value >= 0.1 or value == 0 else 1 - math.floor(math.log10(value))
    return f"US$ {value:,.{digits}f}"


def unit_text(unit: str) -> str:
    """Formats a UDUNITS unit for people, also within the name of a metric: `kg/m3` as kg/m³."""
    return re.sub(r"(?<=[a-z])3\b", "³", re.sub(r"(?<=[a-z])2\b", "²", unit))


def change_lines(start: Start) -> list[str]:
    submitted, kept, left = len(start.submitted), len(start.kept), start.left
    lines = []
    if start.expired:
        lines.append(f"{count_text(len(start.expired), 'result')} expired before the download.")
    lines.append(
        f"{count_text(kept, 'job')} of the folder's run kept; {count_text(submitted, 'job')} to submit."
    )
    if left:
        more = f", {len(left) - _NAMED:,} more" if len(left) > _NAMED else ""
        lines.append(
            f"{count_text(len(left), 'map')} of jobs that are no longer in the run"
            f" {'stays' if len(left) == 1 else 'stay'} in the folder, but not in tables and totals:"
            f" {', '.join(left[:_NAMED])}{more}"
        )
    return lines


def estimate_lines(
    plan: Plan, maps: Sequence[RunMap], names: Sequence[str], printed: set[str]
) -> list[str]:
    """:param names: the names of the jobs, in the order of the estimate's jobs"""
    estimate = plan.estimate
    usage = estimate.usage
    time = "not known yet" if estimate.seconds is None else format_duration(*estimate.seconds)
    cost = "not known"
    if estimate.usd is not None:
        cost = f"{usd_text(estimate.usd)} of AWS usage ({estimate.region})"
    left = (
        f"{usage.jobs.remaining:,} of {count_text(usage.jobs.limit, 'job')} and"
        f" {amount_text(usage.hectares.remaining)} of {amount_text(usage.hectares.limit)} ha left today"
    )
    fits = (
        ""
        if estimate.fits_today
        else ": not enough for all jobs; the rest must wait until tomorrow"
    )
    shown = [str(one) for one in maps[:_LISTED]]
    if len(maps) > _LISTED:
        shown.append(f"and {count_text(len(maps) - _LISTED, 'more map')}")
    batches = count_text(len(plan.chunks), "batch", "batches")
    lines = [
        f"Jobs    {len(estimate.jobs):,} in {batches}",
        *(f"{'Maps  ' if at == 0 else '      '}  {text}" for at, text in enumerate(shown)),
        f"Area    {amount_text(estimate.hectares)} ha",
        f"Time    {time}",
        f"Cost    {cost}",
        f"Quota   {left}{fits}",
    ]
    if estimate.unplanned:
        lines.append(f"{count_text(estimate.unplanned, 'job')} could not be checked in time.")
    jobs = [
        (name, job.year, job.error_code, job.error_message)
        for name, job in zip(names, estimate.jobs)
    ]
    warned = [(name, job.year, job.warnings) for name, job in zip(names, estimate.jobs)]
    lines += [*warning_lines(warned, printed), *failure_lines("would fail", jobs)]
    # Only a prediction reads the covariates.
    lines.append(
        "Fields where the model has no data will also fail: an estimate cannot detect them."
    )
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


#: The name and year of a job, and the code and message of its error.
Failure = tuple[str, int, str | None, str | None]


def failure_lines(what: str, jobs: Sequence[Failure]) -> list[str]:
    """Lists the most frequent errors, each once with its first fields. Messages that differ only in numbers count as one error.

    :param jobs: ordered as in a run, with all years of a field together
    """
    failing = [job for job in jobs if job[2] is not None]
    if not failing:
        return []

    def error_of(job: Failure) -> str:
        return f"{job[2]}: {job[3]}"

    errors = _group(failing, lambda job: re.sub(r"\d+(\.\d+)?", "#", error_of(job)))
    errors.sort(key=len, reverse=True)
    lines = [f"{count_text(len(failing), 'job')} {what}:"]
    for alike in errors[:_LISTED]:
        lines.append(f"  {_first_text([error_of(job) for job in alike])}")
        lines.append(f"    {_list_fields([(job[0], job[1]) for job in alike])}")
    return [*lines, *_more_line(len(errors), "error")]


def warning_lines(
    jobs: Sequence[tuple[str, int, Iterable[JobWarning]]], printed: set[str]
) -> list[str]:
    """Lists new kinds of warnings, each once, with its first fields unless all jobs that have warnings have it.

    :param printed: the first lines of the warnings that the command has printed, to which this call adds its own
    """
    listed = [(name, year, one) for name, year, warnings in jobs for one in warnings]
    warned = len({(at, job[0]) for at, job in enumerate(jobs) if list(job[2])})
    blocks = []
    for alike in _group(listed, lambda one: one[2].code):
        text = _first_text([one.message for _, _, one in alike])
        head = f"Warning for {count_text(len(alike), 'job')}: {text}"
        if head not in printed:
            printed.add(head)
            fields = [f"  {_list_fields([(name, year) for name, year, _ in alike])}"]
            blocks.append([head, *(fields if len(alike) < warned else [])])
    return [
        *(line for block in blocks[:_LISTED] for line in block),
        *_more_line(len(blocks), "warning"),
    ]


def _first_text(texts: Sequence[str]) -> str:
    first = texts[0]
    return first if set(texts) == {first} else f"{first} (numbers differ for other jobs)"


def _list_fields(jobs: Sequence[tuple[str, int]]) -> str:
    fields: list[tuple[str, list[int]]] = []
    for name, year in jobs:
        # A repeated year belongs to another field with the same name, or to another model.
        if fields and fields[-1][0] == name and year not in fields[-1][1]:
            fields[-1][1].append(year)
        else:
            fields.append((name, [year]))
    named = [f"{name} ({', '.join(map(str, years))})" for name, years in fields[:_NAMED]]
    others = sum(len(years) for _, years in fields[_NAMED:])
    return ", ".join([*named, *([count_text(others, "more job")] if others else [])])


def _more_line(found: int, what: str, many: str | None = None, listed: int = _LISTED) -> list[str]:
    more = count_text(found - listed, f"more {what}", many and f"more {many}")
    return [f"  and {more}"] if found > listed else []


def _group(items: Sequence[Item], key: Callable[[Item], str]) -> list[list[Item]]:
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.values())


def total_lines(total: Total) -> list[str]:
    years = f" for {total.years[0]}" if len(total.years) == 1 else ""
    layer = "" if total.depth_cm is None else f", {'–'.join(map(amount_text, total.depth_cm))} cm,"
    what = "" if total.property is None else f"{total.property}{layer} "
    interval = "" if total.level is None else f"; {round(100 * total.level)} % interval"
    fields = count_text(total.jobs, "field")
    lines = [
        f"Total of {fields}{years}, {amount_text(total.area_ha)} ha: {what}{_figures_text(total)}{interval}"
    ]
    if total.unpredicted_area_ha != 0:
        lines.append(
            f"  The figures cover {amount_text(total.predicted_area_ha)} ha; the model has no value for"
            f" {amount_text(total.unpredicted_area_ha)} ha."
        )
    for one in total.job_warnings:
        # All fields of a static model have this warning.
        if one.code != "static_model":
            share = amount_text(100 * one.area_ha / total.area_ha) if total.area_ha else "?"
            code = one.code.replace("_", " ")
            lines.append(
                f"  Warning for {count_text(one.jobs, 'field')} with {share} % of the area: {code}"
            )
    lines += [f"  {_stratum_text(one)}" for one in total.strata]
    if total.interval_missing is not None:
        lines.append(f"  No interval: {total.interval_missing.message}")
    return [*lines, *(f"  {one.message}" for one in total.warnings)]


def joined_lines(joined: JoinedStock) -> list[str]:
    stock, depth = joined.stock, "–".join(map(amount_text, joined.depth_cm))
    substance = "" if stock.substance is None else f" of {stock.substance}"
    each = "" if joined.stock_per_ha is None else f", {amount_text(joined.stock_per_ha)} t/ha"
    bounds = _bounds_text(stock.lower, stock.upper)
    head = f"Layers together, {depth} cm: {amount_text(stock.value)} t{substance}{bounds}{each}"
    if bounds == "" or joined.level is None:
        return [head]
    return [
        f"{head}; {round(100 * joined.level)} % interval",
        "  The bounds are the sums of the layers' bounds, as if the layers' errors were fully correlated: the true interval"
        " is no wider.",
    ]


def _stratum_text(stratum: Stratum) -> str:
    name = "without a stratum" if stratum.value is None else stratum.value
    return f"{name}: {count_text(stratum.jobs, 'field')}, {amount_text(stratum.area_ha)} ha: {_figures_text(stratum)}"


def _figures_text(figures: Figures) -> str:
    mean = f"{amount_text(figures.mean)} {unit_text(figures.unit)}{_bounds_text(figures.lower, figures.upper)}"
    if figures.stock is None:
        return mean
    substance = "" if figures.stock.substance is None else f" of {figures.stock.substance}"
    error = figures.stock_standard_error
    sure = "" if error is None else f", standard error {amount_text(error)} t"
    bounds = _bounds_text(figures.stock.lower, figures.stock.upper)
    each = "" if figures.stock_per_ha is None else f", {amount_text(figures.stock_per_ha)} t/ha"
    return f"{mean}, {amount_text(figures.stock.value)} t{substance}{bounds}{sure}{each}"


def _bounds_text(
    lower: float | None, upper: float | None, number: Callable[[float], str] = amount_text
) -> str:
    return "" if lower is None or upper is None else f" ({number(lower)} to {number(upper)})"


def design_lines(found: Design, paths: Sequence[str]) -> list[str]:
    unit = unit_text(found.unit)
    chosen = [one.stratum for one in found.places if one.spare is None]
    lines = [
        f"{count_text(found.samples, 'place')} in {count_text(len(found.strata), 'stratum', 'strata')}, drawn with seed"
        f" {found.seed}: {' and '.join(paths)}",
        f"  Each stratum has {SPARES} spare places: use them in order, for places that cannot be sampled.",
    ]
    lines += [
        f"  {one.name}: {amount_text(one.area_ha)} ha, {count_text(chosen.count(at), 'place')}"
        for at, one in enumerate(found.strata[:_STRATA])
    ]
    lines += _more_line(len(found.strata), "stratum", "strata", _STRATA)
    lines += _scope_lines(found)
    if not found.expected:
        return [
            *lines,
            "  The maps are not all from one model with bounds: places are allocated by area, and the interval cannot be"
            " predicted.",
        ]
    lines.append(f"  Expected {round(100 * LEVEL)} % interval of the corrected mean:")
    for one in found.expected:
        share = (
            f" ({amount_text(100 * one.half_width / found.map_mean)} %)"
            if found.map_mean > 0
            else ""
        )
        lines.append(f"  {one.samples:6,} samples: ± {amount_text(one.half_width)} {unit}{share}")
    if found.is_uncorrelated:
        lines.append(
            "  The model does not declare how its errors are correlated: the real interval may be narrower."
        )
    return lines


def correction_lines(found: Correction) -> list[str]:
    unit = unit_text(found.unit)
    interval = f"{round(100 * found.level)} % interval"
    lines = [
        f"Mean of {count_text(found.fields, 'field')} in {found.year}, {amount_text(found.area_ha)} ha: {amount_text(found.mean)}"
        f" {unit}{_bounds_text(found.lower, found.upper)}; {interval}",
        f"  The maps alone: {amount_text(found.map_mean)} {unit}; measured − mapped: {found.mean_error:+.3g} (bias"
        f" {found.bias:+.3g}), standard error {amount_text(found.standard_error)}, {found.degrees_of_freedom:.1f} degrees of freedom",
    ]
    if found.stock_t is not None:
        lines.append(_stock_line(found.stock_t, found.area_ha, amount_text))
    lines.append(
        f"  Based on {count_text(found.samples, 'sample')} in {count_text(found.strata, 'stratum', 'strata')}"
        f"{', at the places of the design' if found.follows_design else ''}. The interval is valid if the places were drawn"
        " at random in each stratum and no sample was used to train the model."
    )
    lines += [f"  Warning: {one.message}" for one in found.warnings]
    if not found.follows_design:
        lines.append(f"  {UNSEEN}")
    if found.collapsed_strata:
        lines.append(
            f"  {count_text(found.collapsed_strata, 'stratum has', 'strata have')} only one sample each: their variance is taken"
            " from the differences between strata of similar area, which makes the interval too wide rather than too narrow."
        )
    if found.samples < FEW_SAMPLES:
        lines.append(
            f"  Fewer than {FEW_SAMPLES} samples: if errors are skewed, the interval is too narrow."
        )
    if found.samples_left_out:
        lines.append(_samples_left_out_line(found.samples_left_out))
    return lines + _scope_lines(found)


def measured_change_lines(found: Change) -> list[str]:
    unit = unit_text(found.unit)
    depth = "" if found.depth_cm is None else f" ({'–'.join(map(amount_text, found.depth_cm))} cm)"
    what = (found.stock_t and found.stock_t.substance) or "mass"
    lines = [
        f"Change in the mean of {count_text(found.fields, 'field')} from {found.year_before} to {found.year_after},"
        f" {amount_text(found.area_ha)} ha: {_signed_text(found.change)} {unit} ({_signed_text(found.lower)} to {_signed_text(found.upper)});"
        f" {round(100 * found.level)} % interval",
        f"  Standard error {amount_text(found.standard_error)}, {found.degrees_of_freedom:.1f} degrees of freedom. The maps alone:"
        f" {_signed_text(found.map_change)} {unit}, which is not a measured change.",
    ]
    if found.stock_t is not None:
        lines.append(_stock_line(found.stock_t, found.area_ha, _signed_text))
    lines += [
        f"  Based on {count_text(found.samples_before, 'sample')} before and {found.samples_after:,} after."
        f" In {found.strata_paired:,} of {count_text(found.strata, 'stratum', 'strata')}, the change is measured on"
        f" {count_text(found.plots_paired, 'plot')} visited twice.",
        f"  Both visits must have sampled the same fixed depth{depth}. If the bulk density changed, this is not a change in {what}:"
        " compare equal soil masses instead (Wendt & Hauser 2013).",
    ]
    lines += [f"  Warning: {one.message}" for one in found.warnings]
    if found.samples_left_out:
        lines.append(_samples_left_out_line(found.samples_left_out))
    lines += _scope_lines(found)
    return lines if found.follows_design else [*lines, f"  {UNSEEN}"]


def _stock_line(stock: Stock, area_ha: float, number: Callable[[float], str]) -> str:
    substance = "" if stock.substance is None else f" of {stock.substance}"
    bounds = _bounds_text(stock.lower, stock.upper, number)
    return (
        f"  Stock: {number(stock.value)} t{substance}{bounds}, {number(stock.value / area_ha)} t/ha"
    )


def _samples_left_out_line(samples: int) -> str:
    return f"  Left out: {count_text(samples, 'sample')} where no map has a value."


def _scope_lines(found: Design | Correction | Change) -> list[str]:
    lines = []
    if found.fields_without_map:
        without = count_text(found.fields_without_map, "field")
        lines.append(f"  These figures omit {without} without a map.")
    total = sum(one.area_ha for one in found.strata) if isinstance(found, Design) else found.area_ha
    if found.overlap_ha > _OVERLAP * total:
        shared = amount_text(found.overlap_ha)
        lines.append(f"  Warning: fields overlap by {shared} ha, which counts once for each field.")
    return lines


def _signed_text(value: float) -> str:
    return f"{'−' if value < 0 else '+'}{amount_text(abs(value))}"


def left_out_line(groups: Sequence[LeftOut]) -> str:
    texts = []
    for one in groups:
        area = "" if one.area_ha is None else f" of {amount_text(one.area_ha)} ha"
        why = (one.error_code or one.reason).replace("_", " ")
        texts.append(f"{count_text(one.jobs, 'job')}{area}, {why}")
    return f"  Left out: {'; '.join(texts)}"


def opening_lines(folder: Path, written: Sequence[str], report: Path | None) -> list[str]:
    lines = [] if report is None else [f"Report, for any browser: {report}"]
    mosaics = [name for name in written if name.endswith(".vrt")]
    if mosaics:
        others = f" (and {len(mosaics) - 1} more .vrt)" if len(mosaics) > 1 else ""
        lines.append(
            f"All maps in QGIS: drag {folder / mosaics[0]}{others} into its window; the .qml file next to"
            " each .vrt sets the colours."
        )
    return lines
