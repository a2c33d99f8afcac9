"""A converter of scikit-learn's HistGradientBoostingRegressor for skl2onnx, also within pipelines.

skl2onnx's own converter (1.20) rounds thresholds to the nearest float32, omits the exponential of Poisson and gamma
losses, treats classes as numbers, and fails with onnx 1.19.
"""

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

from . import tree_ensemble
from .commands import PackError

#: Losses whose prediction is the sum of the trees.
SUMS = ("squared_error", "absolute_error", "quantile")


def tree_of(nodes):
    leaf = nodes["is_leaf"].astype(bool)
    return {
        "leaf": leaf,
        "value": np.where(leaf, nodes["value"], nodes["num_threshold"]),
        "feature": nodes["feature_idx"],
        "left": nodes["left"],
        "right": nodes["right"],
        "missing_left": nodes["missing_go_to_left"],
        "target": 0,
    }


def attributes_of(model):
    if model.loss not in SUMS:
        raise PackError(
            f"expected a loss whose prediction is the sum of the trees ({', '.join(SUMS)}); got"
            f" {model.loss}. For a positive property, train on its logarithm with squared_error, and"
            " back-transform it with soil_packs.back_transform"
        )
    # Even if no tree splits by them, scikit-learn moves categorical covariates before the numerical ones.
    if model.is_categorical_ is not None and model.is_categorical_.any():
        raise PackError(
            "categorical splits are not supported: train without categorical_features, on the numbers of the classes"
            " or with a covariate of 0 and 1 for each class"
        )
    base = np.ravel(model._baseline_prediction)
    return tree_ensemble.lists_of(
        [tree_of(predictor.nodes) for (predictor,) in model._predictors], base
    )


def convert(scope, operator, container):
    container.add_node(
        "TreeEnsembleRegressor",
        operator.input_full_names,
        operator.output_full_names,
        name=scope.get_unique_operator_name("TreeEnsembleRegressor"),
        op_domain="ai.onnx.ml",
        op_version=3,
        aggregate_function="SUM",
        n_targets=1,
        **attributes_of(operator.raw_operator),
    )


def calculate_shape(operator):
    kind = type(operator.inputs[0].type)
    operator.outputs[0].type = kind([operator.inputs[0].get_first_dimension(), 1])


CUSTOM = {
    "custom_conversion_functions": {HistGradientBoostingRegressor: convert},
    "custom_shape_calculators": {HistGradientBoostingRegressor: calculate_shape},
}
