"""The commands that create, continue, analyse and report runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..chunks import RunJob
from ..correction.change import measure_change
from ..correction.correct_run import correct as correct_run
from ..correction.design import make_design
from ..correction.samples import read_samples
from ..errors import QuotaExceeded
from ..folder import Folder
from ..plan import Plan, RunRequest, group_by_map, parse_models, plan_jobs, same_maps_error
from ..progress import Progress
from ..reading.load import LoadedFields, load
from ..report.write import REPORT_FILE, describe_faults, write_report
from ..results.write import FAILED_FILE
from ..run import DownloadResult, Run
from ..run_state import Destination
from ..snapshot import RunSnapshot, read_snapshot
from ..start import Start, prepare_start
from ..stored import read_stored
from ..transfer import ResultFile
from ..transport import Transport
from .session import Session
from .terminal import CommandError, Exit
from .texts import (
    amount_text,
    change_lines,
    correction_lines,
    count_text,
    design_lines,
    estimate_event,
    estimate_lines,
    failure_lines,
    joined_lines,
    left_out_line,
    measured_change_lines,
    opening_lines,
    total_lines,
    warning_lines,
)

_WORKERS = 4


@dataclass(frozen=True)
class FieldOptions:
    file: str
    years: tuple[int, ...]
    name: str | None
    layer: str | None
    crs: str | None
    encoding: str | None
    buffer: float | None
    models: tuple[str, ...]
    stratum: str | None
    destination: Destination | None = None


@dataclass(frozen=True)
class StartOptions:
    out: str | None
    yes: bool
    same_maps: bool
    replace: bool
    report: bool = True


def estimate(session: Session, options: FieldOptions) -> int:
    transport = session.connect()
    request = _read_request(session, options)
    jobs = request.jobs()
    with session.terminal.bar("Estimating") as bar:
        plan = plan_jobs(
            transport,
            request,
            "estimate",
            "estimate",
            jobs,
            lambda done, total: bar.update(done / total, f"{done} of {total} batches"),
        )
    _show_plan(session, request, plan, jobs)
    return Exit.COMPLETE


def run(session: Session, options: FieldOptions, start: StartOptions) -> int:
    started = _start_run(session, options, start)
    if started is None:
        return Exit.ERROR
    run, finished = started
    refused = _submit(session, run)
    _watch(session, run)
    return _finish(session, run, finished or run.read_snapshot(), refused, start.report)


def submit(session: Session, options: FieldOptions, start: StartOptions) -> int:
    started = _start_run(session, options, start)
    if started is None:
        return Exit.ERROR
    refused = _submit(session, started[0])
    if refused is not None:
        raise refused
    return Exit.COMPLETE


def watch(session: Session, folder: str) -> int:
    latest = _watch(session, _open_run(session.connect(), folder))
    return Exit.PARTIAL if latest.failed_jobs else Exit.COMPLETE


def download(session: Session, folder: str) -> int:
    opened = _open_run(session.connect(), folder)
    return _finish(session, opened, opened.read_snapshot(), None)


def retry(session: Session, folder: str, every: bool) -> int:
    opened = _open_run(session.connect(), folder)
    # The batches of an interrupted retry may still be running.
    _watch(session, opened)

    report_batch = _batch_reporter(session, "retried", "Retrying")
    if opened.retry("failed" if every else "retryable", report_batch) == 0:
        session.terminal.note(
            "No failed job can be retried."
            if every
            else "No failed job that may succeed can be retried. To retry other failed jobs, use --all."
        )
    else:
        _watch(session, opened)
    return _finish(session, opened, opened.read_snapshot(), None)


def report(session: Session, folder: str) -> int:
    snapshot = read_snapshot(None, read_stored(Folder(folder)))
    lines = [f"Written: {Path(folder) / REPORT_FILE}"]
    faults = _write_report(session, snapshot, lines, again=True)
    if faults:
        raise CommandError(
            f"some files are changed, missing or without a recorded digest. {' '.join(faults)}"
        )
    return Exit.COMPLETE


def design(session: Session, folder: str, samples: int, **options: Any) -> int:
    found = make_design(Folder(folder), samples, **options)
    paths = [str(Path(folder) / name) for name in found.file_names]
    session.terminal.report("designed", asdict(found), design_lines(found, paths))
    return Exit.COMPLETE


def correct(
    session: Session,
    folder: str,
    samples: str,
    value: str,
    stratum: str | None,
    year: int | None,
    model: str | None,
    crs: str | None,
) -> int:
    table = read_samples(samples, value, crs)
    found = correct_run(Folder(folder), table, value, stratum, year, model)
    session.terminal.report("corrected", asdict(found), correction_lines(found))
    return Exit.COMPLETE


def change(
    session: Session,
    folder: str,
    visits: Sequence[str],
    after_run: str | None,
    value: str,
    crs: str | None,
    **options: Any,
) -> int:
    before, after = (read_samples(one, value, crs) for one in visits)
    after_folder = None if after_run is None else Folder(after_run)
    found = measure_change(
        Folder(folder), before, after, value, after_folder=after_folder, **options
    )
    session.terminal.report("changed", asdict(found), measured_change_lines(found))
    return Exit.COMPLETE


def _read_request(session: Session, options: FieldOptions) -> RunRequest:
    loaded: LoadedFields = load(
        options.file, options.layer, options.crs, options.encoding, options.buffer
    )
    for remark in loaded.remarks:
        session.terminal.note(remark.text)
    name = loaded.name if options.name is None else options.name
    for column in (name, options.stratum):
        if column is not None:
            loaded.fields.column(column)
    return RunRequest(
        fields=loaded.fields,
        source=loaded.source,
        years=options.years,
        name=name,
        models=parse_models(options.models),
        stratum=options.stratum,
        destination=options.destination,
    )


def _start_run(
    session: Session, options: FieldOptions, chosen: StartOptions
) -> tuple[Run, RunSnapshot | None] | None:
    """Starts or continues a run. Unless `--yes` is given, asks for confirmation before jobs are submitted.

    :returns: the run, and its snapshot if the run is finished and unchanged; None if the user declines, and then nothing is written
    """
    transport = session.connect()
    request = _read_request(session, options)
    terminal = session.terminal
    with terminal.bar("Estimating") as bar:
        start = prepare_start(
            transport,
            request,
            chosen.out,
            may_replace=chosen.replace,
            on_chunk=lambda done, total: bar.update(done / total, f"{done} of {total} batches"),
            on_change=terminal.note,
        )
    before = start.before
    if start.is_same and before is not None:
        _note_unchanged(session, before, options)
        return Run(transport, start.folder), before if before.is_finished else None
    if before is not None:
        for line in change_lines(start):
            terminal.note(line)
    if start.plan is not None and not _confirm_start(session, start, start.plan, chosen):
        terminal.note("Not started.")
        return None
    start.commit()
    return Run(transport, start.folder), None


def _note_unchanged(session: Session, snapshot: RunSnapshot, options: FieldOptions) -> None:
    name, folder = Path(options.file).name, snapshot.stored.folder.path
    if snapshot.is_finished:
        session.terminal.note(
            f"{name} has not changed and the run in {folder} is finished: nothing to submit."
        )
    else:
        session.terminal.note(f"Continuing the run in {folder}.")


def _confirm_start(session: Session, start: Start, plan: Plan, chosen: StartOptions) -> bool:
    jobs = start.submitted
    _show_plan(session, start.request, plan, jobs)
    if not chosen.same_maps:
        error = same_maps_error(group_by_map(jobs, plan.estimate), "add --same-maps")
        if error is not None:
            raise CommandError(error, Exit.USAGE)
    return chosen.yes or session.terminal.confirm("Start?")


def _show_plan(session: Session, request: RunRequest, plan: Plan, jobs: Sequence[RunJob]) -> None:
    columns = [column.name for column in request.fields.columns]
    if request.name is None and columns:
        session.terminal.note(
            f"Fields are named by number. To name them by a column, use --name-field with one of: {', '.join(columns)}"
        )
    maps = group_by_map(jobs, plan.estimate)
    names = [job.name for job in jobs]
    session.terminal.report(
        "estimate",
        estimate_event(plan, maps, [job.index for job in jobs], names),
        estimate_lines(plan, maps, names, session.terminal.printed_warnings),
    )


def _open_run(transport: Transport, folder: str) -> Run:
    return Run(transport, Folder(folder))


def _batch_reporter(session: Session, event: str, verb: str) -> Callable[[str, int], None]:
    def report_batch(batch_id: str, jobs: int) -> None:
        line = f"{verb} {count_text(jobs, 'job')} as batch {batch_id}."
        session.terminal.report(event, {"batch_id": batch_id, "total_jobs": jobs}, [line])

    return report_batch


def _submit(session: Session, started: Run) -> QuotaExceeded | None:
    """Creates the run's missing batches. Returns the error if some of them exceed today's quota."""
    try:
        started.create_batches(_batch_reporter(session, "submitted", "Submitted"))
    except QuotaExceeded as error:
        return error
    return None


def _watch(session: Session, started: Run) -> Progress:
    with session.terminal.bar("Predicting") as bar:

        def show(latest: Progress) -> None:
            bar.update(latest.share, str(latest))
            values = {**asdict(latest), "progress": latest.share}
            session.terminal.report("progress", values, [])

        return started.watch(show)


def _finish(
    session: Session,
    run: Run,
    snapshot: RunSnapshot,
    refused: QuotaExceeded | None,
    with_report: bool = True,
) -> int:
    """Downloads finished maps, writes the tables and, unless `--no-report` is given, the report, and prints the outcome."""
    files = snapshot.results
    received, done = sum(map(snapshot.received_bytes, files)), sum(map(snapshot.is_here, files))
    total = sum(file.result.bytes for file in files)
    with session.terminal.bar("Downloading", total, received) as bar:

        def on_bytes(more: int) -> None:
            nonlocal received
            received += more
            bar.update(received, f"{done} of {len(files)} files")

        def on_file(file: ResultFile) -> None:
            nonlocal done
            done += 1
            values = {"file": file.name, "bytes": file.result.bytes}
            session.terminal.report("downloaded", values, [])

        run.fetch_missing(snapshot, _WORKERS, on_bytes, on_file)
    downloaded = run.write_tables(snapshot)
    snapshot = downloaded.snapshot
    session.terminal.report("written", {"files": downloaded.written}, [])
    for line in downloaded.missing:
        session.terminal.note(line)
    _report_totals(session, downloaded)
    path = None
    if with_report:
        path = run.dir / REPORT_FILE
        faults = _write_report(session, snapshot, [])
        if faults:
            session.terminal.note(
                f"Some files are changed, missing or without a recorded digest. {' '.join(faults)}"
            )
    return _report_outcome(
        session, snapshot, refused, opening_lines(run.dir, downloaded.written, path)
    )


def _write_report(
    session: Session, snapshot: RunSnapshot, lines: Sequence[str], *, again: bool = False
) -> list[str]:
    """Writes the report. Returns sentences about changed, missing and unrecorded files."""
    path, faults = (
        snapshot.stored.folder.path / REPORT_FILE,
        describe_faults(write_report(snapshot, again=again)),
    )
    session.terminal.report("report", {"file": str(path), "faults": faults}, lines)
    return faults


def _report_totals(session: Session, downloaded: DownloadResult) -> None:
    totals = None if downloaded.facts is None else downloaded.facts.totals
    if totals is None:
        return
    terminal = session.terminal
    if totals.totals is None:
        missing = totals.totals_missing
        terminal.report("total", {"missing": missing}, [f"No total: {missing}"])
        return
    for total in totals.totals.totals:
        terminal.report("total", asdict(total), total_lines(total))
    for one in totals.totals.joined:
        terminal.report("joined_stock", asdict(one), joined_lines(one))
    groups = totals.totals.left_out
    if groups:
        values = {"groups": [asdict(one) for one in groups]}
        terminal.report("left_out", values, [left_out_line(groups)])


def _report_outcome(
    session: Session, snapshot: RunSnapshot, refused: QuotaExceeded | None, opening: Sequence[str]
) -> int:
    jobs, outcomes, folder = snapshot.stored.jobs, snapshot.outcomes, snapshot.stored.folder.path
    found = [
        (jobs[index].name, one.job)
        for index, one in sorted(outcomes.jobs.items())
        if index not in outcomes.expired
    ]
    completed = sum(job.status == "completed" for _, job in found)
    failed = [job for _, job in found if job.status == "failed"]
    expired, waiting = len(outcomes.expired), snapshot.stored.state.jobs_not_submitted
    pending = len(jobs) - completed - len(failed) - waiting - expired
    code = Exit.COMPLETE
    if failed or pending or expired:
        code = Exit.PARTIAL
    if waiting:
        code = Exit.QUOTA
    lines = [f"{amount_text(completed)} of {count_text(len(jobs), 'map')} in {folder}"]
    warned = [(name, job.year, job.warnings) for name, job in found]
    lines += warning_lines(warned, session.terminal.printed_warnings)
    lines += failure_lines(
        "failed", [(name, job.year, job.error_code, job.error_message) for name, job in found]
    )
    again = sum(job.error_retryable is True for job in failed)
    if again:
        lines.append(
            f"{count_text(again, 'job')} may succeed if retried: soil-batch retry {folder}"
        )
    if len(failed) > again:
        lines.append(
            f"{FAILED_FILE} in that folder shows why each field failed. Correct the input file and use"
            ' "run" again: it submits only the fields that changed.'
        )
    if pending:
        lines.append(f"{count_text(pending, 'job is', 'jobs are')} not finished.")
    if expired:
        them = "it" if expired == 1 else "them"
        lines.append(
            f'{count_text(expired, "result")} expired before the download: "run" with the same file predicts'
            f" {them} again."
        )
    if waiting:
        why = 'use "run" with the same file to continue.' if refused is None else str(refused)
        lines.append(f"{count_text(waiting, 'job was', 'jobs were')} not submitted: {why}")
    values = {
        "folder": str(folder),
        "completed_jobs": completed,
        "failed_jobs": len(failed),
        "pending_jobs": pending,
        "not_submitted_jobs": waiting,
        "expired_jobs": expired,
        "exit_code": code,
    }
    session.terminal.report("finished", values, [*lines, *opening])
    return code
