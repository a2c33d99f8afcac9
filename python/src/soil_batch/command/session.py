"""The terminal and the service connection of one command."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ..config import find_connection
from ..errors import InvalidRequest, SoilError
from ..retries import RetryPolicy
from ..schemas.batches import Health
from ..transport import Transport
from .terminal import CommandError, Exit, Terminal

# Shorter waits are not reported.
_NOTED_SECONDS = 2.0
_TIMEOUT = 60.0


@dataclass(frozen=True)
class Session:
    terminal: Terminal
    base_url: str | None

    def connect(self) -> Transport:
        """Connects to the service, after one request has shown that its URL is right."""
        try:
            connection = find_connection(self.base_url, None)
        except InvalidRequest as error:
            raise CommandError(str(error), Exit.USAGE) from None
        policy = RetryPolicy()
        # A wrong URL must be reported soon, so the first request has only two attempts.
        first = Transport(connection, replace(policy, attempts=2), _TIMEOUT)
        try:
            first.get(Health, "/health")
        except SoilError as error:
            other = error.type in ("not-the-service", "not-found")
            problem = "is not a Soil Batch service" if other else "cannot be reached"
            raise CommandError(f"{connection.base_url} {problem}: {error}") from None
        finally:
            first.close()
        transport = Transport(connection, policy, _TIMEOUT, self._note_wait)
        transport.expect_service()
        return transport

    def _note_wait(self, seconds: float, error: SoilError) -> None:
        if seconds >= _NOTED_SECONDS:
            self.terminal.note(f"Waiting {math.ceil(seconds)} s: {error}")
