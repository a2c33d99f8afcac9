"""The forest and the conditional distribution in its leaves."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm
from sklearn.ensemble import RandomForestRegressor

SEED = 20260101
TREES = 400
MIN_SAMPLES_LEAF = 3
MAX_FEATURES = 0.5

# Bounds and thresholds (kg/m³) of the distribution in the graph. The targets range from 7 to 88 and
# the largest error is 15 (one sd), so the probability beyond the upper bound is negligible.
LOWER, UPPER = 0.0, 165.0
THRESHOLDS = np.array([*range(6, 91, 4), 98, 110], dtype=float)


def forest(seed: int = SEED) -> RandomForestRegressor:
    return RandomForestRegressor(
        n_estimators=TREES,
        min_samples_leaf=MIN_SAMPLES_LEAF,
        max_features=MAX_FEATURES,
        random_state=seed,
    )


def steps(target: np.ndarray) -> np.ndarray:
    """P(y ≤ threshold) of targets without error: samples × thresholds, 0 or 1."""
    return (target[:, None] <= THRESHOLDS).astype(float)


def blurred(target: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """P(y + error ≤ threshold), with a normal error of the sample's sd: samples × thresholds."""
    return norm.cdf((THRESHOLDS - target[:, None]) / sd[:, None])


def bags(model, n: int):
    """Each tree with the in-bag counts of the n training samples."""
    for tree, drawn in zip(model.estimators_, model.estimators_samples_):
        yield tree, np.bincount(drawn, minlength=n)


def leaf_means(tree, leaves: np.ndarray, counts: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Mean of the training samples' values in each node's leaf: nodes × values.

    `leaves` and `counts` are the samples' leaf and weight in this tree. These are the weights of
    Meinshausen (2006, JMLR 7, 983–999), with the bootstrap's counts as in the tree's own mean.
    """
    total = np.zeros((tree.tree_.node_count, values.shape[1]))
    weight = np.zeros(tree.tree_.node_count)
    np.add.at(total, leaves, counts[:, None] * values)
    np.add.at(weight, leaves, counts)
    return total / np.maximum(weight, 1)[:, None]


def averaged(model, train: np.ndarray, values: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The forest-weighted mean of the training samples' values at the points: points × values."""
    result = np.zeros((len(points), values.shape[1]))
    for tree, counts in bags(model, len(train)):
        means = leaf_means(tree, tree.apply(train), counts, values)
        result += means[tree.apply(points)]
    return result / len(model.estimators_)


def out_of_bag(model, train: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The out-of-bag means at the training samples."""
    result = np.zeros((len(train), values.shape[1]))
    trees = np.zeros(len(train))
    for tree, counts in bags(model, len(train)):
        leaves = tree.apply(train)
        unseen = counts == 0
        result[unseen] += leaf_means(tree, leaves, counts, values)[leaves[unseen]]
        trees += unseen
    return result / trees[:, None]
