"""Usage: make_models.py FOLDER POINTS

Trains the benchmark's models, and writes their ONNX graphs and the points to predict. All seeds are fixed."""

import pickle
import sys
from pathlib import Path

import lightgbm
import numpy as np
import onnxmltools
import xgboost
from catboost import CatBoostRegressor
from onnxmltools.convert.common.data_types import FloatTensorType
from scipy.ndimage import gaussian_filter
from skl2onnx import to_onnx
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

sys.path.append(str(Path(__file__).parents[2] / "models/tools"))
from soil_packs import back_transform, lightgbm_to_onnx, tree_ensemble

FEATURES = 16
WIDTH = 1000
TILE = 16
# The standard deviation of the Gaussian filter, in cells, that smooths noise into covariates.
SMOOTH = 30
QUANTILES = (0.05, 0.5, 0.95)
# Converts the exponential of a mean logarithm to a mean; python_evaluators.py has the same factor.
FACTOR = 1.043
folder, count = Path(sys.argv[1]), int(sys.argv[2])


def draw_samples(number, features=FEATURES):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(number, features)).astype(np.float32)
    y = x[:, 0] ** 2 + np.sin(3 * x[:, 1]) * 2 + x[:, 2] * x[:, 3] + x[:, 4:].sum(axis=1) / 4
    return x, y + rng.normal(size=number) / 2 + 20


def train_light_gbm(trees, leaves, y_of=np.asarray, **parameters):
    fixed = {"num_leaves": leaves, "learning_rate": 0.05, "verbose": -1, "num_threads": 1}
    x, y = draw_samples(20_000)
    data = lightgbm.Dataset(x, y_of(y))
    return lightgbm.train(fixed | {"objective": "regression"} | parameters, data, trees)


def write_light_gbm(name, trees, leaves):
    booster = train_light_gbm(trees, leaves)
    write_graph(name, lightgbm_to_onnx.model_of(booster))
    booster.save_model(folder / f"{name}.0.txt")


def write_logarithm(name):
    """Trains a model of a logarithm with LightGBM's default numbers of trees and leaves."""
    booster = train_light_gbm(100, 31, y_of=lambda y: np.log(np.maximum(y, 1)))
    write_graph(name, back_transform.back_transform(lightgbm_to_onnx.model_of(booster), [FACTOR]))
    booster.save_model(folder / f"{name}.log.txt")


def write_light_gbm_quantiles(name):
    trees = []
    for target, alpha in enumerate(QUANTILES):
        booster = train_light_gbm(300, 31, objective="quantile", alpha=alpha)
        booster.save_model(folder / f"{name}.{target}.txt")
        for info in booster.dump_model()["tree_info"]:
            tree = lightgbm_to_onnx.tree_of(info["tree_structure"])
            tree["targets"] = np.outer(tree["value"], np.eye(len(QUANTILES))[target])
            trees.append(tree)
    write_graph(name, tree_ensemble.model_of(trees, FEATURES, "SUM", "lightgbm"))


def write_cat_boost(name, depth):
    model = CatBoostRegressor(
        iterations=500,
        depth=depth,
        learning_rate=0.05,
        random_seed=1,
        verbose=0,
        allow_writing_files=False,
    )
    model.fit(*draw_samples(20_000))
    model.save_model(str(folder / f"{name}.onnx"), format="onnx")
    model.save_model(str(folder / f"{name}.cbm"))


def write_x_g_boost(name, depth):
    model = xgboost.XGBRegressor(
        n_estimators=500, max_depth=depth, learning_rate=0.05, random_state=1, n_jobs=1
    )
    model.fit(*draw_samples(20_000))
    types = [("X", FloatTensorType([None, FEATURES]))]
    write_graph(name, onnxmltools.convert_xgboost(model, initial_types=types, target_opset=15))
    model.save_model(folder / f"{name}.ubj")


def write_scikit_learn(name, model, number, features=FEATURES, targets=1):
    x, y = draw_samples(number, features)
    if targets > 1:
        y = np.column_stack([y + x[:, target] for target in range(targets)])
    model.fit(x, y)
    write_graph(name, to_onnx(model, x[:1], target_opset={"": 17, "ai.onnx.ml": 3}))
    (folder / f"{name}.pickle").write_bytes(pickle.dumps(model))


def write_graph(name, graph):
    (folder / f"{name}.onnx").write_bytes(graph.SerializeToString())


def forest(trees):
    return RandomForestRegressor(trees, random_state=1, n_jobs=1)


def order_in_tiles():
    """Returns the cells in the service's order (tile-order.ts)."""
    row, column = np.divmod(np.arange(count), WIDTH)
    return np.lexsort((column, row, column // TILE, row // TILE))


def make_smooth_fields(rng, features):
    """Draws one map per covariate, flattened row by row, with a standard deviation of 1."""
    for _ in range(features):
        field = gaussian_filter(rng.normal(size=(-(-count // WIDTH), WIDTH)), SMOOTH, mode="wrap")
        yield (field / field.std()).ravel()[:count]


def write_points(features, suffix=""):
    rng = np.random.default_rng(2)
    fields = np.column_stack(list(make_smooth_fields(rng, features))).astype(np.float32)
    noise = rng.normal(size=(count, features)).astype(np.float32)
    kinds = {"smooth": fields + np.float32(0.02) * noise}
    if not suffix:
        kinds |= {"noisy": fields + np.float32(0.3) * noise, "random": noise}
    for name, points in kinds.items():
        points[order_in_tiles()].tofile(folder / f"{name}{suffix}.f32")


write_light_gbm("lightgbm", 800, 63)
write_light_gbm_quantiles("quantiles")
write_cat_boost("catboost", 6)
write_x_g_boost("xgboost", 8)
write_scikit_learn("small-forest", forest(500), 300)
write_scikit_learn("forest", forest(200), 5_500)
write_scikit_learn("extra-trees", ExtraTreesRegressor(200, random_state=1, n_jobs=1), 3_500)
write_logarithm("logarithm")
write_scikit_learn("scaled-forest", make_pipeline(StandardScaler(), forest(200)), 5_500)
write_light_gbm("lightgbm-255", 100, 255)
write_light_gbm("lightgbm-511", 100, 511)
write_x_g_boost("xgboost-10", 10)
write_cat_boost("catboost-8", 8)
write_cat_boost("catboost-10", 10)
write_scikit_learn("five-targets", forest(100), 5_500, targets=5)
write_scikit_learn("grown-forest", forest(50), 20_000)
write_scikit_learn("forest-50", forest(50), 5_500, features=50)
write_scikit_learn("forest-150", forest(50), 5_500, features=150)
write_points(FEATURES)
write_points(50, "-50")
write_points(150, "-150")
