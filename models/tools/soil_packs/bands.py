"""The graph of a model with its bands: the mean, and the bounds of an interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from .commands import PackError
from .graphs import graph_of, is_forest, merged, targets_of

MEAN = {"name": "mean", "description": "Expected value", "from": {"kind": "target", "index": 0}}

Made = tuple[Any, list[dict[str, Any]], dict[str, Any] | None]
Samples = tuple[np.ndarray, np.ndarray]


def model_bands(
    model: Any,
    x: np.ndarray,
    y: np.ndarray,
    *,
    intervals: str | None,
    quantiles: Sequence[Any],
    onnx_path: str | PathLike[str] | None,
    coverage: float,
    thresholds: Sequence[float] | None,
    held_out: Samples | None,
    distribution: Mapping[str, Any] | None,
    probability: float | None,
) -> Made:
    """Graph, bands and distribution."""
    tail = round((1 - coverage) / 2, 6)
    if not 0 < tail < 0.5:
        raise PackError(f"coverage must be between 0 and 1, such as 0.9; got {coverage}")
    if (onnx_path is None) == (model is None):
        raise PackError("pass the model, or onnx=")
    if onnx_path is not None:
        return _of_file(onnx_path, tail, distribution, probability)
    if intervals == "distribution":
        return _of_distribution(model, x, y, tail, coverage, thresholds)
    if intervals is not None:
        raise PackError(f'intervals must be "distribution"; got {intervals!r}')
    if quantiles:
        return _of_quantiles(model, x, list(quantiles), tail, coverage, held_out)
    return graph_of(model, x), [MEAN], None


def _of_file(
    path: str | PathLike[str],
    tail: float,
    distribution: Mapping[str, Any] | None,
    probability: float | None,
) -> Made:
    import onnx

    graph = onnx.load(path)
    count = targets_of(graph)
    if distribution is not None:
        if probability is None or count != 1 + len(distribution["thresholds"]):
            raise PackError(
                f"{path} has {count} targets; a distribution has the mean, one for each threshold,"
                " and needs probability="
            )
        return graph, [MEAN, *_quantiles(tail, probability)], dict(distribution)
    if count == 1:
        return graph, [MEAN], None
    if count == 3:
        return graph, [MEAN, *_bounds(tail, 1, 2)], None
    raise PackError(
        f"{path} has {count} targets; expected the mean, or the mean and both bounds of the interval"
    )


def _of_distribution(
    model: Any,
    x: np.ndarray,
    y: np.ndarray,
    tail: float,
    coverage: float,
    thresholds: Sequence[float] | None,
) -> Made:
    from .sklearn_forest_to_onnx import calibrated_probability, model_of

    if not is_forest(model):
        raise PackError(
            f"{type(model).__name__} has no distribution in its leaves: it is for forests of"
            " scikit-learn with a bootstrap; pass quantiles= instead"
        )
    knots = [float(t) for t in thresholds] if thresholds is not None else thresholds_of(y)
    declared = {"first_target": 1, "thresholds": knots, **support_of(y)}
    graph = model_of(model, x, y, knots)
    p = round(calibrated_probability(model, x, y, declared, coverage), 6)
    return graph, [MEAN, *_quantiles(tail, p)], declared


def _quantiles(tail: float, p: float) -> list[dict[str, Any]]:
    levels = (tail, p), (round(1 - tail, 6), round(1 - p, 6))
    return [
        _bound(level, {"kind": "quantile", "level": level, "probability": one})
        for level, one in levels
    ]


def thresholds_of(y: np.ndarray) -> list[float]:
    """30 over the samples' range, dense around the bounds."""
    shares = np.concatenate(
        [np.linspace(0.005, 0.1, 10), np.linspace(0.15, 0.85, 10), np.linspace(0.9, 0.995, 10)]
    )
    values = np.unique([float(f"{value:.6g}") for value in np.quantile(y, shares)])
    return [float(value) for value in values]


def support_of(y: np.ndarray) -> dict[str, float]:
    """Beyond any sample; what is never negative stays so."""
    low, high = float(np.min(y)), float(np.max(y))
    reach = (high - low) / 2
    lower = 0.0 if low > 0 else low - reach
    return {"lower": float(f"{lower:.6g}"), "upper": float(f"{high + reach:.6g}")}


def _of_quantiles(
    model: Any,
    x: np.ndarray,
    quantiles: list[Any],
    tail: float,
    coverage: float,
    held_out: Samples | None,
) -> Made:
    from .conformal import margin

    graphs = [graph_of(one, x) for one in quantiles]
    counts = [targets_of(graph) for graph in graphs]
    if sum(counts) != 2:
        raise PackError(f"quantiles must be the lower and the upper bound; they have {sum(counts)}")
    wider = 0.0
    if held_out is not None:
        rest_x, rest_y = held_out
        predicted = [np.reshape(one.predict(rest_x), (len(rest_x), -1)) for one in quantiles]
        low, high = np.concatenate(predicted, axis=1).T
        wider = margin(rest_y, low, high, coverage)
    graph = merged([graph_of(model, x), *graphs], [0.0, -wider, wider])
    return graph, [MEAN, *_bounds(tail, 1, 2)], None


def _bounds(tail: float, lower: int, upper: int) -> list[dict[str, Any]]:
    levels = (tail, lower), (round(1 - tail, 6), upper)
    return [_bound(one, {"kind": "target", "index": at, "level": one}) for one, at in levels]


def _bound(level: float, source: dict[str, Any]) -> dict[str, Any]:
    percent = f"{100 * level:g}"
    name = "q" + (percent if "." in percent else f"{int(percent):02}").replace(".", "_")
    return {"name": name, "description": f"{percent} % quantile", "from": source}
