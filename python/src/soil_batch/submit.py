"""Creates the batches of a run, each once, however often that is interrupted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

from .batches import list_batches
from .chunks import with_secret
from .errors import InvalidRequest
from .folder import Folder, folder_error
from .run_state import RunState
from .schemas.batches import BatchCreated
from .transport import Transport

# The service keeps an idempotency key for 24 hours; the last hour is a margin for clock differences.
_KEY_SECONDS = 23 * 3600
# Before the service's first response, the time is that of this computer, which may be a day off.
_MARGIN_SECONDS = 86_400


def create_batches(
    transport: Transport,
    folder: Folder,
    secret: str | None,
    on_created: Callable[[str, int], None] = lambda batch_id, jobs: None,
) -> None:
    """
    :param secret: the secret of the webhook, which the folder does not keep
    :param on_created: called with the id and the number of jobs of each new batch
    :raises QuotaExceeded: before all are created; called again on the next day, it continues
    """
    with folder.lock():
        state = folder.require_run()
        for at, chunk in enumerate(state.chunks):
            if chunk.is_missing:
                for changed in _created(transport, folder, state, at, secret):
                    state = changed
                    folder.write_run(state)
                on_created(state.chunks[at].batches[0], len(chunk.live))
            folder.remove_state_file(body_file(at))


def _created(
    transport: Transport, folder: Folder, state: RunState, at: int, secret: str | None
) -> Iterator[RunState]:
    """The states of the run, each to be on disk before the next step."""
    body = folder.read_state_file(body_file(at))
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
    after = datetime.fromtimestamp(sent_at - _MARGIN_SECONDS, UTC)
    known = set(state.batches)
    for batch in list_batches(transport, after.strftime("%Y-%m-%dT%H:%M:%S.000Z")):
        of_run = (batch.metadata or {}).get("run_id") == state.run_id and batch.retry_of is None
        if of_run and batch.batch_id not in known:
            return batch.batch_id
    return None


def body_file(at: int) -> str:
    return f"request-{at + 1}.json"
