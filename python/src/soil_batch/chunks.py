"""The jobs of a run, split into as few requests as the limits of the service allow."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import invalid_input
from .fields import Fields
from .schemas.limits import Limits

# The service accepts no longer name (`name_characters` of `GET /v1/limits`).
_NAME_CHARACTERS = 255


@dataclass(frozen=True)
class RunJob:
    """One field in one year."""

    #: Position in the run, from 0.
    index: int
    field_index: int
    name: str
    year: int
    #: As it was requested; None for the first model that fits.
    model: str | None = None
    #: Plain file name of its raster; empty until the run is planned.
    file: str = ""


def jobs_of(
    fields: Fields,
    years: Sequence[int],
    name: str | None,
    models: Sequence[str] = (),
    files: Sequence[str] | None = None,
) -> list[RunJob]:
    """Every year and model of the first field, then of the second, and so on.

    :param models: empty for the first model that fits
    :param files: the file names of the jobs, if they have names already
    """
    count = len(fields.geometries)
    labels = [None] * count if name is None else fields.column(name)
    digits = len(str(count))
    named = [
        (field, name_of(label) or f"field-{field + 1:0{digits}}", year, model)
        for field, label in enumerate(labels)
        for year in years
        for model in models or (None,)
    ]
    return [
        RunJob(index, *one, file="" if files is None else files[index])
        for index, one in enumerate(named)
    ]


def name_of(label: object) -> str:
    """A value of a column as the service accepts it; empty without one."""
    text = "" if label is None or label != label else str(label).strip()
    # UTF-8 cannot express half a character.
    return text[:_NAME_CHARACTERS].encode("utf-8", "replace").decode()


def with_secret(body: bytes, secret: str | None) -> bytes:
    """A request as it is sent: the same bytes for the same secret."""
    if secret is None:
        return body
    # The secret is sent as ASCII: half a character is the service's to refuse.
    return body[:-1] + f',"webhook_secret":{json.dumps(secret)}}}'.encode()


@dataclass(frozen=True)
class Chunk:
    """One batch that is to be created."""

    #: Indexes of its jobs in the run.
    jobs: tuple[int, ...]
    #: The same for the same run and chunk: sending a chunk twice creates one batch.
    idempotency_key: str
    #: The text of the request, but for a webhook's secret.
    body: bytes


def chunks_of(
    groups: Sequence[Sequence[RunJob]],
    geometries: Sequence[Any],
    properties: Sequence[Mapping[str, str] | None],
    limits: Limits,
    batch: Mapping[str, object],
    plan_id: str,
) -> list[Chunk]:
    """Splits the jobs of each group, in their order."""
    head, tail = b'{"jobs":[', b"]" + _members(batch) + b"}"
    envelope = len(head) + len(tail)
    chunks: list[Chunk] = []
    texts: list[bytes] = []
    indexes: list[int] = []
    size = vertices = 0

    def close() -> None:
        nonlocal size, vertices
        if indexes:
            key = hashlib.sha256(f"{len(chunks)}/{plan_id}".encode()).hexdigest()
            chunks.append(Chunk(tuple(indexes), key, head + b",".join(texts) + tail))
        texts.clear()
        indexes.clear()
        size = vertices = 0

    for group in groups:
        for job in group:
            geometry = geometries[job.field_index]
            members = {"polygon": geometry, "year": job.year, "name": job.name}
            if job.model is not None:
                members["model"] = job.model
            if (own := properties[job.field_index]) is not None:
                members["properties"] = own
            text = dumps(members)
            corners = sum(1 for _ in _iterate_positions(geometry))
            _require_room(job, limits, envelope + len(text) + 1, corners)
            if (
                len(indexes) == limits.jobs_per_batch
                or envelope + size + len(text) + 1 > limits.body_bytes
                or vertices + corners > limits.vertices_per_batch
            ):
                close()
            texts.append(text)
            indexes.append(job.index)
            size += len(text) + 1
            vertices += corners
        close()
    return chunks


def _members(batch: Mapping[str, object]) -> bytes:
    """The fields of a batch besides its jobs, behind a comma."""
    text = dumps(batch)[1:-1]
    return b"," + text if text else b""


def dumps(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def _iterate_positions(geometry: Any) -> Iterable[Any]:
    pending = [] if geometry is None else [geometry["coordinates"]]
    while pending:
        one = pending.pop()
        if isinstance(one, (list, tuple)) and one and isinstance(one[0], (int, float)):
            yield one
        elif isinstance(one, (list, tuple)):
            pending.extend(one)


def _require_room(job: RunJob, limits: Limits, size: int, vertices: int) -> None:
    """A field that is too large even alone."""
    row = f"field {job.name} (row {job.field_index})"
    if size > limits.body_bytes:
        raise invalid_input(
            f"{row} needs a request of {size} bytes; at most {limits.body_bytes} are allowed"
        )
    if vertices > limits.vertices_per_batch:
        raise invalid_input(
            f"{row} has {vertices} vertices; at most {limits.vertices_per_batch} are allowed"
        )
