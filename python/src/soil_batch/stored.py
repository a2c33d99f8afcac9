from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .chunks import RunJob, list_jobs
from .fields import Fields, digest_of
from .folder import Folder, folder_error
from .run_state import RunState


@dataclass(frozen=True)
class StoredRun:
    folder: Folder
    state: RunState
    fields: Fields
    jobs: Sequence[RunJob]


def read_stored(folder: Folder) -> StoredRun:
    return read_with_fields(folder, folder.require_run())


def read_with_fields(folder: Folder, state: RunState) -> StoredRun:
    text = folder.read_state_file(state.stored)
    if text is None or digest_of(text) != state.digest:
        raise folder_error(f"the stored fields in {folder.path} are damaged: choose another folder")
    fields = Fields.from_json(text)
    expected, found = (
        len(fields.geometries) * len(state.years) * max(len(state.models), 1),
        len(state.files),
    )
    if found != expected:
        raise folder_error(
            f"the run in {folder.path} is damaged: it names {found} files for {expected} jobs;"
            " choose another folder"
        )
    jobs = list_jobs(fields, state.years, state.name, state.models, state.files)
    return StoredRun(folder, state, fields, jobs)
