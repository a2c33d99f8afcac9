"""The conditional distribution in a forest's leaves (Meinshausen 2006, JMLR 7, 983-999).

A tree's bag is `(leaves, counts)`: the leaf of each training sample, and its in-bag count.
"""

import warnings

import numpy as np

from .resampling import uniform


def values_of(y, thresholds):
    """Values to average in a leaf: y, then [y <= t] per threshold: samples x (1 + thresholds)."""
    y, thresholds = np.asarray(y, np.float64), np.asarray(thresholds, np.float64)
    if y.ndim != 1:
        raise ValueError(f"y has the shape {y.shape}; expected one value per sample")
    if np.any(np.diff(thresholds) <= 0):
        raise ValueError("thresholds must be increasing")
    beyond = np.mean(y < thresholds[0]), np.mean(y > thresholds[-1])
    if max(beyond) > 0.05:
        warnings.warn(
            f"{beyond[0]:.0%} of the samples lie below the first threshold, {beyond[1]:.0%} above the "
            f"last: nothing is known of quantiles there; lay thresholds over {y.min():g} to {y.max():g}",
            stacklevel=2,
        )
    return np.column_stack([y, y[:, None] <= thresholds])


def leaf_means(bag, nodes, values):
    """Mean of the samples' values in each node's leaf, with bootstrap weights: nodes x values."""
    leaves, counts = bag
    total, weight = np.zeros((nodes, values.shape[1])), np.zeros(nodes)
    np.add.at(total, leaves, counts[:, None] * values)
    np.add.at(weight, leaves, counts)
    return total / np.maximum(weight, 1)[:, None]


def require_same_means(means, predictions):
    """Checks the means against `predictions`, the values of the trainer's leaves."""
    if not np.allclose(means, predictions, rtol=1e-6):
        raise ValueError(
            "the leaves have other means: use the training samples, and train without weights"
        )


def out_of_bag(bags, values):
    """Out-of-bag means of the values: samples x values."""
    total, trees = np.zeros(values.shape), np.zeros(len(values))
    for leaves, counts in bags:
        unseen = counts == 0
        means = leaf_means((leaves, counts), leaves.max() + 1, values)
        total[unseen] += means[leaves[unseen]]
        trees += unseen
    if np.any(trees == 0):
        raise ValueError("some samples are in every tree: use a bootstrap and more trees")
    return total / trees[:, None]


def calibrated_probability(bags, y, distribution, coverage=0.9):
    """The p at which the interval from p to 1 - p covers this fraction of the unseen samples.

    Conformal prediction on the probability scale (Chernozhukov et al. 2021, PNAS 118, e2107794118) with
    out-of-bag samples (Johansson et al. 2014, Machine Learning 97, 155-176). Inverts the distribution
    like the service. `distribution` is the manifest's field.
    """
    cdfs = out_of_bag(bags, values_of(y, distribution["thresholds"])[:, 1:])
    cdfs = np.maximum.accumulate(cdfs, axis=1)
    knots = [distribution["lower"], *distribution["thresholds"], distribution["upper"]]
    reached = np.array([np.interp(value, knots, [0, *cdf, 1]) for value, cdf in zip(y, cdfs)])
    if knots[0] == knots[1]:
        # Samples that share the lowest value have any probability up to that of the value: a randomised
        # quantile residual (Dunn & Smyth 1996).
        tied = np.flatnonzero(y == knots[0])
        reached[tied] = cdfs[tied, 0] * uniform(len(tied))
    # Distance of each sample from the median; take the (n + 1) coverage-th smallest.
    scores = np.sort(np.abs(np.array(reached) - 0.5))
    rank = int(np.ceil(coverage * (len(y) + 1)))
    if rank > len(y):
        raise ValueError(f"{len(y)} samples are too few for a coverage of {coverage}")
    return float(0.5 - scores[rank - 1])
