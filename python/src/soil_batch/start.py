"""Starts a run in a folder, or continues the folder's run, even with a corrected file."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from .chunks import Chunk, RunJob
from .errors import invalid_input
from .estimate import Estimate
from .fields import digest_of
from .file_names import file_names, map_years
from .folder import Folder, folder_error
from .plan import Plan, RunRequest, compute_job_keys, plan_jobs
from .run_state import ChunkState, RunState, Source
from .snapshot import RunSnapshot, read_snapshot
from .stored import read_with_fields
from .submit import request_file_name
from .transport import Transport

OnChunk = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class Start:
    """The changes that a request would make in its folder. Nothing is written before `commit`."""

    request: RunRequest
    folder: Folder
    base_url: str
    run_id: str
    #: The folder's run; None if the run is new.
    before: RunSnapshot | None = None
    jobs: Sequence[RunJob] = ()
    #: Jobs that are kept: for each new index, the previous index.
    kept: Mapping[int, int] = field(default_factory=dict)
    #: Maps in the folder whose jobs the run no longer has.
    left: Sequence[str] = ()
    #: The batches to create; None if there are none.
    plan: Plan | None = None

    @property
    def is_same(self) -> bool:
        """Whether the folder already holds exactly this run."""
        return self.plan is None and self.before is not None and len(self.kept) == 0

    @property
    def expired(self) -> frozenset[int]:
        """Previous indexes of the jobs whose results expired before the download."""
        return frozenset() if self.before is None else self.before.outcomes.expired

    @property
    def submitted(self) -> list[RunJob]:
        return [job for job in self.jobs if job.index not in self.kept]

    @property
    def estimate(self) -> Estimate | None:
        return None if self.plan is None else self.plan.estimate

    def commit(self) -> None:
        """Writes the changes. A crash leaves either the old run or the complete new run."""
        if self.is_same:
            return
        with self.folder.lock():
            if self.folder.read_run() != (self.before and self.before.stored.state):
                raise folder_error(
                    f"another process changed the run in {self.folder.path}: try again"
                )
            _write_changes(self)


def default_folder(source: Source | None, years: Sequence[int]) -> Path:
    """Names the folder of a file's run: `fields_2021` in the working folder for `fields.gpkg` and 2021."""
    if source is None:
        raise invalid_input("name a folder for the run: dir=…")
    return Path("_".join([Path(source.path).stem, *map(str, years)]))


def prepare_start(
    transport: Transport,
    request: RunRequest,
    dir: str | os.PathLike[str] | None,
    *,
    may_replace: bool = False,
    on_chunk: OnChunk = lambda done, total: None,
    on_change: Callable[[str], None] = lambda line: None,
) -> Start:
    """Plans the changes that fulfil a request in its folder.

    :param dir: the folder; by default one named after the file and years, which is rejected if it holds another file's fields
    :param may_replace: whether the folder's run may be replaced even if none of its jobs is kept
    :param on_change: called with a message for the user if another file replaces the run's file
    """
    folder = Folder(default_folder(request.source, request.years) if dir is None else dir)
    state = folder.read_run()
    if state is None:
        return _plan_new(transport, request, folder, on_chunk)
    _require_same(state, request, transport.base_url, folder)
    _require_secret(state, request, folder)
    before = read_snapshot(transport, read_with_fields(folder, state))
    start = Start(
        request=request,
        folder=folder,
        base_url=transport.base_url,
        run_id=state.run_id,
        before=before,
        jobs=before.stored.jobs,
    )
    same_fields = state.digest == request.fields.digest
    if same_fields and not start.expired:
        return start
    if not same_fields:
        _require_source(state, request, folder, dir is None, on_change)
    return _plan_changes(transport, start, before, same_fields, may_replace, on_chunk)


def _plan_new(
    transport: Transport, request: RunRequest, folder: Folder, on_chunk: OnChunk
) -> Start:
    run_id, jobs = str(uuid.uuid4()), request.jobs()
    label = folder.path.name if request.source is None else Path(request.source.path).name
    plan = plan_jobs(transport, request, label, run_id, jobs, on_chunk)
    return Start(
        request=request,
        folder=folder,
        base_url=transport.base_url,
        run_id=run_id,
        jobs=_name_files(jobs, (), {}, plan),
        plan=plan,
    )


def _plan_changes(
    transport: Transport,
    start: Start,
    before: RunSnapshot,
    same_fields: bool,
    may_replace: bool,
    on_chunk: OnChunk,
) -> Start:
    """Plans the jobs that the run lacks: jobs of changed fields, jobs with expired results, and jobs for which the
    service now chooses another model.
    """
    request, folder, state = start.request, start.folder, before.stored.state
    jobs, jobs_before = request.jobs(), before.stored.jobs
    keys = compute_job_keys(request.fields, request.stratum, jobs)
    keys_before = compute_job_keys(before.stored.fields, state.stratum, jobs_before)
    models: dict[int, str | None] = {}
    if not same_fields:
        sent = set(keys_before)
        again = [job for job in jobs if keys[job.index] in sent]
        models = _estimate_models(transport, request, again, state.run_id, on_chunk)
    kept = _find_kept_jobs(jobs, keys, before, keys_before, models)
    if not kept and not same_fields and not may_replace:
        raise folder_error(
            f"the run in {folder.path}, of {state.source or 'other fields'}, has none of these fields: choose another folder,"
            " or replace the run (--replace); its maps then remain in the folder, but not in the tables"
        )
    submit = [job for job in jobs if job.index not in kept]
    label = Path(state.source.path).name if state.source is not None else folder.path.name
    lacking = (
        plan_jobs(transport, request, label, state.run_id, submit, on_chunk) if submit else None
    )
    named = _name_files(jobs, jobs_before, kept, lacking)
    names = {job.file for job in named}
    left = [
        job.file
        for job in jobs_before
        if job.file not in names and (folder.path / job.file).exists()
    ]
    return replace(start, jobs=named, kept=kept, left=left, plan=lacking)


def _require_same(state: RunState, request: RunRequest, base_url: str, folder: Folder) -> None:
    differences = {
        "years": state.years != request.years,
        "name": state.name != request.name,
        "stratum": state.stratum != request.stratum,
        "model": state.models != request.models,
        "webhook": state.webhook_url != request.webhook_url,
        "destination": state.destination != request.destination,
        "service": state.base_url != base_url,
    }
    differing = [what for what, differs in differences.items() if differs]
    if differing:
        raise folder_error(
            f"{folder.path} holds a run with other settings ({', '.join(differing)}): choose another folder"
        )


def _require_secret(state: RunState, request: RunRequest, folder: Folder) -> None:
    if state.has_webhook_secret != (request.webhook_secret is not None):
        raise folder_error(
            f"{folder.path} holds a run "
            + (
                "with a webhook secret, but none was passed: pass the secret"
                if state.has_webhook_secret
                else "without a webhook secret, but one was passed: omit the secret"
            )
            + ", or choose another folder"
        )


def _require_source(
    state: RunState,
    request: RunRequest,
    folder: Folder,
    is_default: bool,
    on_change: Callable[[str], None],
) -> None:
    """Rejects another file in the default folder, which `f.csv` and `f.kml` share. In a folder that the user names, the
    other file replaces the run's file.
    """
    before, now = state.source, request.source
    if before is None or now is None:
        return
    same = Path(before.path).resolve() == Path(now.path).resolve() and before.layer == now.layer
    if same:
        return
    if is_default:
        raise folder_error(
            f"{folder.path} holds the run of {before}: choose another folder for {now} with --out, or name"
            f" this folder with --out to replace {before} with {now}"
        )
    on_change(f"The run in {folder.path} was made from {before}, which {now} now replaces.")


def _estimate_models(
    transport: Transport,
    request: RunRequest,
    jobs: Sequence[RunJob],
    run_id: str,
    on_chunk: OnChunk,
) -> dict[int, str | None]:
    """Returns the model that would predict each job now, by the job's index."""
    if not jobs:
        return {}
    plan = plan_jobs(transport, request, "estimate", run_id, jobs, on_chunk)
    return {job.index: one.model for job, one in zip(jobs, plan.estimate.jobs)}


def _find_kept_jobs(
    jobs: Sequence[RunJob],
    keys: Sequence[str],
    before: RunSnapshot,
    keys_before: Sequence[str],
    models: Mapping[int, str | None],
) -> dict[int, int]:
    """Finds the jobs to keep: sent before, for the same polygon, stratum, year and model, and without an expired result."""
    sent = [chunk for chunk in before.stored.state.chunks if chunk.sent_at is not None]
    there = {index for chunk in sent for index in chunk.live} - before.outcomes.expired
    by_key: dict[str, list[int]] = {}
    for job in before.stored.jobs:
        if job.index in there:
            # The same polygon may occur several times.
            by_key.setdefault(keys_before[job.index], []).append(job.index)
    kept = {}
    for job in jobs:
        same = by_key.get(keys[job.index])
        if not same:
            continue
        index = same.pop(0)
        outcome = before.outcomes.jobs.get(index)
        then, now = None if outcome is None else outcome.job.model, models.get(job.index)
        # Unknown models count as the same model.
        if now is None or then is None or now == then:
            kept[job.index] = index
    return kept


def _name_files(
    jobs: Sequence[RunJob],
    before: Sequence[RunJob],
    kept: Mapping[int, int],
    plan: Plan | None,
) -> list[RunJob]:
    """Names the files of new jobs; kept jobs keep their files. Static maps are named after their data period."""
    files = {index: before[old].file for index, old in kept.items()}
    others = [job for job in jobs if job.index not in files]
    estimates = () if plan is None else plan.estimate.jobs
    has_several = len({job.model for job in jobs}) > 1
    labels = [
        (
            job.name,
            job.model if has_several else None,
            map_years(job.year, one.temporal, one.data_period),
        )
        for job, one in zip(others, estimates)
    ]
    files.update((job.index, name) for job, name in zip(others, file_names(labels, files.values())))
    return [replace(job, file=files[job.index]) for job in jobs]


def _write_changes(start: Start) -> None:
    request, folder = start.request, start.folder
    before = None if start.before is None else start.before.stored.state
    text = request.fields.json
    digest = digest_of(text)
    # A new name, because the previous fields are needed until the run is written.
    stored = f"fields-{digest[:16]}.json"
    folder.write_state_file(stored, text.encode())
    chunks = () if start.plan is None else start.plan.chunks
    old = () if before is None else before.chunks
    for at, chunk in enumerate(chunks):
        folder.write_state_file(request_file_name(len(old) + at), chunk.body)
    for job in start.submitted:
        # The raster of an earlier polygon may have the name of a new job's raster.
        (folder.path / job.file).unlink(missing_ok=True)
    now = {old_index: index for index, old_index in start.kept.items()}
    created = datetime.now(UTC).isoformat()
    folder.write_run(
        RunState(
            run_id=start.run_id,
            created_at=created if before is None else before.created_at,
            base_url=start.base_url,
            source=request.source,
            digest=digest,
            stored=stored,
            years=request.years,
            name=request.name,
            models=request.models,
            webhook_url=request.webhook_url,
            files=tuple(job.file for job in start.jobs),
            chunks=(*(_reindex_chunk(chunk, now) for chunk in old), *map(_new_chunk_state, chunks)),
            has_webhook_secret=request.webhook_secret is not None,
            stratum=request.stratum,
            destination=request.destination,
        )
    )
    if before is not None and before.stored != stored:
        folder.remove_state_file(before.stored)


def _reindex_chunk(chunk: ChunkState, now: Mapping[int, int]) -> ChunkState:
    """Updates the indexes of an earlier chunk. A chunk that was never sent loses its jobs, which are planned again."""
    indexes = [None if index is None else now.get(index) for index in chunk.jobs]
    return replace(
        chunk, jobs=tuple(indexes if chunk.sent_at is not None else [None] * len(indexes))
    )


def _new_chunk_state(chunk: Chunk) -> ChunkState:
    return ChunkState(chunk.jobs, chunk.idempotency_key)
