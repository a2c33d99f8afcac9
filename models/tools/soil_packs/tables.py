"""Checks training tables, which have a column for each covariate in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .commands import PackError


def require_order(trained: Sequence[str], names: Sequence[str]) -> None:
    """:raises PackError: if a model was trained on another number of covariates, or on these in another order"""
    if trained and len(trained) != len(names):
        raise PackError(
            f"the model was trained on {len(trained)} covariates ({', '.join(trained)}), but {len(names)}"
            f" are given here ({', '.join(names)})"
        )
    places = {name: at for at, name in enumerate(trained)}
    if any(places.get(name, at) != at for at, name in enumerate(names)):
        raise PackError(
            f"the model was trained on {', '.join(trained)}, but the columns here are"
            f" {', '.join(names)}: use the same order"
        )


def require_training(names: Sequence[str], x: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    if x is None or y is None:
        raise PackError("pass x and y, the training data of the model")
    columns = [str(name) for name in getattr(x, "columns", [])]
    if columns and columns != list(names):
        raise PackError(
            f"x has the columns {', '.join(columns)}; expected the covariates in the pack's order:"
            f" {', '.join(names)}"
        )
    features = np.asarray(x, np.float32)
    target = np.asarray(y, np.float64)
    if features.ndim != 2 or features.shape[1] != len(names):
        raise PackError(f"x must have a column for each of the {len(names)} covariates")
    if target.shape != (len(features),):
        raise PackError(f"y must have one value for each of the {len(features)} samples")
    if not (np.isfinite(features).all() and np.isfinite(target).all()):
        raise PackError(
            "x or y has missing or infinite values: leave out these samples (dropna() does not remove infinite values)"
        )
    return features, target
