"""The commands that show or cancel what the service has."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import chain, islice, pairwise
from typing import Any

from ..batches import list_batches
from ..errors import SoilError
from ..folder import Folder
from ..schemas.batches import UUID, BatchStatus
from ..schemas.models import Model, ModelList, Period
from ..transport import Transport, batch_path
from .session import Session
from .terminal import CommandError, Exit
from .texts import unit_text


def status(session: Session, which: str) -> int:
    transport = session.connect()
    for batch_id in _batch_ids(which):
        _report(session, _status(transport, batch_id))
    return Exit.COMPLETE


def cancel(session: Session, which: str) -> int:
    transport = session.connect()
    for batch_id in _batch_ids(which):
        try:
            found = transport.post(BatchStatus, batch_path(batch_id, "cancel"), None)
        except SoilError as error:
            if error.type != "batch-finished":
                raise
            found = _status(transport, batch_id)
        _report(session, found)
    return Exit.COMPLETE


def listed(session: Session, wanted: str | None, limit: int) -> int:
    found = islice(list_batches(session.connect(), status=wanted), limit)
    empty = True
    for batch in found:
        empty = False
        _report(session, batch)
    if empty:
        session.terminal.note("No batches.")
    return Exit.COMPLETE


def models(session: Session, coverage: bool) -> int:
    listed = session.connect().get(ModelList, "/v1/models").models
    found = [one for one in listed if not one.for_checks]
    if coverage:
        collection = {"type": "FeatureCollection", "features": [_coverage(one) for one in found]}
        text = json.dumps(collection, ensure_ascii=False)
        session.terminal.report("coverage", collection, [text])
        return Exit.COMPLETE
    if len(found) > 1:
        session.terminal.note(
            "A field is predicted by the first of these that covers it, unless --model names one."
        )
    for model in found:
        session.terminal.report("model", asdict(model), _model_lines(model))
    return Exit.COMPLETE


def _status(transport: Transport, batch_id: str) -> BatchStatus:
    return transport.get(BatchStatus, batch_path(batch_id, "status"), jobs="none")


def _batch_ids(which: str) -> list[str]:
    """The newest batches of a run's folder, or the batch itself."""
    if UUID.fullmatch(which):
        return [which.lower()]
    try:
        state = Folder(which).read_run()
    except SoilError as error:
        raise CommandError(str(error)) from None
    if state is None:
        raise CommandError(
            f"{which} is neither the folder of a run nor the id of a batch", Exit.USAGE
        )
    return state.latest


def _report(session: Session, batch: BatchStatus) -> None:
    values = asdict(batch)
    cancelling = batch.cancel_requested_at is not None and not batch.is_final
    state = "cancelling" if cancelling else batch.status
    session.terminal.report(
        "batch",
        values,
        [
            f"{batch.batch_id}  {batch.created_at[:16].replace('T', ' ')}  {state:10}"
            f"  {int(100 * batch.progress):3} %  {batch.completed_jobs} of {batch.total_jobs} completed,"
            f" {batch.failed_jobs} failed  {batch.name or ''}".rstrip()
        ],
    )


def _model_lines(model: Model) -> list[str]:
    """What it predicts first; the id is for `--model`."""
    places = list(_places(model.coverage.get("coordinates")))
    longitudes, latitudes = [place[0] for place in places], [place[1] for place in places]
    unit = "" if model.property.unit == "1" else f" in {unit_text(model.property.unit)}"
    depth = "–".join(f"{one:g}" for one in model.property.depth_cm)
    # A pack names the most important first; the API has all.
    accuracy = ", ".join(f"{unit_text(one.metric)} {one.value:g}" for one in model.accuracy[:2])
    coverage = ""
    if places:
        coverage = (
            f"Longitude {min(longitudes):.3f} to {max(longitudes):.3f},"
            f" latitude {min(latitudes):.3f} to {max(latitudes):.3f}"
        )
    facts = [
        ("Predicts", f"{_capitalized(model.property.name)}{unit}, {depth} cm"),
        ("Cells", f"{cell_size_text(model)} ({model.grid.crs_name})"),
        *_with_name_once("Years", [_capitalized(_period_text(one)) for one in model.periods]),
        ("Coverage", coverage),
        ("Accuracy", accuracy),
        *_with_name_once("Not for", model.not_for),
        *_with_name_once("License", [one.license for one in model.licenses]),
        *_with_name_once("Cite", [one.citation for one in model.licenses]),
        ("--model", model.model),
    ]
    return [model.title, *(f"  {name:8}  {text}" for name, text in facts if text)]


def _coverage(model: Model) -> dict[str, Any]:
    """A feature of GeoJSON; its properties are texts and numbers, because few programs show others."""
    upper, lower = model.property.depth_cm
    years = [one.years for one in model.periods if one.years is not None]
    return {
        "type": "Feature",
        "properties": {
            "model": model.model,
            "id": model.id,
            "version": model.version,
            "title": model.title,
            "property": model.property.name,
            "unit": model.property.unit,
            "upper_cm": upper,
            "lower_cm": lower,
            # A static map is the same in any year.
            "years": ", ".join(map(_range_text, years)) or None,
            "data_period": _range_text(model.data_period),
            "crs": model.grid.crs,
            "cell_size": model.grid.cell_size,
        },
        "geometry": _right_handed(model.coverage),
    }


def _right_handed(geometry: dict[str, Any]) -> dict[str, Any]:
    """Outer rings run counterclockwise and holes clockwise (RFC 7946, 3.1.6); packs need not."""
    parts = geometry["coordinates"]
    if geometry["type"] == "Polygon":
        return {**geometry, "coordinates": _wound(parts)}
    return {**geometry, "coordinates": [_wound(rings) for rings in parts]}


def _wound(rings: list[Any]) -> list[Any]:
    return [
        ring if (_doubled_area(ring) > 0) == (at == 0) else ring[::-1]
        for at, ring in enumerate(rings)
    ]


def _doubled_area(ring: list[Any]) -> float:
    """Positive if the ring runs counterclockwise."""
    return math.fsum((x0 - x1) * (y0 + y1) for (x0, y0), (x1, y1) in pairwise(ring))


def _with_name_once(name: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    """A line for each, the first with the name."""
    return [("" if at else name, text) for at, text in enumerate(dict.fromkeys(texts))]


def _places(coordinates: Any) -> Iterator[Any]:
    if not isinstance(coordinates, list):
        return
    if len(coordinates) > 1 and all(isinstance(one, (int, float)) for one in coordinates[:2]):
        yield coordinates
    else:
        yield from chain.from_iterable(map(_places, coordinates))


def cell_size_text(model: Model) -> str:
    """The edge of a cell in the unit of its CRS: `10 m`, `0.00208333°`."""
    size = f"{model.grid.cell_size:.6g}"
    if re.search(r"\+proj=longlat\b", model.grid.crs_proj4):
        return f"{size}°"
    return f"{size} m" if re.search(r"\+units=m\b", model.grid.crs_proj4) else size


def _period_text(period: Period) -> str:
    data = f"data of {_range_text(period.data_period)}"
    if period.years is None:
        return f"any year: the same map, {data}"
    return f"{_range_text(period.years)}: {data}"


def _range_text(years: tuple[int, ...]) -> str:
    return "–".join(map(str, dict.fromkeys(years)))


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]
