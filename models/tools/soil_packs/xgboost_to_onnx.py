"""Converts an XGBoost regressor, which may predict several quantiles, to an ONNX graph.

    pip install numpy onnx
    python -m soil_packs.xgboost_to_onnx model.json model.onnx --predicted rows.csv

`model.json` is written by `model.save_model("model.json")`. A model with several quantiles (`reg:quantileerror` and a
list as `quantile_alpha`) becomes a graph with a target for each.
"""

import json

import numpy as np

from . import command_line, tree_ensemble
from .commands import PackError

# The prediction of these objectives is the sum of the trees.
SUMS = (
    "reg:squarederror",
    "reg:absoluteerror",
    "reg:pseudohubererror",
    "reg:quantileerror",
)


def tree_of(tree, target):
    if tree.get("categories"):
        raise PackError(
            "categorical splits are not supported: train without enable_categorical, on the numbers of the classes"
            " or with a covariate of 0 and 1 for each class"
        )
    if int(tree["tree_param"]["size_leaf_vector"]) > 1:
        raise PackError(
            "multi_output_tree is not supported: train with multi_strategy=one_output_per_tree"
        )
    leaf = np.asarray(tree["left_children"]) < 0
    conditions = np.asarray(tree["split_conditions"], np.float32)
    # XGBoost tests x < t and the graph x <= t, so the graph's threshold is the next lower float32.
    value = np.where(leaf, conditions, np.nextafter(conditions, np.float32(-np.inf)))
    return {
        "leaf": leaf,
        "value": value,
        "feature": tree["split_indices"],
        "left": tree["left_children"],
        "right": tree["right_children"],
        "missing_left": tree["default_left"],
        "target": target,
    }


def model_of(saved):
    learner = saved["learner"]
    objective, booster = learner["objective"]["name"], learner["gradient_booster"]
    if booster["name"] != "gbtree":
        raise PackError(
            f"expected the booster gbtree, got {booster['name']}: train with booster=gbtree"
        )
    if objective not in SUMS:
        raise PackError(
            f"expected an objective whose prediction is the sum of the trees ({', '.join(SUMS)}); got"
            f" {objective}. For a positive property, train on its logarithm with reg:squarederror, and"
            " back-transform it with soil_packs.back_transform"
        )
    parameters, model = learner["learner_model_param"], booster["model"]
    trees = [tree_of(tree, target) for tree, target in zip(model["trees"], model["tree_info"])]
    best = int(learner["attributes"].get("best_iteration", -1)) + 1
    rounds = len(trees) // (
        int(model["gbtree_model_param"]["num_parallel_tree"]) * (max(model["tree_info"]) + 1)
    )
    if 0 < best < rounds:
        raise PackError(
            f"the training stopped early: only the first {best} of the Booster's {rounds} iterations should predict."
            f" Pass the XGBRegressor, or a Booster without the others: booster[:{best}]"
        )
    # base_score is the text of a number, or of a list with a number for each target.
    score = np.ravel(json.loads(parameters["base_score"])).tolist()
    targets = max(int(parameters["num_target"]), *(tree["target"] + 1 for tree in trees))
    base = score if len(score) == targets else score * targets
    columns = int(parameters["num_feature"])
    return tree_ensemble.model_of(trees, columns, "SUM", "xgboost", base)


def main(options):
    try:
        with open(options.source, encoding="utf-8") as source:
            saved = json.load(source)
        names = saved["learner"]["feature_names"]
    except (ValueError, KeyError, TypeError):
        raise PackError(
            f'{options.source} is not a JSON model saved by XGBoost: use save_model("model.json"),'
            " not dump_model or another file extension"
        ) from None
    return model_of(saved), names


if __name__ == "__main__":
    command_line.convert("xgboost_to_onnx", __doc__, "model.json", main)
