"""Step 3: trains the forest and stores the distribution in its leaves (Meinshausen 2006, JMLR 7, 983–999).

For measured targets, `pack.model(forest, x, y, intervals="distribution")` does all of this. The targets here are
derived and have errors, which the interval of a new sample must include.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx
from scipy.stats import norm
from sklearn.ensemble import RandomForestRegressor

from soil_packs import distribution, tree_ensemble
from soil_packs.sklearn_forest_to_onnx import bags_of, tree_of

SEED, TREES = 20260101, 400
COVERAGE = 0.9
# The standard normal quantile of the upper bound's level, 0.95.
Z = 1.6448536269514722
# Thresholds of the distribution in the graph (kg/m³). Targets lie between 7 and 88, and their errors have an sd of at
# most 15, so practically no target with its error lies above `UPPER`.
THRESHOLDS = np.array([*range(6, 91, 4), 98, 110], float)
LOWER, UPPER = 0.0, 165.0
KNOTS = [LOWER, *THRESHOLDS, UPPER]
DISTRIBUTION = {
    "first_target": 1,
    "thresholds": THRESHOLDS.tolist(),
    "lower": LOWER,
    "upper": UPPER,
}


def probabilities_with_error(y: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """Computes P(y + error ≤ threshold) for normal errors: samples × thresholds."""
    return norm.cdf((THRESHOLDS - y[:, None]) / sd[:, None])


@dataclass(frozen=True)
class TrainedForest:
    """A forest, and the samples' values that are averaged in its leaves: the target, then the other values."""

    forest: RandomForestRegressor
    values: np.ndarray
    bags: list[tuple[np.ndarray, np.ndarray]]

    def leaf_means(self) -> list[np.ndarray]:
        """Computes the mean values in the leaves of each tree: an array of nodes × values for each tree."""
        return [
            distribution.leaf_means(bag, tree.tree_.node_count, self.values)
            for tree, bag in zip(self.forest.estimators_, self.bags)
        ]

    def predict(self, x: np.ndarray) -> np.ndarray:
        """Predicts all values: points × values."""
        leaves = self.forest.apply(x).T
        return sum(means[at] for means, at in zip(self.leaf_means(), leaves)) / len(leaves)

    def predict_out_of_bag(self) -> np.ndarray:
        return distribution.average_out_of_bag(self.bags, self.values)

    def graph(self) -> onnx.ModelProto:
        trees = [
            tree_of(tree, bag, self.values) for tree, bag in zip(self.forest.estimators_, self.bags)
        ]
        columns = self.forest.n_features_in_
        made = tree_ensemble.model_of(trees, columns, "AVERAGE", "meuse-soc")
        return restore_published_attributes(made)


def train(x: np.ndarray, y: np.ndarray, *others: np.ndarray, trees: int = TREES) -> TrainedForest:
    forest = RandomForestRegressor(
        trees, min_samples_leaf=3, max_features=0.5, random_state=SEED
    ).fit(x, y)
    return TrainedForest(forest, np.column_stack([y, *others]), list(bags_of(forest, x)))


def restore_published_attributes(graph: onnx.ModelProto) -> onnx.ModelProto:
    """Rewrites the graph's attributes as in version 1.0.0, whose bytes must not change; the meaning is the same."""
    (node,) = graph.graph.node
    kept = [one for one in node.attribute if one.name != "nodes_missing_value_tracks_true"]
    kept.append(onnx.helper.make_attribute("post_transform", "NONE"))
    del node.attribute[:]
    node.attribute.extend(sorted(kept, key=lambda one: one.name))
    graph.producer_name = "models/meuse-soc/training/build.py"
    return graph


def interpolate_bounds(cdfs: np.ndarray, probability: float) -> np.ndarray:
    """Interpolates both bounds as the service does: 2 × points."""
    rising = np.maximum.accumulate(cdfs, axis=1)
    ends = [probability, 1 - probability]
    return np.array([np.interp(ends, [0, *cdf, 1], KNOTS) for cdf in rising]).T


def probability_inside(bounds: np.ndarray, y: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """Computes the probability that y + error lies between the bounds, exactly instead of by simulation."""
    low, high = (bounds - y) / sd
    return norm.cdf(high) - norm.cdf(low)


def calibrate_probability(trained: TrainedForest, y: np.ndarray, sd: np.ndarray) -> float:
    """Finds the lower bound's probability at which the interval covers a share `COVERAGE` of the targets with errors.

    This is out-of-bag conformal prediction as in `soil_packs.distribution`, but each of the n samples counts with the
    probability that it is covered: p is the largest value at which these probabilities sum to at least
    COVERAGE × (n + 1).
    """
    cdfs = trained.predict_out_of_bag()[:, 1 : 1 + len(THRESHOLDS)]
    low, high = 1e-4, 0.25
    while high - low > 1e-6:
        p = (low + high) / 2
        covers = probability_inside(interpolate_bounds(cdfs, p), y, sd).sum() >= COVERAGE * (
            len(y) + 1
        )
        low, high = (p, high) if covers else (low, p)
    return low
