"""The default model's forest in scikit-learn, with the means of its targets in each leaf."""

from dataclasses import dataclass

import numpy as np
from sklearn.ensemble import RandomForestRegressor


@dataclass
class DefaultModel:
    forest: RandomForestRegressor
    # One array per tree, with a row per node and a column per target.
    leaf_means: list[np.ndarray]
    # The knots of the distribution function. The first has probability 0, the last 1.
    knots: np.ndarray
    probability: float

    def set_params(self, n_jobs):
        self.forest.set_params(n_jobs=n_jobs)

    def predict(self, points):
        """Returns the mean and the quantiles at `probability` and 1 - `probability`, with a row per
        point."""
        leaves = self.forest.apply(points)
        means = sum(means[leaves[:, i]] for i, means in enumerate(self.leaf_means)) / len(
            self.leaf_means
        )
        ends = np.zeros((len(points), 1)), np.ones((len(points), 1))
        inner = np.maximum.accumulate(np.clip(means[:, 1:], 0, 1), axis=1)
        cdf = np.hstack([ends[0], inner, ends[1]])
        quantiles = [self.quantile(cdf, p) for p in (self.probability, 1 - self.probability)]
        return np.column_stack([means[:, 0], *quantiles])

    def quantile(self, cdf, probability):
        k, row = np.argmax(cdf >= probability, axis=1), np.arange(len(cdf))
        below, above = cdf[row, k - 1], cdf[row, k]
        step = self.knots[k] - self.knots[k - 1]
        return self.knots[k - 1] + (probability - below) / (above - below) * step
