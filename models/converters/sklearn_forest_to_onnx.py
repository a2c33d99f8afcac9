"""Makes an ONNX graph of a scikit-learn forest whose leaves hold the conditional distribution too.

    pip install numpy onnx scikit-learn

    sys.path.append("models/converters")
    from sklearn_forest_to_onnx import model_of
    forest = RandomForestRegressor(500, min_samples_leaf=5).fit(x, y)
    open("model.onnx", "wb").write(model_of(forest, x, y, thresholds).SerializeToString())

The graph's targets are the forest's mean and then P(Y <= t) for each threshold t, in the manifest:
`"targets": 1 + K`, `"first_target": 1`. `x` and `y` are what the forest was trained on, all of it and
in that order: a leaf does not know its samples, they are dropped down the trees again. Extra trees too.
For a mean alone `skl2onnx.to_onnx` will do. `calibrated_probability` says where bands that are quantiles
are to be read.
"""

import numpy as np
import tree_ensemble


def leaf_means(estimator, x, drawn, values):
    """Mean of the samples' `values` in each node's leaf: nodes x values. Each sample counts as often as
    the tree drew it (Meinshausen 2006, JMLR 7, 983-999, with the bootstrap's weights)."""
    counts = np.bincount(drawn, minlength=len(x))
    if len(counts) != len(x):
        raise ValueError("it was trained on more samples than these")
    leaves = estimator.apply(x)
    total = np.zeros((estimator.tree_.node_count, values.shape[1]))
    weight = np.zeros(estimator.tree_.node_count)
    np.add.at(total, leaves, counts[:, None] * values)
    np.add.at(weight, leaves, counts)
    return total / np.maximum(weight, 1)[:, None]


def tree_of(estimator, means):
    tree = estimator.tree_
    leaf = tree.children_left < 0
    if not np.allclose(means[leaf, 0], tree.value[leaf, 0, 0], rtol=1e-6):
        raise ValueError("the leaves' means are others: these are not its samples, or they had weights")
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
    """`x` samples x covariates, `y` samples, `thresholds` increasing, in the unit of `y`."""
    x, y = np.asarray(x, np.float32), np.asarray(y, np.float64)
    thresholds = np.asarray(thresholds, np.float64)
    if y.ndim != 1 or len(x) != len(y):
        raise ValueError(f"x has {len(x)} samples, y is {y.shape}: one property, a value a sample")
    if np.any(np.diff(thresholds) <= 0):
        raise ValueError("thresholds must increase")
    if getattr(forest, "criterion", None) not in ("squared_error", "friedman_mse"):
        raise ValueError(f"leaves hold means, not what criterion {forest.criterion!r} wants")
    values = np.column_stack([y, y[:, None] <= thresholds])
    bags = zip(forest.estimators_, forest.estimators_samples_)
    trees = [tree_of(tree, leaf_means(tree, x, drawn, values)) for tree, drawn in bags]
    return tree_ensemble.model_of(trees, x.shape[1], "AVERAGE", "scikit-learn")


def out_of_bag(forest, x, values):
    """The samples' own means of `values`, each by the trees that did not see it: samples x values."""
    total, trees = np.zeros(values.shape), np.zeros(len(x))
    for tree, drawn in zip(forest.estimators_, forest.estimators_samples_):
        means = leaf_means(tree, x, drawn, values)
        unseen = np.bincount(drawn, minlength=len(x)) == 0
        total[unseen] += means[tree.apply(x[unseen])]
        trees += unseen
    if np.any(trees == 0):
        raise ValueError("some samples are in every tree: it needs bootstrap=True and more trees")
    return total / trees[:, None]


def calibrated_probability(forest, x, y, distribution, coverage=0.9):
    """The p at which the interval from p to 1 - p has that share of samples the trees had not seen.

    Conformal on the probability scale (Chernozhukov et al. 2021, PNAS 118, e2107794118), out of bag as
    in Johansson et al. 2014 (Machine Learning 97, 155-176), on the distribution as the service inverts
    it. `distribution` is the manifest's member. For the bands' `probability`: p and 1 - p.
    """
    x, y = np.asarray(x, np.float32), np.asarray(y, np.float64)
    thresholds = np.asarray(distribution["thresholds"], np.float64)
    shares = np.maximum.accumulate(out_of_bag(forest, x, y[:, None] <= thresholds), axis=1)
    knots = [distribution["lower"], *thresholds, distribution["upper"]]
    reached = [np.interp(v, knots, [0, *share, 1]) for v, share in zip(y, shares)]
    # How far from the middle a sample lies; of these the (n + 1) coverage-th smallest.
    strange = np.sort(np.abs(np.array(reached) - 0.5))
    rank = int(np.ceil(coverage * (len(y) + 1)))
    if rank > len(y):
        raise ValueError(f"{len(y)} samples are too few for a coverage of {coverage}")
    return float(0.5 - strange[rank - 1])
