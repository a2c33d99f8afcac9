"""Usage: python_evaluators.py FOLDER MODEL COVARIATES EVALUATOR COUNT POINTS…

Predicts on one thread, with the library that trained the model (evaluator "library") or with LightGBM's trees compiled
by lleaves ("lleaves"), and writes the predictions for each file of points."""

import importlib.metadata
import json
import os
import pickle
import sys
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np

# Converts the exponential of a mean logarithm to a mean, as in make_models.py.
FACTOR = 1.043
folder, model, evaluator = Path(sys.argv[1]), sys.argv[2], sys.argv[4]
covariates, count = int(sys.argv[3]), int(sys.argv[5])
kinds = sys.argv[6:]


def predict_columns(predictors):
    return lambda x: np.column_stack([predict(x) for predict in predictors])


def load_compiled(file):
    import lleaves

    found = lleaves.Model(model_file=str(file))
    found.compile(cache=str(file.with_suffix(".bin")))
    return lambda x: found.predict(x, n_jobs=1)


def load_light_gbm(file):
    import lightgbm

    booster = lightgbm.Booster(model_file=str(file))
    return lambda x: booster.predict(x, num_threads=1)


def load_predictor():
    targets = sorted(folder.glob(f"{model}.[0-9].txt"))
    if evaluator == "lleaves":
        return "lleaves", predict_columns([load_compiled(file) for file in targets])
    if targets:
        return "lightgbm", predict_columns([load_light_gbm(file) for file in targets])
    logarithm = folder / f"{model}.log.txt"
    if logarithm.exists():
        predict = load_light_gbm(logarithm)
        return "lightgbm", lambda x: FACTOR * np.exp(predict(x))
    if (folder / f"{model}.cbm").exists():
        from catboost import CatBoostRegressor

        found = CatBoostRegressor().load_model(str(folder / f"{model}.cbm"))
        return "catboost", lambda x: found.predict(x, thread_count=1)
    if (folder / f"{model}.ubj").exists():
        import xgboost

        booster = xgboost.Booster({"nthread": 1}, model_file=str(folder / f"{model}.ubj"))
        return "xgboost-cpu", booster.inplace_predict
    return "scikit-learn", pickle.loads((folder / f"{model}.pickle").read_bytes()).predict


library, predict = load_predictor()
cpu_s = {}
for kind in kinds:
    points = np.fromfile(folder / f"{kind}.f32", np.float32, count * covariates)
    points = points.reshape(-1, covariates)
    predict(points[:2_000])
    before = time.process_time()
    predictions = predict(points)
    cpu_s[kind] = time.process_time() - before
    np.asarray(predictions, np.float32).ravel().tofile(folder / f"{kind}.predictions")
print(json.dumps({"cpu_s": cpu_s, "versions": {library: importlib.metadata.version(library)}}))
