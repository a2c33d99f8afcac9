"""Compares a graph with the model that it came from, on training rows.

A converter may drop a link, an early stop or a missing value, and what the graph predicts still looks
plausible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .commands import PackError
from .graphs import evaluator_of, first_line

MOST_ROWS = 10_000
SEED = 1
#: What a row may differ by: of the targets' standard deviation, and of its value.
OF_SD, OF_VALUE = 1e-3, 1e-6
#: Share of the rows that may differ by more: a scaler in float32, as ONNX Runtime has it, moves a few
#: across a threshold of the trees.
MOST_APART = 0.05

OF_MODEL = "Train a model of another kind, or convert it yourself and pass onnx= with predicted="
OF_GIVEN = (
    "Check that the predictions are this model's, of these rows and in their order, with the covariates as"
    " float32; if they are, the graph is wrong"
)


def compared_rows(count: int) -> np.ndarray:
    """All rows of a training, or as many of them as are compared."""
    if count <= MOST_ROWS:
        return np.arange(count)
    return np.sort(np.random.default_rng(SEED).choice(count, MOST_ROWS, replace=False))


def as_columns(predicted: Any, count: int) -> np.ndarray:
    """Predictions that a user passed: rows x targets."""
    try:
        values = np.asarray(predicted, np.float64)
    except (TypeError, ValueError) as error:
        raise PackError(f"predicted must be numbers: {error}") from None
    if values.ndim not in (1, 2) or len(values) != count:
        raise PackError(
            f"predicted must have a row for each of the {count} samples; got the shape {values.shape}"
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
    """A warning if some rows differ.

    :param predicted: predictions of the model for the rows `x`: the first targets, or all
    :param names: names of the covariates
    :param rows: where each row stands in its table, for messages
    :param sd: standard deviation of the targets
    :param given: whether the predictions are a user's, not the model's own here
    :raises PackError: if the graph is not the model
    """
    try:
        outputs = evaluator_of(graph)(x)
    except Exception as error:  # ONNX Runtime's errors have no common class.
        raise PackError(f"ONNX Runtime does not run the graph: {first_line(error)}") from error
    if predicted.shape[1] > outputs.shape[1]:
        raise PackError(
            f"the model predicts {predicted.shape[1]} values for a row, its graph {outputs.shape[1]}"
        )
    excess = np.abs(outputs[:, : predicted.shape[1]] - predicted) / _limits(predicted, sd)
    # What is not a number differs.
    excess = np.where(np.isnan(excess), np.inf, excess)
    apart = int((excess > 1).any(axis=1).sum())
    if apart == 0:
        return []
    worst, target = np.unravel_index(np.argmax(excess), excess.shape)
    shown = ", ".join(f"{name} {value:g}" for name, value in zip(names, x[worst]))
    text = (
        f"the graph differs from its model in {apart} of {len(x)} training rows, most in row"
        f" {rows[worst]} (counted from 0; {shown}): the model predicts {predicted[worst, target]:.6g},"
        f" the graph {outputs[worst, target]:.6g}, which differ by"
        f" {abs(outputs[worst, target] - predicted[worst, target]):.3g}"
        + (f" as target {target}" if predicted.shape[1] > 1 else "")
    )
    if apart > MOST_APART * len(x):
        raise PackError(f"{text}. {OF_GIVEN if given else OF_MODEL}")
    return [f"{text}. Rounding may move a few rows across a threshold of the trees"]


def _limits(predicted: np.ndarray, sd: float | np.ndarray) -> np.ndarray:
    # Where both are 0, anything else differs.
    return np.maximum(OF_SD * sd + OF_VALUE * np.abs(predicted), np.finfo(np.float64).tiny)
