"""Reads the service's lists page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from .errors import not_the_service
from .schemas.batches import BatchList, BatchStatus
from .transport import Transport, batch_path

# A million items at 100 per page, the largest page size of the service (`GET /v1/limits`).
_MOST_PAGES = 10_000
_PAGE_SIZE = 100

Page = TypeVar("Page")


def iterate_pages(read: Callable[[str | None], tuple[Page, str | None]]) -> Iterator[Page]:
    seen: set[str] = set()
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page, cursor = read(cursor)
        yield page
        if cursor is None:
            return
        if cursor in seen:
            raise not_the_service("The list does not end: a page repeats an earlier cursor.")
        seen.add(cursor)
    raise not_the_service(f"The list does not end: it has more than {_MOST_PAGES} pages.")


def list_batches(
    transport: Transport, created_after: str | None = None, status: str | None = None
) -> Iterator[BatchStatus]:
    """Yields the tenant's batches, newest first, without jobs."""

    def read_page(cursor: str | None) -> tuple[BatchList, str | None]:
        found = transport.get(
            BatchList,
            "/v1/batch",
            limit=_PAGE_SIZE,
            cursor=cursor,
            created_after=created_after,
            status=status,
        )
        return found, found.next_cursor

    for page in iterate_pages(read_page):
        yield from page.batches


def read_status(
    transport: Transport, batch_id: str, jobs: str, most_jobs: int
) -> Iterator[BatchStatus]:
    """Yields the pages of a batch's status. Raises an error if they list more than `most_jobs` jobs."""
    path = batch_path(batch_id, "status")

    def read_page(cursor: str | None) -> tuple[BatchStatus, str | None]:
        page = transport.get(BatchStatus, path, jobs=jobs, limit=_PAGE_SIZE, cursor=cursor)
        return page, page.next_cursor if page.has_more else None

    listed = 0
    for page in iterate_pages(read_page):
        listed += len(page.jobs)
        if listed > most_jobs:
            raise not_the_service(
                f"Batch {batch_id} has {most_jobs} jobs, but its status lists more."
            )
        yield page
