"""Computes the conditional distribution in a forest's leaves (Meinshausen 2006, JMLR 7, 983-999).

A tree's bag is `(leaves, counts)`: the leaf and the in-bag count of each training sample.
"""

import warnings

import numpy as np

from .resampling import draw_uniform


def values_of(y, thresholds):
    """Returns the values to average in leaves: y and, for each threshold t, [y <= t]. Their shape is (samples, 1 + thresholds)."""
    y, thresholds = np.asarray(y, np.float64), np.asarray(thresholds, np.float64)
    if y.ndim != 1:
        raise ValueError(f"y must have one value per sample; its shape is {y.shape}")
    if np.any(np.diff(thresholds) <= 0):
        raise ValueError("thresholds must be increasing")
    beyond = np.mean(y < thresholds[0]), np.mean(y > thresholds[-1])
    if max(beyond) > 0.05:
        warnings.warn(
            f"{beyond[0]:.0%} of the samples lie below the first threshold, {beyond[1]:.0%} above the "
            f"last. Quantiles beyond the thresholds are inaccurate: choose thresholds from {y.min():g} to {y.max():g}",
            stacklevel=2,
        )
    return np.column_stack([y, y[:, None] <= thresholds])


def leaf_means(bag, nodes, values):
    """Averages the samples' values in each leaf, weighted by in-bag counts. The shape of the result is (nodes, values)."""
    leaves, counts = bag
    total, weight = np.zeros((nodes, values.shape[1])), np.zeros(nodes)
    np.add.at(total, leaves, counts[:, None] * values)
    np.add.at(weight, leaves, counts)
    return total / np.maximum(weight, 1)[:, None]


def require_same_means(means, predictions):
    if not np.allclose(means, predictions, rtol=1e-6):
        raise ValueError(
            "the leaves' means differ from the model's values: pass all training samples, and train without sample weights"
        )


def average_out_of_bag(bags, values):
    """Averages the means of a sample's leaves over the trees that did not see the sample. The shape of the result is
    that of `values`."""
    total, trees = np.zeros(values.shape), np.zeros(len(values))
    for leaves, counts in bags:
        unseen = counts == 0
        means = leaf_means((leaves, counts), leaves.max() + 1, values)
        total[unseen] += means[leaves[unseen]]
        trees += unseen
    if np.any(trees == 0):
        raise ValueError(
            "some samples are in the training data of every tree: train with a bootstrap and more trees"
        )
    return total / trees[:, None]


def calibrated_probability(bags, y, distribution, coverage=0.9):
    """Finds the p at which the interval from p to 1 - p covers the fraction `coverage` of unseen samples.

    This is conformal prediction on the probability scale (Chernozhukov et al. 2021, PNAS 118, e2107794118) with
    out-of-bag samples (Johansson et al. 2014, Machine Learning 97, 155-176). The distribution is inverted
    as in the service. `distribution` is the manifest's field.
    """
    cdfs = average_out_of_bag(bags, values_of(y, distribution["thresholds"])[:, 1:])
    cdfs = np.maximum.accumulate(cdfs, axis=1)
    knots = [distribution["lower"], *distribution["thresholds"], distribution["upper"]]
    reached = np.array([np.interp(value, knots, [0, *cdf, 1]) for value, cdf in zip(y, cdfs)])
    if knots[0] == knots[1]:
        # Samples with the lowest value get a random probability up to that of the value: a randomised
        # quantile residual (Dunn & Smyth 1996).
        tied = np.flatnonzero(y == knots[0])
        reached[tied] = cdfs[tied, 0] * draw_uniform(len(tied))
    # Scores are distances from the median; the (n + 1) × coverage-th smallest score counts.
    scores = np.sort(np.abs(np.array(reached) - 0.5))
    rank = int(np.ceil(coverage * (len(y) + 1)))
    if rank > len(y):
        raise ValueError(f"{len(y)} samples are too few for a coverage of {coverage}")
    return float(0.5 - scores[rank - 1])
