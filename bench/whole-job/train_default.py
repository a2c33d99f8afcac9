"""train_default.py FOLDER: trains the forest of the default model as its pack does, and draws a square of
10 ha on its flood plain."""

import json
import pickle
import sys
from pathlib import Path

import numpy as np
from rasterio.warp import transform_geom

PACK = Path(__file__).resolve().parents[2] / "models" / "meuse-soc"
sys.path.append(str(PACK / "training"))
import area
import build
import covariates
import forest
from default_model import DefaultModel

folder = Path(sys.argv[1])
features = covariates.at_samples()
model, values, probability = build.train(features)
leaf_means = [
    forest.leaf_means(tree, tree.apply(features), counts, values)
    for tree, counts in forest.bags(model, len(features))
]
knots = np.array([forest.LOWER, *forest.THRESHOLDS, forest.UPPER])
trained = DefaultModel(model, leaf_means, knots, probability)
(folder / "forest.pickle").write_bytes(pickle.dumps(trained))

# Edges are not on cell boundaries, nor on centres.
west, south, edge = 179_603, 330_203, 316
ring = [
    (west, south),
    (west + edge, south),
    (west + edge, south + edge),
    (west, south + edge),
    (west, south),
]
square = {"type": "Polygon", "coordinates": [ring]}
(folder / "polygon.json").write_text(
    json.dumps(transform_geom(area.PROJ4, "EPSG:4326", square, precision=9))
)
print("{}")
