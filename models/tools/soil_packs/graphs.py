"""Converts trained models of all supported libraries to ONNX graphs."""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .commands import PackError
from .tables import require_order

#: The loss functions of CatBoost whose prediction is the sum of the trees.
SUMS_OF_CATBOOST = ("RMSE", "MAE", "Quantile", "Huber", "Expectile", "MAPE", "Lq", "LogCosh")

#: The attributes with covariate names in scikit-learn, CatBoost, LightGBM < 4, XGBoost's Booster and LightGBM's Booster.
NAME_ATTRIBUTES = (
    "feature_names_in_",
    "feature_names_",
    "feature_name_",
    "feature_names",
    "feature_name",
)


def is_forest(model: Any) -> bool:
    """Whether the model is a scikit-learn forest, which knows the bootstrap sample of each tree."""
    return (
        _package(model) == "sklearn"
        and hasattr(model, "estimators_samples_")
        and hasattr(model, "criterion")
    )


def predict_rows(model: Any, x: np.ndarray) -> np.ndarray:
    """Predicts with the model's own `predict`: rows x targets."""
    names = trained_names(model)
    if _package(model) == "xgboost" and not hasattr(model, "get_booster"):
        import xgboost

        predicted = model.predict(xgboost.DMatrix(x, feature_names=names or None))
    elif names and hasattr(model, "feature_names_in_"):
        import pandas

        predicted = model.predict(pandas.DataFrame(x, columns=names))
    else:
        predicted = model.predict(x)
    return np.asarray(predicted, np.float64).reshape(len(x), -1)


def convert_model(model: Any, x: np.ndarray, names: Sequence[str]) -> Any:
    """Converts a model to a graph with one target, or with one target for each quantile of an XGBoost model.

    :param x: all training data, with a column for each of the covariates `names`
    :raises PackError: if the model cannot be converted, or the graph would predict differently
    """
    require_covariates(model, names)
    package = _package(model)
    if package == "lightgbm":
        from . import lightgbm_to_onnx

        return lightgbm_to_onnx.model_of(getattr(model, "booster_", model))
    if package == "xgboost":
        from . import xgboost_to_onnx

        booster = _best_trees(model, x) if hasattr(model, "get_booster") else model
        return xgboost_to_onnx.model_of(json.loads(bytes(booster.save_raw("json"))))
    if package == "catboost":
        return _convert_catboost(model)
    if package == "sklearn":
        return _convert_sklearn(model, x)
    raise PackError(
        f"there is no converter for {type(model).__module__}.{type(model).__qualname__}: write it as ONNX"
        " yourself, float32 [N, covariates] to float32 [N, targets], and pass onnx= with predicted="
    )


def require_covariates(model: Any, names: Sequence[str]) -> None:
    """:raises PackError: if the model was trained on another number of covariates or in another order"""
    require_order(trained_names(model), names)
    count = getattr(model, "n_features_in_", len(names))
    if hasattr(model, "num_features"):  # This is XGBoost's Booster.
        count = model.num_features()
    if count != len(names):
        raise PackError(
            f"the model was trained on {count} covariates, but the pack has {len(names)}"
            f" ({', '.join(names)}): call pack.covariate(…) for the same covariates"
        )


def count_columns(graph: Any) -> int:
    """Returns the number of covariates that a graph takes; 0 if the graph does not declare it."""
    shape = graph.graph.input[0].type.tensor_type.shape.dim
    return int(shape[1].dim_value) if len(shape) == 2 else 0


def count_targets(graph: Any) -> int:
    """Returns the number of targets. :raises PackError: unless the graph has one input and one output"""
    constants = {one.name for one in graph.graph.initializer}
    inputs = [one for one in graph.graph.input if one.name not in constants]
    if len(inputs) != 1 or len(graph.graph.output) != 1:
        raise PackError(
            "expected a graph with one input [N, covariates] and one output [N, targets]; inputs:"
            f" {len(inputs)}, outputs: {len(graph.graph.output)}"
        )
    (output,) = graph.graph.output
    shape = output.type.tensor_type.shape.dim
    if len(shape) == 2 and shape[1].dim_value > 0:
        return int(shape[1].dim_value)
    # Converters may leave the number undeclared if there is one target.
    for node in graph.graph.node:
        for attribute in node.attribute:
            if attribute.name == "n_targets":
                return int(attribute.i)
    return 1


def create_evaluator(graph: Any) -> Callable[[np.ndarray], np.ndarray]:
    """Returns a function that evaluates the graph with ONNX Runtime: rows x covariates to rows x targets."""
    import onnxruntime

    session = onnxruntime.InferenceSession(
        graph.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (taken,) = session.get_inputs()
    kind = np.float64 if taken.type == "tensor(double)" else np.float32

    def evaluate(x: np.ndarray) -> np.ndarray:
        outputs = session.run(None, {taken.name: x.astype(kind)})[0]
        return np.asarray(outputs, float).reshape(len(x), -1)

    return evaluate


def merge_graphs(graphs: Sequence[Any], shift: Sequence[float]) -> Any:
    from . import merge_targets

    return merge_targets.merge_graphs(graphs, list(shift))


def limit_targets(graph: Any, limits: tuple[float | None, float | None]) -> None:
    import onnx

    if limits == (None, None):
        return
    (output,) = graph.graph.output
    ends = []
    for name, end in zip(("least", "most"), limits):
        if end is not None:
            constant = onnx.numpy_helper.from_array(np.array(end, np.float32), name)
            graph.graph.initializer.append(constant)
        ends.append("" if end is None else name)
    node = onnx.helper.make_node("Clip", [output.name, *ends], ["within_limits"])
    graph.graph.node.append(node)
    output.name = "within_limits"
    onnx.checker.check_model(graph)


def _package(model: Any) -> str:
    return str(type(model).__module__).split(".")[0]


def trained_names(model: Any) -> list[str]:
    """Returns the names of the covariates that the model stores; empty if it was trained on an array."""
    for name in NAME_ATTRIBUTES:
        found = getattr(model, name, None)
        if found is not None:
            return [str(one) for one in (found() if callable(found) else found)]
    return []


def _best_trees(model: Any, x: np.ndarray) -> Any:
    """Returns the trees that XGBRegressor predicts with: up to the best iteration if training stopped early."""
    missing = getattr(model, "missing", None)
    if missing is not None and (x == np.float32(missing)).any():
        raise PackError(
            f"the model treats {missing} as missing, and the training data contain it, but an ONNX graph"
            " treats only NaN as missing. Train without missing=, and leave out these samples or impute"
            " their values"
        )
    booster = model.get_booster()
    best = booster.attr("best_iteration")
    return booster if best is None else booster[: int(best) + 1]


def _convert_catboost(model: Any) -> Any:
    import onnx
    from catboost import CatBoostError

    try:
        loss = str(model.get_all_params()["loss_function"])
    except CatBoostError:  # A sum of models has no parameters.
        loss = "unknown"
    if loss.split(":")[0] not in SUMS_OF_CATBOOST:
        raise PackError(
            f"expected a CatBoost loss function whose prediction is the sum of the trees"
            f" ({', '.join(SUMS_OF_CATBOOST)}); got {loss}. For a positive property, train on its"
            " logarithm with RMSE, and back-transform it with soil_packs.back_transform"
        )
    if model.get_cat_feature_indices():
        raise PackError(
            "categorical features are not supported: train without cat_features, on the numbers of the classes"
            " or with a covariate of 0 and 1 for each class"
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        try:
            model.save_model(str(path), format="onnx")
        except CatBoostError as error:
            raise PackError(
                f"CatBoost cannot write this model as ONNX: {error}. As ONNX, it can write only symmetric trees (the"
                " default grow_policy) with a scale of 1"
            ) from None
        # The output of CatBoost's graph lacks the dimension of targets, which merging adds.
        return merge_graphs([onnx.load(path)], [0.0])


def _convert_sklearn(model: Any, x: np.ndarray) -> Any:
    try:
        from skl2onnx import convert_sklearn
        from skl2onnx.common.data_types import FloatTensorType
    except ImportError:
        raise PackError(
            f"converting scikit-learn's {type(model).__name__} needs skl2onnx: pip install skl2onnx"
        ) from None
    from sklearn.preprocessing import StandardScaler

    from . import sklearn_histogram_to_onnx

    for part in _estimators(model):
        _require_convertible(part)
    try:
        graph = convert_sklearn(
            _prepare_for_skl2onnx(model),
            initial_types=[("features", FloatTensorType([None, x.shape[1]]))],
            # Divides like scikit-learn: multiplying by the inverse would move values across thresholds.
            options={StandardScaler: {"div": "div"}},
            **sklearn_histogram_to_onnx.CUSTOM,
        )
    except PackError:
        raise
    except Exception as error:  # skl2onnx's errors have no common base class.
        raise PackError(
            f"skl2onnx cannot convert this {type(model).__name__}: {first_line(error)}. Train another kind"
            " of model, or convert it yourself and pass onnx= with predicted="
        ) from error
    if len(graph.graph.output) != 1:
        raise PackError(f"{type(model).__name__} is not a regressor: train a regressor")
    return graph


def _require_convertible(part: Any) -> None:
    name = type(part).__name__
    # skl2onnx provides transformers, too, such as CastTransformer.
    if _package(part) not in ("sklearn", "skl2onnx"):
        raise PackError(
            f"{name} of {_package(part)} cannot be converted inside a scikit-learn model. Pass the trained"
            " XGBoost, LightGBM or CatBoost model itself (best_estimator_ of a search, or the last step of a"
            " pipeline trained without a scaler, which trees do not need), or convert it yourself and"
            " pass onnx= with predicted="
        )
    weights = getattr(part, "weights", None)
    if isinstance(weights, str) and weights == "distance":
        raise PackError(
            f"{name} weights its neighbours by distance, which skl2onnx converts incorrectly: train with"
            ' weights="uniform"'
        )


def _prepare_for_skl2onnx(model: Any) -> Any:
    """Copies the model for skl2onnx: with column numbers (graphs have no column names) and weights as an array."""
    copied = copy.deepcopy(model)
    for part in _estimators(copied):
        columns = getattr(part, "_transformer_to_input_indices", None)
        if columns is not None:
            part.transformers_ = [
                (name, step, columns[name]) for name, step, _ in part.transformers_
            ]
        if isinstance(getattr(part, "weights", None), (list, tuple)):
            part.weights = np.asarray(part.weights)
    return copied


def first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _estimators(model: Any) -> Iterator[Any]:
    """Yields the model and its parts in a pipeline, an ensemble or a search."""
    if hasattr(model, "get_params"):
        yield model
        for value in vars(model).values():
            yield from _estimators(value)
    elif isinstance(model, (list, tuple)):
        for value in model:
            yield from _estimators(value)
    elif isinstance(model, dict):
        yield from _estimators([*model.values()])
