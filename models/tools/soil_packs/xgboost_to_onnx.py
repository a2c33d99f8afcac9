"""Converts an XGBoost regressor, or several quantiles in one, to an ONNX graph.

    pip install numpy onnx
    python -m soil_packs.xgboost_to_onnx model.json model.onnx

`model.json` is `model.save_model("model.json")`. A model with several quantiles (`reg:quantileerror` and a
list as `quantile_alpha`) becomes a graph with a target for each.
"""

import json
import sys

import numpy as np

from . import tree_ensemble

# Objectives whose prediction is the sum of the trees.
SUMS = (
    "reg:squarederror",
    "reg:absoluteerror",
    "reg:pseudohubererror",
    "reg:quantileerror",
)


def tree_of(tree, target):
    if tree.get("categories"):
        raise ValueError(
            "categorical splits are not supported: train without enable_categorical, on the classes'"
            " numbers or with a covariate of 0 and 1 for each class"
        )
    leaf = np.asarray(tree["left_children"]) < 0
    conditions = np.asarray(tree["split_conditions"], np.float32)
    # x < t, where the graph has x <= t: the float32 below.
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
        raise ValueError(f"expected the booster gbtree, got {booster['name']}")
    if objective not in SUMS:
        raise ValueError(
            f"expected an objective whose prediction is the sum of the trees ({', '.join(SUMS)}); got"
            f" {objective}. For a positive property train on its logarithm with reg:squarederror, and"
            " turn it back with soil_packs.back_transform"
        )
    parameters = learner["learner_model_param"]
    trees = [
        tree_of(tree, target)
        for tree, target in zip(booster["model"]["trees"], booster["model"]["tree_info"])
    ]
    # A number, or a list of one per target, as text.
    score = np.ravel(json.loads(parameters["base_score"])).tolist()
    targets = max(int(parameters["num_target"]), *(tree["target"] + 1 for tree in trees))
    base = score if len(score) == targets else score * targets
    columns = int(parameters["num_feature"])
    return tree_ensemble.model_of(trees, columns, "SUM", "xgboost", base)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m soil_packs.xgboost_to_onnx model.json model.onnx")
    with open(sys.argv[1], encoding="utf-8") as source:
        saved = json.load(source)
    try:
        made = model_of(saved)
    except ValueError as error:
        sys.exit(str(error))
    with open(sys.argv[2], "wb") as output:
        output.write(made.SerializeToString())
