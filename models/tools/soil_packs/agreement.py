"""Compares the predictions of a graph with those of its model on training rows.

A converter may drop a link function, early stopping or the treatment of missing values, and the graph's predictions
may still look plausible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .commands import PackError
from .graphs import create_evaluator, first_line

MOST_ROWS = 10_000
SEED = 1
#: Tolerated difference in a row, as a fraction of the targets' standard deviation plus a fraction of the value.
OF_SD, OF_VALUE = 1e-3, 1e-6
#: Share of the rows that may differ by more than the tolerance: a float32 scaler in ONNX Runtime moves a few rows across a threshold of
#: the trees.
MOST_APART = 0.05

OF_MODEL = (
    "Train another kind of model, or convert the model yourself and pass onnx= with predicted="
)
OF_GIVEN = (
    "Check that the predictions are from this model, for these rows in this order, with covariates as"
    " float32; if so, the graph is wrong"
)


def choose_rows(count: int) -> np.ndarray:
    if count <= MOST_ROWS:
        return np.arange(count)
    return np.sort(np.random.default_rng(SEED).choice(count, MOST_ROWS, replace=False))


def as_columns(predicted: Any, count: int) -> np.ndarray:
    try:
        values = np.asarray(predicted, np.float64)
    except (TypeError, ValueError) as error:
        raise PackError(f"predicted must be numbers: {error}") from None
    if values.ndim not in (1, 2) or len(values) != count:
        raise PackError(
            f"predicted must have a row for each of the {count} samples; its shape is {values.shape}"
        )
    return values.reshape(count, -1)


def find_differences(
    graph: Any,
    x: np.ndarray,
    predicted: np.ndarray,
    *,
    names: Sequence[str],
    rows: np.ndarray,
    sd: float | np.ndarray,
    given: bool = False,
) -> list[str]:
    """Compares predictions. Returns a warning if a few rows differ.

    :param predicted: the model's predictions for the rows `x`, of all targets or only the first ones
    :param rows: the number of each row in its table, for messages
    :param sd: standard deviation of the measured values, or of each target's predictions
    :param given: whether the user passed the predictions; otherwise the model computed them here
    :raises PackError: if the graph cannot be run, has too few targets, or differs from the model in more than a few rows
    """
    try:
        outputs = create_evaluator(graph)(x)
    except Exception as error:  # ONNX Runtime's errors have no common base class.
        raise PackError(f"ONNX Runtime cannot run the graph: {first_line(error)}") from error
    if predicted.shape[1] > outputs.shape[1]:
        raise PackError(
            f"the model predicts {predicted.shape[1]} values per row, but the number of targets of its graph is {outputs.shape[1]}"
        )
    excess = np.abs(outputs[:, : predicted.shape[1]] - predicted) / _tolerances(predicted, sd)
    # NaN counts as a difference.
    excess = np.where(np.isnan(excess), np.inf, excess)
    apart = int((excess > 1).any(axis=1).sum())
    if apart == 0:
        return []
    worst, target = np.unravel_index(np.argmax(excess), excess.shape)
    shown = ", ".join(f"{name} {value:g}" for name, value in zip(names, x[worst]))
    text = (
        f"the graph differs from its model in {apart} of {len(x)} training rows, and most in row"
        f" {rows[worst]} (counted from 0; {shown}): the model predicts {predicted[worst, target]:.6g},"
        f" the graph {outputs[worst, target]:.6g}, a difference of"
        f" {abs(outputs[worst, target] - predicted[worst, target]):.3g}"
        + (f" in target {target}" if predicted.shape[1] > 1 else "")
    )
    if apart > MOST_APART * len(x):
        raise PackError(f"{text}. {OF_GIVEN if given else OF_MODEL}")
    return [f"{text}. Rounding can move a few rows across a threshold of the trees"]


def _tolerances(predicted: np.ndarray, sd: float | np.ndarray) -> np.ndarray:
    # If both terms are 0, any difference counts.
    return np.maximum(OF_SD * sd + OF_VALUE * np.abs(predicted), np.finfo(np.float64).tiny)
