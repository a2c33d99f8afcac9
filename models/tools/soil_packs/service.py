"""Reads covariates and predicts as the service does, with the clone's own commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas

from . import commands


@dataclass(frozen=True)
class Prediction:
    """Predictions at places. A cell has values only if it has all covariates."""

    #: The manifest as the service reads it, with derived values: see `bin/packs/described-pack.ts`.
    pack: Mapping[str, Any]
    on_grid: np.ndarray
    has_value: np.ndarray
    #: The cells with values: see `DescribedCell` in `bin/packs/predicted-cell.ts`.
    cells: Sequence[Mapping[str, Any]]
    #: The covariates, with a row for each of `cells`.
    covariates: np.ndarray
    #: Whether each covariate lies outside the training values, as jobs count it.
    outside: np.ndarray
    #: Predictions in the property's unit, with a row for each of `cells`.
    bands: np.ndarray
    #: lon and lat of the cells' centres.
    lon_lat: np.ndarray
    answer: Mapping[str, Any]


def predict(folder: str | PathLike[str], **request: Any) -> Prediction:
    """Predicts at `positions` (lon and lat), or in cells that are spread over the grid.

    :param request: the members of `predictRequest` in `bin/packs/request.ts`
    """
    answer = _run("pack-predict", folder, request)
    pack, places = answer["pack"], answer["places"]
    has_value = np.array([place is not None and "bands" in place for place in places], bool)
    cells = [place for place, has in zip(places, has_value) if has]
    column = lambda name, width: np.array([one[name] for one in cells], float).reshape(-1, width)
    return Prediction(
        pack=pack,
        on_grid=np.array([place is not None for place in places], bool),
        has_value=has_value,
        cells=cells,
        covariates=column("covariates", len(pack["covariates"])),
        outside=column("outside", len(pack["covariates"])).astype(bool),
        bands=column("bands", len(pack["bands"])),
        lon_lat=column("lon_lat", 2),
        answer=answer,
    )


def read_covariates(folder: str | PathLike[str], **request: Any) -> pandas.DataFrame:
    """Reads the covariates at `positions` (lon and lat) as a prediction does: float32, NaN where missing.

    :param request: the members of `sampleRequest` in `bin/packs/request.ts`
    :raises PackError: if no position has all covariates
    """
    answer = _run("pack-sample", folder, request)
    found = pandas.DataFrame(answer["samples"], columns=answer["names"], dtype=np.float32)
    found.attrs["swapped"] = answer["swapped"]
    return found


@dataclass(frozen=True)
class CellsAround:
    """The covariates of the cells in which a rounded position may lie, and of their neighbours."""

    #: Covariates × rows × columns, including a margin of one cell; NaN where missing.
    values: np.ndarray

    def possible_values(self, index: int, shift: tuple[int, int] = (0, 0)) -> np.ndarray:
        """Returns a covariate in the cells in which the position may lie, or in these cells shifted by rows and columns."""
        _, rows, columns = self.values.shape
        down, right = shift
        return self.values[
            index, 1 + down : rows - 1 + down, 1 + right : columns - 1 + right
        ].ravel()


def read_cells_around(
    folder: str | PathLike[str], **request: Any
) -> tuple[list[CellsAround | None], list[float]]:
    """Reads the cells around each position, and each covariate's least difference between values. The cells are None
    for a position outside the grid, or with too few decimals.

    :param request: the members of `sampleRequest` in `bin/packs/request.ts`, with `rounding`
    """
    answer = _run("pack-sample", folder, request)
    return [None if one is None else _parse_cells_around(one) for one in answer["around"]], answer[
        "steps"
    ]


def _parse_cells_around(response: Mapping[str, Any]) -> CellsAround:
    columns, rows = response["inner"]
    window = response["window"]
    values = np.array(response["values"], np.float64).reshape(-1, window["height"], window["width"])
    left, top = window["col"], window["row"]
    ends = (
        (0, 0),
        (top, rows + 2 - top - window["height"]),
        (left, columns + 2 - left - window["width"]),
    )
    return CellsAround(np.pad(values, ends, constant_values=np.nan))


def _run(command: str, folder: str | PathLike[str], request: Mapping[str, Any]) -> Any:
    values = {
        name: value.tolist() if isinstance(value, np.ndarray | np.generic) else value
        for name, value in request.items()
    }
    return commands.run_command(command, {"folder": str(Path(folder).resolve()), **values})
