"""Makes the graph and the bands of a model: the mean and, if requested, the bounds of an interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from .commands import PackError
from .graphs import (
    convert_model,
    count_columns,
    count_targets,
    is_forest,
    limit_targets,
    merge_graphs,
    predict_rows,
    require_covariates,
)

MEAN = {"name": "mean", "description": "Expected value", "from": {"kind": "target", "index": 0}}

Samples = tuple[np.ndarray, np.ndarray]
#: The lowest and highest value that can be measured; None if unlimited.
Limits = tuple[float | None, float | None]


@dataclass(frozen=True)
class ModelBands:
    graph: Any
    bands: list[dict[str, Any]]
    distribution: dict[str, Any] | None = None
    #: The models of the graph's first targets; empty if the graph comes from a file.
    models: Sequence[Any] = ()
    #: The shifts that are added to the models' predictions, which are then limited to possible values.
    shift: Sequence[float] = (0.0,)
    limits: Limits = (None, None)

    def predict(self, x: np.ndarray) -> np.ndarray:
        """Predicts with the models themselves: rows x targets."""
        targets = [predict_rows(model, x) for model in self.models]
        shifted = np.concatenate(targets, axis=1) + self.shift
        return shifted if self.limits == (None, None) else np.clip(shifted, *self.limits)


def make_model_bands(
    names: Sequence[str],
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
    limits: Limits,
) -> ModelBands:
    tail = round((1 - coverage) / 2, 6)
    if not 0 < tail < 0.5:
        raise PackError(f"coverage must be between 0 and 1, such as 0.9; got {coverage}")
    if (onnx_path is None) == (model is None):
        raise PackError("pass either the model or onnx=")
    if onnx_path is not None:
        return _read_graph(
            names, onnx_path, tail=tail, distribution=distribution, probability=probability
        )
    if intervals == "distribution":
        return _convert_forest(
            *(names, model, x, y),
            **{"tail": tail, "coverage": coverage, "thresholds": thresholds, "limits": limits},
        )
    if intervals is not None:
        raise PackError(f'intervals must be "distribution"; got {intervals!r}')
    if quantiles:
        return _convert_quantile_models(
            *(names, model, x, list(quantiles)),
            **{"tail": tail, "coverage": coverage, "held_out": held_out, "limits": limits},
        )
    graph = convert_model(model, x, names)
    if count_targets(graph) != 1:
        raise PackError(
            f"the model predicts {count_targets(graph)} targets; expected only the mean"
        )
    return ModelBands(graph, [MEAN], models=[model])


def _read_graph(
    names: Sequence[str],
    path: str | PathLike[str],
    *,
    tail: float,
    distribution: Mapping[str, Any] | None,
    probability: float | None,
) -> ModelBands:
    import onnx

    graph = onnx.load(path)
    count = count_targets(graph)
    if count_columns(graph) not in (0, len(names)):
        raise PackError(
            f"the numbers of covariates differ: {count_columns(graph)} in {path}, {len(names)} in the pack ({', '.join(names)})"
        )
    if distribution is not None:
        if probability is None or count != 1 + len(distribution["thresholds"]):
            raise PackError(
                "a distribution needs probability=, and a graph whose targets are the mean and one for each threshold;"
                f" targets in {path}: {count}"
            )
        return ModelBands(graph, [MEAN, *_declare_quantiles(tail, probability)], dict(distribution))
    if count == 1:
        return ModelBands(graph, [MEAN])
    if count == 3:
        return ModelBands(graph, [MEAN, *_declare_bounds(tail)])
    raise PackError(
        f"{path} has {count} targets; expected the mean, or the mean and both bounds of the interval"
    )


def _convert_forest(
    names: Sequence[str],
    model: Any,
    x: np.ndarray,
    y: np.ndarray,
    *,
    tail: float,
    coverage: float,
    thresholds: Sequence[float] | None,
    limits: Limits,
) -> ModelBands:
    from .sklearn_forest_to_onnx import calibrated_probability, model_of

    if not is_forest(model):
        raise PackError(
            f'{type(model).__name__} does not support intervals="distribution", which needs a scikit-learn'
            " forest with a bootstrap: pass quantiles= instead"
        )
    require_covariates(model, names)
    declared = {"first_target": 1, **choose_distribution(y, limits, thresholds)}
    graph = model_of(model, x, y, declared["thresholds"])
    # With few samples, p may be 0, which the manifest does not allow: the bounds would be the ends of the support.
    p = max(round(calibrated_probability(model, x, y, declared, coverage), 6), LEAST_PROBABILITY)
    return ModelBands(graph, [MEAN, *_declare_quantiles(tail, p)], declared, models=[model])


def _declare_quantiles(tail: float, p: float) -> list[dict[str, Any]]:
    levels = (tail, p), (round(1 - tail, 6), round(1 - p, 6))
    return [
        _declare_bound(level, {"kind": "quantile", "level": level, "probability": one})
        for level, one in levels
    ]


LEAST_PROBABILITY = 1e-4
#: If a larger share of samples has the lowest value, such as 0 or the detection limit, the distribution starts there.
MOST_TIED = 0.02


def choose_distribution(
    y: np.ndarray, limits: Limits, thresholds: Sequence[float] | None = None
) -> dict[str, Any]:
    """Chooses the support and, unless they are given, about 30 thresholds.

    The support includes all samples, and stays within the limits unless samples exceed them. The thresholds are quantiles
    of the samples, denser in the tails. If many samples share the lowest value, support and thresholds start there."""
    low, high = float(np.min(y)), float(np.max(y))
    if low == high:
        raise PackError(
            f"all {len(y)} samples have the value {low:g}: a distribution needs different values"
        )
    reach = (high - low) / 2
    is_tied = bool(np.mean(y == low) > MOST_TIED)
    lower, upper = _round(low - reach), _round(high + reach)
    if is_tied:
        lower = low
    elif low >= 0:
        # Without negative samples, the support starts at 0 or at a higher limit.
        lower = 0.0
    least, most = limits
    if least is not None and low >= least:
        lower = max(lower, least)
    if most is not None and high <= most:
        upper = min(upper, most)
    if thresholds is not None:
        return {"thresholds": [*map(float, thresholds)], "lower": lower, "upper": upper}
    shares = np.concatenate(
        [np.linspace(0.005, 0.1, 10), np.linspace(0.15, 0.85, 10), np.linspace(0.9, 0.995, 10)]
    )
    knots = {_round(value) for value in np.quantile(y[y > low] if is_tied else y, shares)}
    within = sorted(value for value in knots if lower < value < upper)
    return {"thresholds": [low, *within] if is_tied else within, "lower": lower, "upper": upper}


def _round(value: float) -> float:
    return float(f"{value:.6g}")


def _convert_quantile_models(
    names: Sequence[str],
    model: Any,
    x: np.ndarray,
    quantiles: list[Any],
    *,
    tail: float,
    coverage: float,
    held_out: Samples | None,
    limits: Limits,
) -> ModelBands:
    from .conformal import margin

    graphs = [convert_model(one, x, names) for one in quantiles]
    counts = [count_targets(graph) for graph in graphs]
    if sum(counts) != 2:
        raise PackError(
            f"quantiles must predict two values, a lower and an upper bound; number of predicted values: {sum(counts)}"
        )
    wider = 0.0
    if held_out is not None:
        rest_x, rest_y = held_out
        predicted = [predict_rows(one, rest_x) for one in quantiles]
        low, high = np.concatenate(predicted, axis=1).T
        wider = margin(rest_y, low, high, coverage)
    shift = [0.0, -wider, wider]
    graph = merge_graphs([convert_model(model, x, names), *graphs], shift)
    # Boosted trees can predict beyond the training values, and the margin widens the bounds: a stock near 0 could get a
    # negative lower bound.
    limit_targets(graph, limits)
    return ModelBands(
        graph,
        [MEAN, *_declare_bounds(tail)],
        models=[model, *quantiles],
        shift=shift,
        limits=limits,
    )


def _declare_bounds(tail: float) -> list[dict[str, Any]]:
    levels = (tail, 1), (round(1 - tail, 6), 2)
    return [
        _declare_bound(one, {"kind": "target", "index": at, "level": one}) for one, at in levels
    ]


def _declare_bound(level: float, source: dict[str, Any]) -> dict[str, Any]:
    percent = f"{100 * level:g}"
    name = "q" + (percent if "." in percent else f"{int(percent):02}").replace(".", "_")
    return {"name": name, "description": f"{percent} % quantile", "from": source}
