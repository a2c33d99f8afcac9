"""Creates each batch of a run exactly once, even after interruptions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

from .batches import list_batches
from .chunks import add_secret
from .errors import InvalidRequest
from .folder import Folder, folder_error
from .run_state import RunState
from .schemas.batches import BatchCreated
from .transport import Transport

# The service keeps idempotency keys for 24 hours; one hour is a margin for clock differences.
_KEY_SECONDS = 23 * 3600
# Before the service's first response, times come from this computer's clock, which may be a day off.
_MARGIN_SECONDS = 86_400


def create_batches(
    transport: Transport,
    folder: Folder,
    secret: str | None,
    on_created: Callable[[str, int], None] = lambda batch_id, jobs: None,
) -> None:
    """
    :param secret: the webhook's secret, which the folder does not store
    :param on_created: called with the ID and the number of jobs of each new batch
    :raises QuotaExceeded: if some batches exceed today's quota; repeat the call tomorrow
    """
    with folder.lock():
        state = folder.require_run()
        for at, chunk in enumerate(state.chunks):
            if chunk.is_missing:
                for changed in _create_batch(transport, folder, state, at, secret):
                    state = changed
                    folder.write_run(state)
                on_created(state.chunks[at].batches[0], len(chunk.live))
            folder.remove_state_file(request_file_name(at))


def _create_batch(
    transport: Transport, folder: Folder, state: RunState, index: int, secret: str | None
) -> Iterator[RunState]:
    """Creates the batch of a chunk. Yields states of the run, each of which must be on disk before the next step."""
    body = folder.read_state_file(request_file_name(index))
    if body is None:
        raise folder_error(f"a stored request is missing from {folder.path}: choose another folder")
    if state.has_webhook_secret and secret is None:
        raise folder_error(
            f"batches remain to be created with a webhook secret, which {folder.path} does not store. Pass it:"
            f" client.open({str(folder.path)!r}, webhook_secret=…)"
        )
    chunk, now = state.chunks[index], transport.now()
    sent = replace(chunk, sent_at=now)
    batch_id = None
    if chunk.sent_at is None:
        yield state.with_chunk(index, sent)
    elif abs(now - chunk.sent_at) > _KEY_SECONDS:
        # The idempotency key may have expired, so the list of batches must show whether the request arrived.
        batch_id = _find_created_batch(transport, state, min(chunk.sent_at, now))
        yield state.with_chunk(index, sent)
    if batch_id is None:
        key = {"Idempotency-Key": chunk.idempotency_key}
        sent_body = add_secret(body.encode(), secret)
        try:
            batch_id = transport.post(BatchCreated, "/v1/batch", sent_body, key).batch_id
        except InvalidRequest as error:
            if error.type == "idempotency-key-reused" and secret is not None:
                raise folder_error(
                    "the request was sent before with another webhook secret: pass the earlier secret"
                ) from error
            raise
    yield state.with_chunk(index, replace(sent, batch_id=batch_id))


def _find_created_batch(transport: Transport, state: RunState, sent_at: float) -> str | None:
    """Finds the batch created by a request whose response was lost; at most one batch is missing from the run."""
    after = datetime.fromtimestamp(sent_at - _MARGIN_SECONDS, UTC)
    known = set(state.batches)
    for batch in list_batches(transport, after.strftime("%Y-%m-%dT%H:%M:%S.000Z")):
        of_run = (batch.metadata or {}).get("run_id") == state.run_id and batch.retry_of is None
        if of_run and batch.batch_id not in known:
            return batch.batch_id
    return None


def request_file_name(index: int) -> str:
    return f"request-{index + 1}.json"
