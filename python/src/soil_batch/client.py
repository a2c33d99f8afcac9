"""The client of a deployment."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING
from uuid import uuid4

from .batches import list_batches
from .config import find_connection
from .errors import QuotaExceeded
from .estimate import Estimate, estimate_run
from .fields import Fields, FieldsLike
from .folder import Folder, folder_error
from .progress import Progress
from .retries import RetryPolicy
from .run import Run
from .schemas.batches import BatchStatus
from .schemas.limits import Limits, Usage
from .schemas.models import Model, ModelList
from .submit import RunRequest, Webhook, plan, start_run, years_of
from .transport import Transport

if TYPE_CHECKING:
    from geopandas import GeoDataFrame


class Client:
    """Soil maps of fields. `throttled` requests wait; lost responses are requested again.

    :param base_url: of V1 or V2; by default `SOIL_BASE_URL`, `V2_URL`, or the config file of the CLI
    :param api_key: by default `SOIL_API_KEY`, `API_KEY`, or that file; sent to the base URL alone
    :param timeout: seconds for one request and its response
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 60.0,
        retries: RetryPolicy | None = None,
    ) -> None:
        connection = find_connection(base_url, api_key)
        self._transport = Transport(connection, retries or RetryPolicy(), timeout)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self._transport.base_url!r})"

    def close(self) -> None:
        self._transport.close()

    def models(self) -> tuple[Model, ...]:
        """In the order in which they are tried for a field without a model."""
        return self._transport.get(ModelList, "/v1/models").models

    def limits(self) -> Limits:
        return self._transport.get(Limits, "/v1/limits")

    def usage(self) -> Usage:
        """Today's quota: used and left."""
        return self._transport.get(Usage, "/v1/usage")

    def batches(self) -> Iterator[BatchStatus]:
        """All batches of the tenant, newest first, without their jobs."""
        return list_batches(self._transport)

    def estimate(
        self,
        fields: FieldsLike,
        year: int | Sequence[int],
        name: str | None = None,
        model: str | None = None,
    ) -> Estimate:
        """Area, time, cost, failures and warnings of a run. Nothing is started or charged."""
        request = RunRequest(Fields.of(fields), years_of(year), name, model, None)
        chunks = plan(self._transport, request, "estimate", str(uuid4()))
        return estimate_run(self._transport, request.jobs(), chunks)

    def submit(
        self,
        fields: FieldsLike,
        year: int | Sequence[int],
        name: str | None = None,
        dir: str | os.PathLike[str] = "maps",
        model: str | None = None,
        webhook: str | Webhook | None = None,
    ) -> Run:
        """Starts a run in a folder, or continues the same run there. Returns at once.

        :param fields: a GeoDataFrame in any CRS, the path of a file, or a GeoJSON FeatureCollection
        :param name: the column with the names of the fields
        :param dir: an empty folder, or one that does not exist
        :raises QuotaExceeded: if today's quota leaves batches out; the same call continues tomorrow
        """
        run = self._started(fields, year, name, dir, model, webhook)
        run._create_batches()
        return run

    def open(self, dir: str | os.PathLike[str], *, webhook_secret: str | None = None) -> Run:
        """The run of a folder, after a crash or in another process. Makes no request.

        :param webhook_secret: needed if batches with one are still to be created: no folder keeps it
        """
        folder = Folder(dir)
        if folder.read_run() is None:
            raise folder_error(f"{folder.path} holds no run")
        return Run(self._transport, folder, webhook_secret)

    def predict(
        self,
        fields: FieldsLike,
        year: int | Sequence[int],
        name: str | None = None,
        dir: str | os.PathLike[str] = "maps",
        model: str | None = None,
        webhook: str | Webhook | None = None,
        *,
        progress: bool = True,
        timeout: float | None = None,
        callback: Callable[[Progress], None] | None = None,
        workers: int = 4,
    ) -> GeoDataFrame:
        """Submits, waits, downloads and returns the table. The same call again continues.

        :raises QuotaExceeded: with the other maps downloaded, if today's quota leaves batches out
        """
        run = self._started(fields, year, name, dir, model, webhook)
        refused: QuotaExceeded | None = None
        try:
            run.wait(progress, timeout, callback)
        except QuotaExceeded as error:
            refused = error
        run.download(workers, progress)
        if refused is not None:
            raise refused
        return run.to_geodataframe()

    def _started(
        self,
        fields: FieldsLike,
        year: int | Sequence[int],
        name: str | None,
        dir: str | os.PathLike[str],
        model: str | None,
        webhook: str | Webhook | None,
    ) -> Run:
        to = Webhook(webhook) if isinstance(webhook, str) else webhook
        request = RunRequest(Fields.of(fields), years_of(year), name, model, to)
        folder = Folder(dir)
        start_run(self._transport, folder, request)
        return Run(self._transport, folder, request.webhook_secret)
