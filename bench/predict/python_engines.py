"""python_engines.py FOLDER ENGINE POINTS: predicts with scikit-learn, treelite's interpreter (GTIL), or
treelite's C compiled by gcc (tl2cgen), on one thread; writes predictions.f32."""

import json
import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np

folder, engine, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
points = np.fromfile(folder / "points.f32", np.float32).reshape(-1, 8)[:count]
forest = pickle.loads((folder / "forest.pickle").read_bytes())


def compiled(model, trees):
    """The forest as C; the compiler orders branches by how often points take them."""
    import tl2cgen

    source = folder / f"c{trees}"
    library = source / "forest.so"
    if not library.exists():
        tl2cgen.generate_c_code(model, dirpath=str(source), params={"parallel_comp": 8})
        files = [str(file) for file in source.glob("*.c")]
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", str(library), *files], check=True)
    predictor = tl2cgen.Predictor(str(library), nthread=1)
    matrix = tl2cgen.DMatrix(points)
    return lambda: predictor.predict(matrix)


def prepared():
    if engine == "scikit-learn":
        forest.set_params(n_jobs=1)
        return importlib_version("scikit-learn"), 1, lambda: forest.predict(points)
    import treelite

    if engine == "treelite":
        model = treelite.sklearn.import_model(forest)
        return treelite.__version__, 1, lambda: treelite.gtil.predict(model, points, nthread=1)
    # gcc needs many minutes and gigabytes for 500 such trees, therefore a tenth of them.
    part = 10
    forest.estimators_ = forest.estimators_[: len(forest.estimators_) // part]
    forest.set_params(n_estimators=len(forest.estimators_))
    model = treelite.sklearn.import_model(forest)
    return importlib_version("tl2cgen"), part, compiled(model, len(forest.estimators_))


def importlib_version(package):
    import importlib.metadata

    return importlib.metadata.version(package)


version, part, predict = prepared()
wall, cpu = time.perf_counter(), time.process_time()
predictions = predict()
used = {"wall_s": (time.perf_counter() - wall) * part, "cpu_s": (time.process_time() - cpu) * part}
np.asarray(predictions, np.float32).ravel().tofile(folder / "predictions.f32")
print(json.dumps({**used, "version": version}))
