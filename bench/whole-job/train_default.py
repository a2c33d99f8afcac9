"""Trains the default model's forest with the training code of its pack, and draws a square of 10 ha on the flood plain.

Usage: train_default.py FOLDER"""

import csv
import json
import pickle
import sys
from pathlib import Path

import numpy as np
from rasterio.warp import transform_geom

PACK = Path(__file__).resolve().parents[2] / "models" / "meuse-soc"
sys.path += [str(PACK / "training"), str(PACK.parent / "tools")]
import forest
from default_model import DefaultModel
from target import carbon_density

folder = Path(sys.argv[1])
manifest = json.loads((PACK / "manifest.json").read_text())
with (PACK / "data" / "meuse.csv").open(newline="") as file:
    organic_matter = [float(row["om"]) for row in csv.DictReader(file) if row["om"]]
y, sd = carbon_density(np.array(organic_matter))
features = np.fromfile(PACK / manifest["applicability"]["href"], "<f4").reshape(len(y), -1)
trained = forest.train(features, y, forest.probabilities_with_error(y, sd))
probability = manifest["bands"][1]["from"]["probability"]
model = DefaultModel(trained.forest, trained.leaf_means(), np.array(forest.KNOTS), probability)
(folder / "forest.pickle").write_bytes(pickle.dumps(model))

# The edges are neither on cell boundaries nor on cell centres.
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
    json.dumps(transform_geom(manifest["grid"]["crs"]["proj4"], "EPSG:4326", square, precision=9))
)
print("{}")
