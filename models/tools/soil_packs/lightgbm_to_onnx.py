"""Converts a LightGBM regressor to an ONNX graph.

    pip install numpy onnx lightgbm
    python -m soil_packs.lightgbm_to_onnx model.txt model.onnx --predicted rows.csv

`model.txt` is written by `booster.save_model("model.txt")`. Unlike this converter, onnxmltools 1.16 rounds LightGBM's
thresholds to the nearest float32, and divides a random forest (boosting "rf") by the wrong number of trees.
"""

from . import command_line, tree_ensemble
from .commands import PackError

#: Objectives whose prediction is the sum of the trees.
SUMS = ("regression", "regression_l1", "huber", "fair", "quantile", "mape")


def tree_of(structure):
    names = ("leaf", "value", "feature", "left", "right", "missing_left")
    tree = {name: [] for name in names}

    def add(node):
        at = len(tree["leaf"])
        is_leaf = "leaf_value" in node
        if "leaf_coeff" in node:
            raise PackError(
                "linear_tree is not supported, because leaves must hold constants: train with linear_tree=false"
            )
        row = {"leaf": is_leaf, "value": node["leaf_value" if is_leaf else "threshold"]}
        row |= {"feature": node.get("split_feature", 0), "left": 0, "right": 0}
        row["missing_left"] = 0 if is_leaf else int(missing_goes_left(node))
        for name in names:
            tree[name].append(row[name])
        if not is_leaf:
            tree["left"][at] = add(node["left_child"])
            tree["right"][at] = add(node["right_child"])
        return at

    add(structure)
    return tree


def missing_goes_left(node):
    if node["decision_type"] != "<=":
        raise PackError(
            "categorical splits are not supported: train without categorical_feature, on the numbers of the classes"
            " or with a covariate of 0 and 1 for each class"
        )
    if node["missing_type"] == "Zero":
        raise PackError("zero_as_missing is not supported: train with zero_as_missing=false")
    # If the training data have no missing values, LightGBM treats a missing value as 0.
    return node["default_left"] if node["missing_type"] == "NaN" else node["threshold"] >= 0


def model_of(booster):
    """Converts all trees or, if training stopped early, those up to the best iteration."""
    dump = booster.dump_model()
    objective, *options = (dump.get("objective") or "unknown").split()
    if dump["num_tree_per_iteration"] != 1 or objective not in SUMS:
        raise PackError(
            "expected a regressor with one target whose prediction is the sum of the trees"
            f" ({', '.join(SUMS)}); got the objective {objective}. For a positive property, train on its"
            " logarithm with the objective regression, and back-transform it with soil_packs.back_transform"
        )
    if "sqrt" in options:
        raise PackError(
            "reg_sqrt is not supported, because trees predict the square root: train with reg_sqrt=false"
        )
    trees = [tree_of(info["tree_structure"]) for info in dump["tree_info"]]
    aggregate = "AVERAGE" if dump["average_output"] else "SUM"
    return tree_ensemble.model_of(trees, dump["max_feature_idx"] + 1, aggregate, "lightgbm")


def main(options):
    import lightgbm

    try:
        booster = lightgbm.Booster(model_file=options.source)
    except lightgbm.basic.LightGBMError as error:
        raise PackError(
            f'{options.source} is not a model written by booster.save_model("model.txt"): {error}'
        ) from None
    return model_of(booster), booster.feature_name()


if __name__ == "__main__":
    command_line.convert("lightgbm_to_onnx", __doc__, "model.txt", main)
