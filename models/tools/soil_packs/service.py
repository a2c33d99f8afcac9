"""What the service reads and predicts with a pack, by the clone's own commands, which print JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas

from . import commands


@dataclass(frozen=True)
class Prediction:
    """Places with the cells in which they lie; a value of a cell is missing where a covariate is."""

    #: The manifest as the service reads it, with what it makes of it: `bin/packs/described-pack.ts`.
    pack: Mapping[str, Any]
    #: Of each place, None off the grid: `DescribedCell` in `bin/packs/predicted-cell.ts`.
    places: Sequence[Mapping[str, Any] | None]
    #: What else the command says, such as the number of tried cells.
    answer: Mapping[str, Any]

    @property
    def on_grid(self) -> np.ndarray:
        return np.array([place is not None for place in self.places], bool)

    @property
    def has_value(self) -> np.ndarray:
        return np.array([place is not None and "bands" in place for place in self.places], bool)

    def of_cells(self, name: str) -> list[Any]:
        """A member of each cell that has values."""
        return [place[name] for place in self.places if place is not None and "bands" in place]

    @cached_property
    def covariates(self) -> np.ndarray:
        """Cells with values × covariates."""
        return self._table("covariates", len(self.pack["covariates"]))

    @cached_property
    def outside(self) -> np.ndarray:
        """Whether each of the covariates lies outside the training's values, as jobs count it."""
        return self._table("outside", len(self.pack["covariates"])).astype(bool)

    @cached_property
    def bands(self) -> np.ndarray:
        """Cells with values × bands, in the property's unit."""
        return self._table("bands", len(self.pack["bands"]))

    def _table(self, name: str, columns: int) -> np.ndarray:
        return np.array(self.of_cells(name), float).reshape(-1, columns)


def predict(
    folder: str | PathLike[str],
    *,
    positions: np.ndarray | None = None,
    training: np.ndarray | None = None,
    year: int | str | None = None,
    near: str | None = None,
    cells: int | None = None,
    stage: str | None = None,
) -> Prediction:
    """Predicts at positions (lon and lat), or else in cells that are spread over the grid.

    :param training: positions whose cells are `trained_cells` of the answer
    :param near: "lon,lat", around which the cells lie
    :param stage: of which a deployment's checks are made first
    """
    given = {"year": year, "near": near, "cells": cells, "stage": stage}
    # A negative longitude would be an option of its own behind a space.
    options = [f"--{name}={value}" for name, value in given.items() if value is not None]
    places = None
    if positions is not None:
        places = {"positions": positions.tolist()}
        places |= {} if training is None else {"training": training.tolist()}
        options.append("--positions")
    answer = commands.run("pack-predict", Path(folder).resolve(), *options, stdin=places)
    return Prediction(answer["pack"], answer["places"], answer)


def read_covariates(
    folder: str | PathLike[str], positions: np.ndarray, year: int | str | None = None
) -> pandas.DataFrame:
    """The covariates at positions (lon and lat) as a prediction reads them: float32, NaN where missing.

    :raises PackError: if none of the positions has all covariates
    """
    options = [] if year is None else [f"--year={year}"]
    places = {"positions": positions.tolist()}
    answer = commands.run("pack-sample", Path(folder).resolve(), *options, stdin=places)
    return pandas.DataFrame(answer["samples"], columns=answer["names"], dtype=np.float32)
