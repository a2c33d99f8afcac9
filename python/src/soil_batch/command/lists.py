"""The commands that show or cancel batches, and list models."""

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
    for batch_id in _find_batch_ids(which):
        _report_batch(session, _read_batch(transport, batch_id))
    return Exit.COMPLETE


def cancel(session: Session, which: str) -> int:
    transport = session.connect()
    for batch_id in _find_batch_ids(which):
        try:
            found = transport.post(BatchStatus, batch_path(batch_id, "cancel"), None)
        except SoilError as error:
            if error.type != "batch-finished":
                raise
            found = _read_batch(transport, batch_id)
        _report_batch(session, found)
    return Exit.COMPLETE


def show_batches(session: Session, wanted: str | None, limit: int) -> int:
    found = islice(list_batches(session.connect(), status=wanted), limit)
    empty = True
    for batch in found:
        empty = False
        _report_batch(session, batch)
    if empty:
        session.terminal.note("No batches.")
    return Exit.COMPLETE


def models(session: Session, coverage: bool) -> int:
    listed = session.connect().get(ModelList, "/v1/models").models
    found = [one for one in listed if not one.for_checks]
    if coverage:
        collection = {
            "type": "FeatureCollection",
            "features": [_coverage_feature(one) for one in found],
        }
        text = json.dumps(collection, ensure_ascii=False)
        session.terminal.report("coverage", collection, [text])
        return Exit.COMPLETE
    if len(found) > 1:
        session.terminal.note(
            "Each field is predicted by the first of these models that covers it, unless --model names another."
        )
    for model in found:
        session.terminal.report("model", asdict(model), _model_lines(model))
    return Exit.COMPLETE


def _read_batch(transport: Transport, batch_id: str) -> BatchStatus:
    return transport.get(BatchStatus, batch_path(batch_id, "status"), jobs="none")


def _find_batch_ids(which: str) -> list[str]:
    if UUID.fullmatch(which):
        return [which.lower()]
    try:
        state = Folder(which).read_run()
    except SoilError as error:
        raise CommandError(str(error)) from None
    if state is None:
        raise CommandError(f"{which} is neither the folder of a run nor a batch ID", Exit.USAGE)
    return state.latest


def _report_batch(session: Session, batch: BatchStatus) -> None:
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
    """Describes a model; the last line has the value for `--model`."""
    places = list(_iterate_positions(model.coverage.get("coordinates")))
    longitudes, latitudes = [place[0] for place in places], [place[1] for place in places]
    unit = "" if model.property.unit == "1" else f" in {unit_text(model.property.unit)}"
    depth = "–".join(f"{one:g}" for one in model.property.depth_cm)
    # Two metrics are enough for a list; the API returns all.
    accuracy = ", ".join(f"{unit_text(one.metric)} {one.value:g}" for one in model.accuracy[:2])
    coverage = ""
    if places:
        coverage = (
            f"Longitude {min(longitudes):.3f} to {max(longitudes):.3f},"
            f" latitude {min(latitudes):.3f} to {max(latitudes):.3f}"
        )
    facts = [
        ("Predicts", f"{_capitalise(model.property.name)}{unit}, {depth} cm"),
        ("Cells", f"{cell_size_text(model)} ({model.grid.crs_name})"),
        *_label_first("Years", [_capitalise(_period_text(one)) for one in model.periods]),
        ("Coverage", coverage),
        ("Accuracy", accuracy),
        *_label_first("Not for", model.not_for),
        *_label_first("License", [one.license for one in model.licenses]),
        *_label_first("Cite", [one.citation for one in model.licenses]),
        ("--model", model.model),
    ]
    return [model.title, *(f"  {name:8}  {text}" for name, text in facts if text)]


def _coverage_feature(model: Model) -> dict[str, Any]:
    """Formats the coverage as a GeoJSON feature, with text and numbers as properties: few programs show other types."""
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
            # None for a static model, whose map is the same in any year.
            "years": ", ".join(map(_range_text, years)) or None,
            "data_period": _range_text(model.data_period),
            "crs": model.grid.crs,
            "cell_size": model.grid.cell_size,
        },
        "geometry": _wind_geometry(model.coverage),
    }


def _wind_geometry(geometry: dict[str, Any]) -> dict[str, Any]:
    """Winds outer rings counterclockwise and holes clockwise (RFC 7946, 3.1.6): packs may wind them otherwise."""
    parts = geometry["coordinates"]
    if geometry["type"] == "Polygon":
        return {**geometry, "coordinates": _wind_rings(parts)}
    return {**geometry, "coordinates": [_wind_rings(rings) for rings in parts]}


def _wind_rings(rings: list[Any]) -> list[Any]:
    return [
        ring if (_doubled_area(ring) > 0) == (at == 0) else ring[::-1]
        for at, ring in enumerate(rings)
    ]


def _doubled_area(ring: list[Any]) -> float:
    """Computes twice the signed area: positive if the ring runs counterclockwise."""
    return math.fsum((x0 - x1) * (y0 + y1) for (x0, y0), (x1, y1) in pairwise(ring))


def _label_first(name: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    return [("" if at else name, text) for at, text in enumerate(dict.fromkeys(texts))]


def _iterate_positions(coordinates: Any) -> Iterator[Any]:
    if not isinstance(coordinates, list):
        return
    if len(coordinates) > 1 and all(isinstance(one, (int, float)) for one in coordinates[:2]):
        yield coordinates
    else:
        yield from chain.from_iterable(map(_iterate_positions, coordinates))


def cell_size_text(model: Model) -> str:
    """Formats the edge length of a cell: `10 m`, `0.00208333°`."""
    definition = model.grid.crs_proj4
    unit = re.search(r"\+units=(\S+)", definition)
    # A definition without a unit is in metres, or in the multiple of them that `to_meter` states.
    multiple = None if unit else re.search(r"\+to_meter=(\S+)", definition)
    size = f"{model.grid.cell_size * (float(multiple[1]) if multiple else 1):.6g}"
    if re.search(r"\+proj=longlat\b", definition):
        return f"{size}°"
    return f"{size} {unit[1] if unit else 'm'}"


def _period_text(period: Period) -> str:
    data = f"data of {_range_text(period.data_period)}"
    if period.years is None:
        return f"any year: the same map, {data}"
    return f"{_range_text(period.years)}: {data}"


def _range_text(years: tuple[int, ...]) -> str:
    return "–".join(map(str, dict.fromkeys(years)))


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
