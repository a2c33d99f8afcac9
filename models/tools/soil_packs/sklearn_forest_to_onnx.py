"""Converts a scikit-learn forest to an ONNX graph with the mean and the conditional distribution.

    pip install numpy onnx scikit-learn

    from soil_packs.sklearn_forest_to_onnx import calibrated_probability, model_of
    forest = RandomForestRegressor(500, min_samples_leaf=5).fit(x, y)
    open("model.onnx", "wb").write(model_of(forest, x, y, thresholds).SerializeToString())

The graph's targets are the forest's mean and then P(Y <= t) for each of K thresholds t; in the manifest:
`"targets": 1 + K`, `"first_target": 1`. `x` and `y` must be all training data in the original order: leaves do not
store their samples, so the samples are passed through the trees again. Extra trees with a bootstrap are supported as
well. For a mean without a distribution, use `skl2onnx.to_onnx`. `calibrated_probability` returns the `probability` of the lower bound.
"""

import numpy as np

from . import distribution, tree_ensemble
from .commands import PackError


def bags_of(forest, x):
    x = np.asarray(x, np.float32)
    for tree, drawn in zip(forest.estimators_, forest.estimators_samples_):
        counts = np.bincount(drawn, minlength=len(x))
        if len(counts) != len(x):
            raise PackError(
                "the forest was trained on more samples than x contains: pass all of them"
            )
        yield tree.apply(x), counts


def tree_of(estimator, bag, values):
    tree = estimator.tree_
    leaf = tree.children_left < 0
    means = distribution.leaf_means(bag, tree.node_count, values)
    distribution.require_same_means(means[leaf, 0], tree.value[leaf, 0, 0])
    return {
        "leaf": leaf,
        "value": tree.threshold,
        "feature": tree.feature,
        "left": tree.children_left,
        "right": tree.children_right,
        "missing_left": [0] * tree.node_count,
        "targets": means,
    }


def model_of(forest, x, y, thresholds):
    """Converts a forest. `x` is samples x covariates; `thresholds` are increasing, in the unit of `y`."""
    if getattr(forest, "criterion", None) not in ("squared_error", "friedman_mse"):
        raise PackError(
            f"criterion {forest.criterion!r} is not supported, because leaves must hold means"
        )
    values = distribution.values_of(y, thresholds)
    bags = bags_of(forest, x)
    trees = [tree_of(tree, bag, values) for tree, bag in zip(forest.estimators_, bags)]
    return tree_ensemble.model_of(trees, np.shape(x)[1], "AVERAGE", "scikit-learn")


def calibrated_probability(forest, x, y, declared, coverage=0.9):
    """Computes p for the manifest's `distribution` (`declared`): the `probability` of the bounds is p and 1 - p."""
    return distribution.calibrated_probability(bags_of(forest, x), y, declared, coverage)
