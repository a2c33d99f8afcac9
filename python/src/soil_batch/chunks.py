"""Splits the jobs of a run into requests within the service's limits."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import invalid_input
from .fields import Fields
from .schemas.limits import Limits

# The service's limit (`name_characters` of `GET /v1/limits`).
_NAME_CHARACTERS = 255


@dataclass(frozen=True)
class RunJob:
    """The prediction of one field for one year by one model."""

    #: Position in the run, counted from 0.
    index: int
    field_index: int
    name: str
    year: int
    #: The requested model; None if the service chooses it.
    model: str | None = None
    #: File name of the raster, without a folder; empty until the run is planned.
    file: str = ""


def list_jobs(
    fields: Fields,
    years: Sequence[int],
    name: str | None,
    models: Sequence[str] = (),
    files: Sequence[str] | None = None,
) -> list[RunJob]:
    """Lists the jobs of a run: all years and models of the first field, then of the second, and so on.

    :param models: empty if the service chooses the models
    :param files: the file names of the jobs, if they are already known
    """
    count = len(fields.geometries)
    labels = [None] * count if name is None else fields.column(name)
    digits = len(str(count))
    named = [
        (field, format_name(label) or f"field-{field + 1:0{digits}}", year, model)
        for field, label in enumerate(labels)
        for year in years
        for model in models or (None,)
    ]
    return [
        RunJob(index, *one, file="" if files is None else files[index])
        for index, one in enumerate(named)
    ]


def format_name(label: object) -> str:
    """Converts a column's value to a name within the service's limits; empty if the value is missing or blank."""
    text = "" if label is None or label != label else str(label).strip()
    # UTF-8 cannot encode half of a surrogate pair.
    return text[:_NAME_CHARACTERS].encode("utf-8", "replace").decode()


def add_secret(body: bytes, secret: str | None) -> bytes:
    """Adds the webhook's secret to a stored body. The same secret always gives the same bytes, as an idempotency key requires."""
    if secret is None:
        return body
    # ASCII escapes can express half of a surrogate pair, so that the service, not the encoder, rejects such a secret.
    return body[:-1] + f',"webhook_secret":{json.dumps(secret)}}}'.encode()


@dataclass(frozen=True)
class Chunk:
    """The request that creates one batch."""

    #: Indexes of the batch's jobs in the run.
    jobs: tuple[int, ...]
    #: A request that is sent twice with this key creates only one batch.
    idempotency_key: str
    #: The body of the request, without the webhook's secret.
    body: bytes


def split_jobs(
    groups: Sequence[Sequence[RunJob]],
    geometries: Sequence[Any],
    properties: Sequence[Mapping[str, str] | None],
    limits: Limits,
    batch: Mapping[str, object],
    plan_id: str,
) -> list[Chunk]:
    """Splits the jobs of each group into chunks, in order. A chunk has jobs of one group only."""
    head, tail = b'{"jobs":[', b"]" + _format_members(batch) + b"}"
    envelope = len(head) + len(tail)
    chunks: list[Chunk] = []
    texts: list[bytes] = []
    indexes: list[int] = []
    size = vertices = 0

    def close_chunk() -> None:
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
            if (field_properties := properties[job.field_index]) is not None:
                members["properties"] = field_properties
            text = encode_json(members)
            corners = sum(1 for _ in _iterate_positions(geometry))
            _require_room(job, limits, envelope + len(text) + 1, corners)
            if (
                len(indexes) == limits.jobs_per_batch
                or envelope + size + len(text) + 1 > limits.body_bytes
                or vertices + corners > limits.vertices_per_batch
            ):
                close_chunk()
            texts.append(text)
            indexes.append(job.index)
            size += len(text) + 1
            vertices += corners
        close_chunk()
    return chunks


def _format_members(batch: Mapping[str, object]) -> bytes:
    text = encode_json(batch)[1:-1]
    return b"," + text if text else b""


def encode_json(value: object) -> bytes:
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
    row = f"field {job.name} (row {job.field_index})"
    if size > limits.body_bytes:
        raise invalid_input(
            f"{row} needs a request of {size:,} bytes; at most {limits.body_bytes:,} are allowed"
        )
    if vertices > limits.vertices_per_batch:
        raise invalid_input(
            f"{row} has {vertices:,} vertices; at most {limits.vertices_per_batch:,} are allowed"
        )
