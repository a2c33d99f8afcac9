"""The compared learners. Their settings are the same for every fold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import forest
from covariates import NAMES


class Mean:
    """Predicts the training samples' mean: the baseline that any model must beat."""

    def fit(self, features: np.ndarray, target: np.ndarray) -> Mean:
        self.mean = target.mean()
        return self

    def predict(self, features: np.ndarray) -> np.ndarray:
        return np.full(len(features), self.mean)


class Kriging:
    """Ordinary kriging with an exponential covariance fitted by maximum likelihood."""

    def __init__(self) -> None:
        kernel = ConstantKernel(1.0) * Matern(300.0, (50.0, 5000.0), nu=0.5) + WhiteKernel(0.3)
        self.process = GaussianProcessRegressor(kernel, normalize_y=True)
        self.coordinates = [NAMES.index("x"), NAMES.index("y")]

    def fit(self, features: np.ndarray, target: np.ndarray) -> Kriging:
        self.process.fit(features[:, self.coordinates].astype(float), target)
        return self

    def predict(self, features: np.ndarray) -> np.ndarray:
        return self.process.predict(features[:, self.coordinates].astype(float))


class UniversalKriging(Kriging):
    """Kriging with a linear trend in √distance to the river: the covariance is fitted to the
    residuals by maximum likelihood, the trend by generalised least squares."""

    def trend(self, features: np.ndarray) -> np.ndarray:
        distance = features[:, NAMES.index("river_distance")].astype(float)
        return np.column_stack([np.ones(len(features)), np.sqrt(distance)])

    def fit(self, features: np.ndarray, target: np.ndarray) -> UniversalKriging:
        trend = self.trend(features)
        places = features[:, self.coordinates].astype(float)
        ordinary = np.linalg.lstsq(trend, target, rcond=None)[0]
        self.process.fit(places, target - trend @ ordinary)
        weighted = np.linalg.solve(self.process.kernel_(places), np.column_stack([trend, target]))
        self.slopes = np.linalg.solve(trend.T @ weighted[:, :-1], trend.T @ weighted[:, -1])
        self.process.fit(places, target - trend @ self.slopes)
        return self

    def predict(self, features: np.ndarray) -> np.ndarray:
        return self.trend(features) @ self.slopes + super().predict(features)


def linear():
    numbers = [NAMES.index(name) for name in ("river_distance", "flooding", "x", "y")]
    columns = ColumnTransformer(
        [
            ("numbers", StandardScaler(), numbers),
            ("class", OneHotEncoder(handle_unknown="ignore"), [NAMES.index("soil_class")]),
        ]
    )
    return make_pipeline(columns, LinearRegression())


def extra_trees():
    return ExtraTreesRegressor(
        n_estimators=forest.TREES,
        min_samples_leaf=forest.MIN_SAMPLES_LEAF,
        max_features=1.0,
        random_state=forest.SEED,
    )


def boosting():
    return GradientBoostingRegressor(
        n_estimators=120,
        learning_rate=0.05,
        max_depth=3,
        subsample=0.6,
        min_samples_leaf=5,
        random_state=forest.SEED,
    )


LEARNERS: dict[str, Callable[[], object]] = {
    "random forest": forest.forest,
    "extra trees": extra_trees,
    "gradient boosting": boosting,
    "linear regression": linear,
    "ordinary kriging": Kriging,
    "kriging with √distance": UniversalKriging,
    "mean of the samples": Mean,
}
CHOSEN = "random forest"
