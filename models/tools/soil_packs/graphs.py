"""ONNX graphs of trained models, whatever trained them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .commands import PackError


def is_forest(model: Any) -> bool:
    """A forest of scikit-learn whose leaves hold means."""
    return _package(model) == "sklearn" and hasattr(model, "estimators_samples_")


def graph_of(model: Any, x: np.ndarray) -> Any:
    """With one target, or one for each quantile of an XGBoost model."""
    package = _package(model)
    if package == "lightgbm":
        from . import lightgbm_to_onnx

        return lightgbm_to_onnx.model_of(getattr(model, "booster_", model))
    if package == "xgboost":
        from . import xgboost_to_onnx

        booster = model.get_booster() if hasattr(model, "get_booster") else model
        return xgboost_to_onnx.model_of(json.loads(bytes(booster.save_raw("json"))))
    if package == "catboost":
        return _of_catboost(model)
    if package == "sklearn":
        return _of_sklearn(model, x)
    raise PackError(
        f"a {type(model).__module__}.{type(model).__qualname__} has no converter: write it as ONNX"
        " yourself, float32 [N, covariates] to float32 [N, targets], and pass onnx="
    )


def targets_of(graph: Any) -> int:
    (output,) = graph.graph.output
    shape = output.type.tensor_type.shape.dim
    if len(shape) == 2 and shape[1].dim_value > 0:
        return int(shape[1].dim_value)
    # Converters leave it open for one target.
    for node in graph.graph.node:
        for attribute in node.attribute:
            if attribute.name == "n_targets":
                return int(attribute.i)
    return 1


def merged(graphs: Sequence[Any], shift: Sequence[float]) -> Any:
    from . import merge_targets

    return merge_targets.merged(graphs, list(shift))


def _package(model: Any) -> str:
    return str(type(model).__module__).split(".")[0]


def _of_catboost(model: Any) -> Any:
    import onnx

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        model.save_model(str(path), format="onnx")
        # CatBoost's own graph has an output without the dimension of the targets.
        return merged([onnx.load(path)], [0.0])


def _of_sklearn(model: Any, x: np.ndarray) -> Any:
    try:
        from skl2onnx import to_onnx
    except ImportError:
        raise PackError(
            f"{type(model).__name__} of scikit-learn needs skl2onnx: pip install skl2onnx"
        ) from None
    return to_onnx(model, np.asarray(x[:1], np.float32))
