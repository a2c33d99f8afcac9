from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING
from uuid import uuid4

from .batches import list_batches
from .config import find_connection
from .errors import QuotaExceeded, invalid_input
from .estimate import Estimate
from .fields import FieldsLike
from .folder import Folder
from .plan import (
    RunRequest,
    Webhook,
    group_by_map,
    parse_models,
    parse_years,
    plan_jobs,
    same_maps_error,
)
from .progress import Progress
from .reading.load import load
from .retries import RetryPolicy
from .run import Run
from .run_state import Destination
from .schemas.batches import BatchStatus
from .schemas.limits import Limits, Usage
from .schemas.models import Model, ModelList
from .start import prepare_start
from .transport import Transport

if TYPE_CHECKING:
    from geopandas import GeoDataFrame


class Client:
    """Predicts soil maps of fields. Waits when requests are throttled, and retries requests whose response is lost.

    :param base_url: the URL of V1 or V2; by default `SOIL_BASE_URL`, `V2_URL`, or the command's config file
    :param api_key: by default `SOIL_API_KEY`, `API_KEY`, or the config file; it is sent to the base URL only
    :param timeout: seconds for a request and its response
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
        """Lists the models. For a job that names none, the service tries them in this order, except those with `for_checks`."""
        return self._transport.get(ModelList, "/v1/models").models

    def limits(self) -> Limits:
        return self._transport.get(Limits, "/v1/limits")

    def usage(self) -> Usage:
        """Reads how much of today's quota is used, and how much remains."""
        return self._transport.get(Usage, "/v1/usage")

    def batches(self) -> Iterator[BatchStatus]:
        """Lists all batches of the tenant, newest first, without their jobs."""
        return list_batches(self._transport)

    def estimate(
        self,
        fields: FieldsLike,
        year: int | Sequence[int],
        name: str | None = None,
        model: str | Sequence[str] | None = None,
        *,
        layer: str | None = None,
        crs: str | int | None = None,
        encoding: str | None = None,
        buffer: float | None = None,
    ) -> Estimate:
        """Estimates area, time, cost, failures and warnings of a run. Nothing is started or charged."""
        request = _read_request(
            fields,
            year,
            name=name,
            model=model,
            layer=layer,
            crs=crs,
            encoding=encoding,
            buffer=buffer,
        )
        plan = plan_jobs(self._transport, request, "estimate", str(uuid4()), request.jobs())
        return plan.estimate

    def submit(
        self,
        fields: FieldsLike,
        year: int | Sequence[int],
        name: str | None = None,
        dir: str | os.PathLike[str] | None = None,
        model: str | Sequence[str] | None = None,
        webhook: str | Webhook | None = None,
        *,
        layer: str | None = None,
        crs: str | int | None = None,
        encoding: str | None = None,
        buffer: float | None = None,
        stratum: str | None = None,
        destination: Destination | None = None,
        same_maps: bool = False,
        replace: bool = False,
    ) -> Run:
        """Starts a run in a folder, or continues the folder's run. Returns without waiting for results.

        If the fields were corrected, only the changed fields are submitted.

        :param fields: a GeoDataFrame in any CRS, the path of a file, or a GeoJSON FeatureCollection
        :param name: the column with the names of the fields
        :param dir: an empty or new folder, or the folder of the same run; by default `<file>_<years>` if `fields` is a path
        :param model: one or several models (`id` or `id@version`), which all predict every field; by default, the first model that covers a field predicts it
        :param layer: the layer to read, if the file has several
        :param crs: EPSG code of the file's CRS, if the file names none
        :param encoding: the encoding of the file's text, if the file names none or a wrong one
        :param buffer: radius in metres; each point becomes a field, a disc of this radius
        :param stratum: the column by whose values totals are split; it is sent to the service
        :param destination: your bucket, to which the service copies the results
        :param same_maps: also submit years that give the same map; each of them is charged
        :param replace: replace the folder's run even if that run has none of these fields
        :raises QuotaExceeded: if some batches exceed today's quota; repeat the call tomorrow to create them
        """
        request = _read_request(
            fields,
            year,
            name=name,
            model=model,
            webhook=webhook,
            layer=layer,
            crs=crs,
            encoding=encoding,
            buffer=buffer,
            stratum=stratum,
            destination=destination,
        )
        run = self._start(request, dir, same_maps=same_maps, may_replace=replace)
        run.create_batches()
        return run

    def open(self, dir: str | os.PathLike[str], *, webhook_secret: str | None = None) -> Run:
        """Opens a folder's run, for example after a crash or in another process. Makes no request.

        :param webhook_secret: the run's webhook secret, which folders do not store; needed if batches remain to be created
        """
        folder = Folder(dir)
        folder.require_run()
        return Run(self._transport, folder, webhook_secret)

    def predict(
        self,
        fields: FieldsLike,
        year: int | Sequence[int],
        name: str | None = None,
        dir: str | os.PathLike[str] | None = None,
        model: str | Sequence[str] | None = None,
        webhook: str | Webhook | None = None,
        *,
        layer: str | None = None,
        crs: str | int | None = None,
        encoding: str | None = None,
        buffer: float | None = None,
        stratum: str | None = None,
        destination: Destination | None = None,
        same_maps: bool = False,
        replace: bool = False,
        progress: bool = True,
        timeout: float | None = None,
        callback: Callable[[Progress], None] | None = None,
        workers: int = 4,
    ) -> GeoDataFrame:
        """Submits a run, waits for it, downloads its maps and returns its table.

        After an interruption, the same call continues the run. Warns if every job failed. See `submit`, `Run.wait` and `Run.download` for the arguments.

        :raises QuotaExceeded: after the other maps are downloaded, if some batches exceed today's quota
        """
        request = _read_request(
            fields,
            year,
            name=name,
            model=model,
            webhook=webhook,
            layer=layer,
            crs=crs,
            encoding=encoding,
            buffer=buffer,
            stratum=stratum,
            destination=destination,
        )
        run = self._start(request, dir, same_maps=same_maps, may_replace=replace)
        refused: QuotaExceeded | None = None
        try:
            run.wait(progress, timeout, callback)
        except QuotaExceeded as error:
            refused = error
        run.download(workers, progress)
        if refused is not None:
            raise refused
        table = run.to_geodataframe()
        _warn_without_maps(table)
        return table

    def _start(
        self,
        request: RunRequest,
        dir: str | os.PathLike[str] | None,
        *,
        same_maps: bool,
        may_replace: bool,
    ) -> Run:
        start = prepare_start(
            self._transport, request, dir, may_replace=may_replace, on_change=_warn
        )
        if start.estimate is not None and not same_maps:
            maps = group_by_map(start.submitted, start.estimate)
            error = same_maps_error(maps, "pass same_maps=True")
            if error is not None:
                raise invalid_input(error)
        start.commit()
        return Run(self._transport, start.folder, request.webhook_secret)


def _read_request(
    fields: FieldsLike,
    year: int | Sequence[int],
    *,
    name: str | None,
    model: str | Sequence[str] | None,
    layer: str | None,
    crs: str | int | None,
    encoding: str | None,
    buffer: float | None,
    webhook: str | Webhook | None = None,
    stratum: str | None = None,
    destination: Destination | None = None,
) -> RunRequest:
    years = parse_years(year)
    loaded = load(fields, layer, crs, encoding, buffer)
    for remark in loaded.remarks:
        _warn(remark.text)
    to = Webhook(webhook) if isinstance(webhook, str) else webhook
    name = loaded.name if name is None else name
    return RunRequest(
        fields=loaded.fields,
        source=loaded.source,
        years=years,
        name=name,
        models=parse_models(model),
        webhook=to,
        stratum=stratum,
        destination=destination,
    )


def _warn_without_maps(table: GeoDataFrame) -> None:
    if len(table) > 0 and (table["status"] == "failed").all():
        codes = Counter(table["error_code"]).most_common()
        named = ", ".join(f"{count} {code}" for code, count in codes)
        _warn(f"no field has a map: {named}")


def _warn(text: str) -> None:
    # In calls from `_read_request` and `_warn_without_maps`, the fourth frame is the user's line of code.
    warnings.warn(text, stacklevel=4)
