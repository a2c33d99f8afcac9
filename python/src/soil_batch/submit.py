"""Creates the batches of a run, each once, however often that is interrupted."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any

from .batches import list_batches
from .charged import charged_hectares
from .chunks import Chunk, RunJob, chunks_of, jobs_of, with_secret
from .errors import InvalidRequest, invalid_input
from .fields import Fields
from .folder import Folder, folder_error
from .run_state import ChunkState, RunState
from .schemas.batches import BatchCreated
from .schemas.limits import Limits, Usage
from .transport import Transport

# The service keeps an idempotency key for 24 hours; the rest is for clocks that differ.
_KEY_SECONDS = 23 * 3600
# For clocks that differ.
_MARGIN_SECONDS = 86_400
_NAME_CHARACTERS = 255
_CLIENT = "soil-batch-python"


@dataclass(frozen=True)
class Webhook:
    """Where the service sends the outcome of each batch, and the secret that signs it."""

    url: str
    secret: str | None = None

    def __repr__(self) -> str:
        return f"Webhook({self.url!r})"


@dataclass(frozen=True)
class RunRequest:
    """What a run predicts. A folder holds one of these."""

    fields: Fields
    years: tuple[int, ...]
    #: The column with the names of the fields.
    name: str | None
    model: str | None
    webhook: Webhook | None

    @property
    def webhook_url(self) -> str | None:
        return None if self.webhook is None else self.webhook.url

    @property
    def webhook_secret(self) -> str | None:
        return None if self.webhook is None else self.webhook.secret

    def jobs(self) -> list[RunJob]:
        return jobs_of(self.fields, self.years, self.name)


def years_of(year: int | Sequence[int]) -> tuple[int, ...]:
    given: Sequence[Any] = list(year) if hasattr(year, "__iter__") else [year]
    # numpy's integers are welcome.
    years = [one.item() if hasattr(one, "item") else one for one in given]
    if not years or not all(type(one) is int for one in years):
        raise invalid_input(f"year must be a whole number, or several; got {year!r}")
    if len(set(years)) < len(years):
        raise invalid_input("a year is given twice")
    return tuple(years)


def plan(transport: Transport, request: RunRequest, label: str, run_id: str) -> list[Chunk]:
    limits = transport.get(Limits, "/v1/limits")
    usage = transport.get(Usage, "/v1/usage")
    name = " ".join([label, *map(str, request.years)])[-_NAME_CHARACTERS:]
    batch: dict[str, object] = {"name": name, "metadata": {"client": _CLIENT, "run_id": run_id}}
    if request.model is not None:
        batch["model"] = request.model
    if request.webhook_url is not None:
        batch["webhook_url"] = request.webhook_url
    # Each body needs room for the secret.
    room = len(with_secret(b"}", request.webhook_secret)) - 1
    limits = replace(limits, body_bytes=limits.body_bytes - room)
    geometries = request.fields.in_wgs84()
    hectares = charged_hectares(geometries, limits)
    return chunks_of(request.jobs(), geometries, limits, batch, run_id, hectares, usage)


def start_run(transport: Transport, folder: Folder, request: RunRequest) -> None:
    """Plans the run, unless the folder holds it already. Sends no request that creates a batch."""
    # Before the lock, which would leave its file in a folder that is not the run's.
    folder.read_run()
    with folder.lock():
        state = folder.read_run()
        if state is not None:
            _require_same(state, request, transport.base_url, folder)
            return
        run_id = str(uuid.uuid4())
        chunks = plan(transport, request, folder.path.name, run_id)
        folder.write("fields.json", request.fields.json.encode())
        for at, chunk in enumerate(chunks):
            folder.write(_body_file(at), chunk.body)
        # Last: a folder without it holds no run.
        folder.write_run(_state_of(request, run_id, transport.base_url, chunks))


def _state_of(request: RunRequest, run_id: str, base_url: str, chunks: Sequence[Chunk]) -> RunState:
    return RunState(
        format=1,
        run_id=run_id,
        created_at=datetime.now(timezone.utc).isoformat(),
        base_url=base_url,
        digest=request.fields.digest,
        years=request.years,
        name=request.name,
        model=request.model,
        webhook_url=request.webhook_url,
        chunks=tuple(
            ChunkState(chunk.first_job, chunk.jobs, chunk.idempotency_key) for chunk in chunks
        ),
        has_webhook_secret=request.webhook_secret is not None,
    )


def _require_same(state: RunState, request: RunRequest, base_url: str, folder: Folder) -> None:
    webhook = (state.webhook_url, state.has_webhook_secret)
    differences = {
        "fields": state.digest != request.fields.digest,
        "years": state.years != request.years,
        "name": state.name != request.name,
        "model": state.model != request.model,
        "webhook": webhook != (request.webhook_url, request.webhook_secret is not None),
        "service": state.base_url != base_url,
    }
    differing = [what for what, differs in differences.items() if differs]
    if differing:
        raise folder_error(
            f"{folder.path} holds a run with other {', '.join(differing)}: choose another folder,"
            " or open it with client.open"
        )


def create_batches(transport: Transport, folder: Folder, secret: str | None) -> None:
    """
    :param secret: of the webhook, which the folder does not keep
    :raises QuotaExceeded: before all are created; called again on the next day, it continues
    """
    with folder.lock():
        state = folder.read_run()
        if state is None:
            raise folder_error(f"{folder.path} holds no run")
        for at, chunk in enumerate(state.chunks):
            if chunk.batch_id is not None:
                folder.remove(_body_file(at))
                continue
            for changed in _created(transport, folder, state, at, secret):
                state = changed
                folder.write_run(state)
            folder.remove(_body_file(at))


def _created(
    transport: Transport, folder: Folder, state: RunState, at: int, secret: str | None
) -> Iterator[RunState]:
    """The states of the run, each to be on disk before the next step."""
    body = folder.read(_body_file(at))
    if body is None:
        raise folder_error(f"{folder.path} has lost a request: choose another folder")
    if state.has_webhook_secret and secret is None:
        raise folder_error(
            f"{folder.path} does not keep the secret of its webhook, with which its batches are still"
            f" to be created: client.open({str(folder.path)!r}, webhook_secret=…)"
        )
    chunk, now = state.chunks[at], transport.now()
    sent = replace(chunk, sent_at=now)
    batch_id = None
    if chunk.sent_at is None:
        yield state.with_chunk(at, sent)
    elif abs(now - chunk.sent_at) > _KEY_SECONDS:
        # The key no longer tells whether the request arrived; the list of batches does.
        batch_id = _find_created(transport, state, min(chunk.sent_at, now))
        yield state.with_chunk(at, sent)
    if batch_id is None:
        key = {"Idempotency-Key": chunk.idempotency_key}
        sent_body = with_secret(body.encode(), secret)
        try:
            batch_id = transport.post(BatchCreated, "/v1/batch", sent_body, key).batch_id
        except InvalidRequest as error:
            if error.type == "idempotency-key-reused" and secret is not None:
                raise folder_error(
                    "the request was sent before with another webhook secret: pass that one"
                ) from error
            raise
    yield state.with_chunk(at, replace(sent, batch_id=batch_id))


def _find_created(transport: Transport, state: RunState, sent_at: float) -> str | None:
    """The batch that a request created whose response was lost; at most one is not in the run."""
    after = datetime.fromtimestamp(sent_at - _MARGIN_SECONDS, timezone.utc)
    known = set(state.batches)
    for batch in list_batches(transport, after.strftime("%Y-%m-%dT%H:%M:%S.000Z")):
        of_run = (batch.metadata or {}).get("run_id") == state.run_id and batch.retry_of is None
        if of_run and batch.batch_id not in known:
            return batch.batch_id
    return None


def _body_file(at: int) -> str:
    return f"request-{at + 1}.json"
