"""make_forest.py FOLDER TREES POINTS: makes a random forest, its ONNX graph, its samples and points to
predict. The random numbers have a fixed seed; trees are grown until leaves are pure, the default."""

import json
import pickle
import sys
from pathlib import Path

import numpy as np
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestRegressor

FEATURES, SAMPLES = 8, 1060
folder, trees, points = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(1)
x = rng.normal(size=(SAMPLES, FEATURES)).astype(np.float32)
y = x[:, 0] ** 2 + np.sin(3 * x[:, 1]) * 2 + x[:, 2] * x[:, 3] + rng.normal(size=SAMPLES) / 2 + 20
forest = RandomForestRegressor(trees, random_state=1).fit(x, y)

graph = to_onnx(forest, x[:1], target_opset={"": 17, "ai.onnx.ml": 3})
(folder / "forest.onnx").write_bytes(graph.SerializeToString())
(folder / "forest.pickle").write_bytes(pickle.dumps(forest))
header = ",".join([f"f{i}" for i in range(FEATURES)] + ["y"])
np.savetxt(folder / "samples.csv", np.column_stack([x, y]), "%.9g", ",", header=header, comments="")
rng.normal(size=(points, FEATURES)).astype(np.float32).tofile(folder / "points.f32")
nodes = sum(estimator.tree_.node_count for estimator in forest.estimators_)
print(json.dumps({"features": FEATURES, "nodes": nodes}))
