"""make_models.py FOLDER POINTS: trains the benchmark's models, writes their ONNX graphs and the points to
predict. All random numbers have fixed seeds."""

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

sys.path.append(str(Path(__file__).parents[2] / "models/tools"))
from soil_packs import lightgbm_to_onnx, tree_ensemble

FEATURES = 16
WIDTH = 1000
# Cells over which a smooth covariate changes.
SMOOTH = 30
QUANTILES = (0.05, 0.5, 0.95)
folder, count = Path(sys.argv[1]), int(sys.argv[2])


def samples(number):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(number, FEATURES)).astype(np.float32)
    y = x[:, 0] ** 2 + np.sin(3 * x[:, 1]) * 2 + x[:, 2] * x[:, 3] + x[:, 4:].sum(axis=1) / 4
    return x, y + rng.normal(size=number) / 2 + 20


def light_gbm(trees, leaves, **parameters):
    fixed = {"num_leaves": leaves, "learning_rate": 0.05, "verbose": -1, "num_threads": 1}
    data = lightgbm.Dataset(*samples(20_000))
    return lightgbm.train(fixed | {"objective": "regression"} | parameters, data, trees)


def one_light_gbm(name):
    booster = light_gbm(800, 63)
    write(name, lightgbm_to_onnx.model_of(booster))
    booster.save_model(folder / f"{name}.0.txt")


def light_gbm_quantiles(name):
    trees = []
    for target, alpha in enumerate(QUANTILES):
        booster = light_gbm(300, 31, objective="quantile", alpha=alpha)
        booster.save_model(folder / f"{name}.{target}.txt")
        for info in booster.dump_model()["tree_info"]:
            tree = lightgbm_to_onnx.tree_of(info["tree_structure"])
            tree["targets"] = np.outer(tree["value"], np.eye(len(QUANTILES))[target])
            trees.append(tree)
    write(name, tree_ensemble.model_of(trees, FEATURES, "SUM", "lightgbm"))


def cat_boost(name):
    model = CatBoostRegressor(
        iterations=500, depth=6, learning_rate=0.05, random_seed=1, verbose=0, allow_writing_files=False
    )
    model.fit(*samples(20_000))
    model.save_model(str(folder / f"{name}.onnx"), format="onnx")
    model.save_model(str(folder / f"{name}.cbm"))


def x_g_boost(name):
    model = xgboost.XGBRegressor(
        n_estimators=500, max_depth=8, learning_rate=0.05, random_state=1, n_jobs=1
    )
    model.fit(*samples(20_000))
    types = [("X", FloatTensorType([None, FEATURES]))]
    write(name, onnxmltools.convert_xgboost(model, initial_types=types, target_opset=15))
    model.save_model(folder / f"{name}.ubj")


def scikit_learn(name, forest, number):
    x, y = samples(number)
    forest.set_params(random_state=1, n_jobs=1).fit(x, y)
    write(name, to_onnx(forest, x[:1], target_opset={"": 17, "ai.onnx.ml": 3}))
    (folder / f"{name}.pickle").write_bytes(pickle.dumps(forest))


def write(name, graph):
    (folder / f"{name}.onnx").write_bytes(graph.SerializeToString())


def smooth_fields(rng):
    """One map of each covariate: row by row, with a standard deviation of 1."""
    for _ in range(FEATURES):
        field = gaussian_filter(rng.normal(size=(-(-count // WIDTH), WIDTH)), SMOOTH, mode="wrap")
        yield (field / field.std()).ravel()[:count]


def write_points():
    rng = np.random.default_rng(2)
    fields = np.column_stack(list(smooth_fields(rng)))
    noise = rng.normal(size=(count, FEATURES))
    for name, points in {
        "smooth": fields + 0.02 * noise,
        "noisy": fields + 0.3 * noise,
        "random": noise,
    }.items():
        points.astype(np.float32).tofile(folder / f"{name}.f32")


one_light_gbm("lightgbm")
light_gbm_quantiles("quantiles")
cat_boost("catboost")
x_g_boost("xgboost")
scikit_learn("small-forest", RandomForestRegressor(500), 300)
scikit_learn("forest", RandomForestRegressor(200), 5_500)
scikit_learn("extra-trees", ExtraTreesRegressor(200), 3_500)
write_points()
