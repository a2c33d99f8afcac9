"""Starts a run in a folder, or continues the one that is there, even with a corrected file."""

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
from .known import KnownRun, read_known
from .plan import Plan, RunRequest, keys_of, plan_jobs
from .run_state import ChunkState, RunState, Source
from .stored import with_fields
from .submit import body_file
from .transport import Transport

OnChunk = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class Start:
    """What a request would do in its folder. Nothing is written until `commit`."""

    request: RunRequest
    folder: Folder
    base_url: str
    run_id: str
    #: The run that the folder has; None for a new one.
    before: KnownRun | None = None
    jobs: Sequence[RunJob] = ()
    #: Jobs that stay: their index in the run as it was, by the index that they get.
    kept: Mapping[int, int] = field(default_factory=dict)
    #: Maps in the folder whose job the run no longer has.
    left: Sequence[str] = ()
    #: None if nothing is to be submitted.
    plan: Plan | None = None

    @property
    def is_same(self) -> bool:
        """Whether the folder holds this run already."""
        return self.plan is None and self.before is not None and len(self.kept) == 0

    @property
    def expired(self) -> frozenset[int]:
        """Indexes, before, of the jobs whose result expired before it was downloaded."""
        return frozenset() if self.before is None else self.before.outcomes.expired

    @property
    def submitted(self) -> list[RunJob]:
        return [job for job in self.jobs if job.index not in self.kept]

    @property
    def estimate(self) -> Estimate | None:
        return None if self.plan is None else self.plan.estimate

    def commit(self) -> None:
        """A crash leaves the run as it was, or all of the change."""
        if self.is_same:
            return
        with self.folder.lock():
            if self.folder.read_run() != (self.before and self.before.stored.state):
                raise folder_error(f"another process has changed {self.folder.path}: try again")
            _write(self)


def default_folder(source: Source | None, years: Sequence[int]) -> Path:
    """`fields_2021` for `fields.gpkg` and 2021, in the working folder."""
    if source is None:
        raise invalid_input("name the folder of the run: dir=…")
    return Path("_".join([Path(source.path).stem, *map(str, years)]))


def prepare(
    transport: Transport,
    request: RunRequest,
    dir: str | os.PathLike[str] | None,
    *,
    may_replace: bool = False,
    on_chunk: OnChunk = lambda done, total: None,
    on_change: Callable[[str], None] = lambda line: None,
) -> Start:
    """Plans what the folder lacks of a request.

    :param dir: by default, the folder named after the file, which belongs to that file
    :param may_replace: whether a run of which no job stays gives way
    :param on_change: called with what the user should know of a run that continues
    """
    folder = Folder(default_folder(request.source, request.years) if dir is None else dir)
    state = folder.read_run()
    if state is None:
        return _plan_new(transport, request, folder, on_chunk)
    _require_same(state, request, transport.base_url, folder)
    _require_secret(state, request, folder)
    before = read_known(transport, with_fields(folder, state))
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
        jobs=_with_files(jobs, (), {}, plan),
        plan=plan,
    )


def _plan_changes(
    transport: Transport,
    start: Start,
    before: KnownRun,
    same_fields: bool,
    may_replace: bool,
    on_chunk: OnChunk,
) -> Start:
    """Plans the jobs that the run lacks: those of other fields, and those whose result has expired."""
    request, folder, state = start.request, start.folder, before.stored.state
    jobs, jobs_before = request.jobs(), before.stored.jobs
    keys = keys_of(request.fields, request.stratum, jobs)
    keys_before = keys_of(before.stored.fields, state.stratum, jobs_before)
    models: dict[int, str | None] = {}
    if not same_fields:
        sent = set(keys_before)
        again = [job for job in jobs if keys[job.index] in sent]
        models = _models_now(transport, request, again, state.run_id, on_chunk)
    kept = _kept(jobs, keys, before, keys_before, models)
    if not kept and not same_fields and not may_replace:
        raise folder_error(
            f"{folder.path} holds a run of {state.source or 'other fields'}, and no field of it stays:"
            " choose another folder, or replace the run (--replace), whose maps then stay in no table"
        )
    submit = [job for job in jobs if job.index not in kept]
    label = Path(state.source.path).name if state.source is not None else folder.path.name
    lacking = (
        plan_jobs(transport, request, label, state.run_id, submit, on_chunk) if submit else None
    )
    named = _with_files(jobs, jobs_before, kept, lacking)
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
        "service": state.base_url != base_url,
    }
    differing = [what for what, differs in differences.items() if differs]
    if differing:
        raise folder_error(
            f"{folder.path} holds a run with other {', '.join(differing)}: choose another folder"
        )


def _require_secret(state: RunState, request: RunRequest, folder: Folder) -> None:
    if state.has_webhook_secret != (request.webhook_secret is not None):
        raise folder_error(
            f"{folder.path} holds a run with other webhook: its secret is"
            f" {'missing' if state.has_webhook_secret else 'not one of the run'}"
        )


def _require_source(
    state: RunState,
    request: RunRequest,
    folder: Folder,
    is_default: bool,
    on_change: Callable[[str], None],
) -> None:
    """`f.csv` and `f.kml` have the same folder by default: another file continues only in a named one."""
    before, now = state.source, request.source
    if before is None or now is None:
        return
    same = Path(before.path).resolve() == Path(now.path).resolve() and before.layer == now.layer
    if same:
        return
    if is_default:
        raise folder_error(
            f"{folder.path} holds the run of {before}: choose another folder for {now} (--out), or name"
            f" this one if {now} is to take its place"
        )
    on_change(f"The run in {folder.path} was of {before}; {now} takes its place.")


def _models_now(
    transport: Transport,
    request: RunRequest,
    jobs: Sequence[RunJob],
    run_id: str,
    on_chunk: OnChunk,
) -> dict[int, str | None]:
    """The models that would predict these jobs now, by their index."""
    if not jobs:
        return {}
    plan = plan_jobs(transport, request, "estimate", run_id, jobs, on_chunk)
    return {job.index: one.model for job, one in zip(jobs, plan.estimate.jobs)}


def _kept(
    jobs: Sequence[RunJob],
    keys: Sequence[str],
    before: KnownRun,
    keys_before: Sequence[str],
    models: Mapping[int, str | None],
) -> dict[int, int]:
    """The jobs of the same polygon and year that were sent, whose result is not lost, by the same model."""
    sent = [chunk for chunk in before.stored.state.chunks if chunk.sent_at is not None]
    there = {index for chunk in sent for index in chunk.live} - before.outcomes.expired
    by_key: dict[str, list[int]] = {}
    for job in before.stored.jobs:
        if job.index in there:
            # A polygon may occur twice.
            by_key.setdefault(keys_before[job.index], []).append(job.index)
    kept = {}
    for job in jobs:
        same = by_key.get(keys[job.index])
        if not same:
            continue
        index = same.pop(0)
        outcome = before.outcomes.jobs.get(index)
        then, now = None if outcome is None else outcome.job.model, models.get(job.index)
        # A model that is not known counts as the same.
        if now is None or then is None or now == then:
            kept[job.index] = index
    return kept


def _with_files(
    jobs: Sequence[RunJob],
    before: Sequence[RunJob],
    kept: Mapping[int, int],
    plan: Plan | None,
) -> list[RunJob]:
    """Jobs that stay keep the names of their files. A static map is named after the period of its data."""
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


def _write(start: Start) -> None:
    request, folder = start.request, start.folder
    before = None if start.before is None else start.before.stored.state
    text = request.fields.json
    digest = digest_of(text)
    # The name differs from that of the previous fields, which are needed until the run is written.
    stored = f"fields-{digest[:16]}.json"
    folder.write_state_file(stored, text.encode())
    chunks = () if start.plan is None else start.plan.chunks
    old = () if before is None else before.chunks
    for at, chunk in enumerate(chunks):
        folder.write_state_file(body_file(len(old) + at), chunk.body)
    for job in start.submitted:
        # An earlier polygon may have left a raster under the name of a new job.
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
            chunks=(*(_moved(chunk, now) for chunk in old), *map(_new, chunks)),
            has_webhook_secret=request.webhook_secret is not None,
            stratum=request.stratum,
        )
    )
    if before is not None and before.stored != stored:
        folder.remove_state_file(before.stored)


def _moved(chunk: ChunkState, now: Mapping[int, int]) -> ChunkState:
    """A chunk that was never sent is planned again."""
    indexes = [None if index is None else now.get(index) for index in chunk.jobs]
    return replace(
        chunk, jobs=tuple(indexes if chunk.sent_at is not None else [None] * len(indexes))
    )


def _new(chunk: Chunk) -> ChunkState:
    return ChunkState(chunk.jobs, chunk.idempotency_key)
