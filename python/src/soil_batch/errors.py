from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Violation:
    """One fault of a request: its JSON pointer (RFC 6901) and a message."""

    pointer: str
    message: str


class SoilError(Exception):
    """The base class of errors of the service and of this package.

    `type` is the last part of the problem's URL, such as `batch-not-found`, or one of the package's own types:
    `network` (no response), `not-the-service` (the response is not from a Soil Batch service), `timeout`,
    `invalid-input` (the package rejects an argument or a file), `folder`, `download`, `signature` and `timestamp` (of a
    webhook).
    """

    def __init__(
        self,
        message: str,
        *,
        type: str,
        status: int | None = None,
        errors: tuple[Violation, ...] = (),
        request_id: str | None = None,
        retry_after: float | None = None,
        page: str | None = None,
    ) -> None:
        super().__init__(message)
        self.type = type
        #: The HTTP status; None if there was no response.
        self.status = status
        #: The faults of an invalid request, if they are known one by one.
        self.errors = errors
        #: The ID of the request in the service's logs.
        self.request_id = request_id
        #: Seconds after which the same request may succeed; None if unknown.
        self.retry_after = retry_after
        #: The URL of the page that documents the problem.
        self.page = page

    def __str__(self) -> str:
        message = super().__str__()
        return message if self.request_id is None else f"{message} (request {self.request_id})"


class InvalidRequest(SoilError, ValueError):
    """An argument or a request is invalid. Repeating it unchanged fails again."""


class QuotaExceeded(SoilError):
    """The batch exceeds today's remaining quota, which resets after `retry_after` seconds.

    `retry_after` is None if the batch exceeds a whole day's quota.
    """


class Throttled(SoilError):
    """The service throttles requests for longer than the client may wait."""


class Expired(SoilError):
    """The service has deleted the batch's results."""


_CLASSES: dict[str, type[SoilError]] = {
    "quota-exceeded": QuotaExceeded,
    "throttled": Throttled,
    "results-expired": Expired,
    **dict.fromkeys(
        (
            "body-too-large",
            "cursor-invalid",
            "idempotency-key-invalid",
            "idempotency-key-reused",
            "media-type",
            "not-json",
            "not-utf-8",
            "parameter-invalid",
            "validation",
        ),
        InvalidRequest,
    ),
}


def problem_error(
    slug: str,
    message: str,
    *,
    status: int | None,
    errors: tuple[Violation, ...] = (),
    request_id: str | None = None,
    retry_after: float | None = None,
    page: str | None = None,
) -> SoilError:
    return _CLASSES.get(slug, SoilError)(
        message,
        type=slug,
        status=status,
        errors=errors,
        request_id=request_id,
        retry_after=retry_after,
        page=page,
    )


def invalid_input(message: str, *errors: Violation) -> InvalidRequest:
    return InvalidRequest(message, type="invalid-input", errors=errors)


def not_the_service(
    message: str,
    *,
    status: int | None = None,
    request_id: str | None = None,
    retry_after: float | None = None,
) -> SoilError:
    return SoilError(
        message,
        type="not-the-service",
        status=status,
        request_id=request_id,
        retry_after=retry_after,
    )
