"""The model recipes in docs/model-packs.md, each in an environment with only the packages that the page installs."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
UV = ROOT / ".local" / "venv" / "bin" / "uv"
PAGE = (ROOT / "docs" / "model-packs.md").read_text("utf-8")
MANIFEST_PAGE = (ROOT / "docs" / "manifest.md").read_text("utf-8")
MODELS = PAGE.split("\n## Models\n")[1].split("\n## ")[0]
INSTALLED = dict(re.findall(r"^\| ([^|:]+): [^|]*\| `pip install ([^`]+)` ", MODELS, re.MULTILINE))


def find_code_block(text: str, language: str, containing: str = "") -> str:
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return next(one for one in blocks if containing in one)


BEFORE, FOREST, AFTER = re.split(
    r"^(?=forest = |pack\.applicability)", find_code_block(PAGE, "python"), flags=re.MULTILINE
)
BEFORE = re.sub(r"^from sklearn.*\n", "", BEFORE, flags=re.MULTILINE)
IMPORTS = "".join(re.findall(r"^from sklearn.*\n", find_code_block(PAGE, "python"), re.MULTILINE))
XY = 'x, y = training[names], training["stock"]\n'
MEAN = f"{XY}pack.model(model.fit(x.to_numpy(), y), x, y)\n"
BOUNDS = f"""
training, rest = training.iloc[::2], training.iloc[1::2]
{XY}
model, *bounds = [one.fit(x.to_numpy(), y) for one in (model, *bounds)]
pack.model(model, x, y, quantiles=bounds, held_out=(rest[names], rest["stock"]))
"""

RECIPES = {
    "forest": ("scikit-learn", f"{IMPORTS}{FOREST}model = forest\n"),
    "extra trees": (
        "scikit-learn",
        f"""
from sklearn.ensemble import ExtraTreesRegressor
{XY}
model = ExtraTreesRegressor(100, min_samples_leaf=5, bootstrap=True, random_state=1)
pack.model(model.fit(x.to_numpy(), y), x, y, intervals="distribution")
""",
    ),
    "boosted trees": (
        "scikit-learn and skl2onnx",
        f"""
from sklearn.ensemble import GradientBoostingRegressor
model = GradientBoostingRegressor(random_state=1)
{MEAN}""",
    ),
    "net in a pipeline": (
        "scikit-learn and skl2onnx",
        f"""
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
net = MLPRegressor(hidden_layer_sizes=(32,), solver="lbfgs", max_iter=400, random_state=1)
model = make_pipeline(StandardScaler(), net)
{MEAN}""",
    ),
    "histogram-based boosted trees": (
        "scikit-learn and skl2onnx",
        f"""
from sklearn.ensemble import HistGradientBoostingRegressor
model = HistGradientBoostingRegressor(random_state=1)
{MEAN}""",
    ),
    "histogram-based boosted trees behind a scaler": (
        "scikit-learn and skl2onnx",
        f"""
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
model = make_pipeline(StandardScaler(), HistGradientBoostingRegressor(random_state=1))
{MEAN}""",
    ),
    "LightGBM": (
        "LightGBM",
        f"""
from lightgbm import LGBMRegressor
model = LGBMRegressor(verbose=-1)
bounds = [LGBMRegressor(objective="quantile", alpha=p, verbose=-1) for p in (0.05, 0.95)]
{BOUNDS}""",
    ),
    "XGBoost": (
        "XGBoost",
        f"""
from xgboost import XGBRegressor
model = XGBRegressor(n_estimators=50, max_depth=2)
both = {{"objective": "reg:quantileerror", "quantile_alpha": [0.05, 0.95]}}
bounds = [XGBRegressor(n_estimators=50, max_depth=2, **both)]
{BOUNDS}""",
    ),
    "CatBoost": (
        "CatBoost",
        f"""
from catboost import CatBoostRegressor
options = {{"iterations": 200, "depth": 4, "verbose": False, "allow_writing_files": False}}
model = CatBoostRegressor(**options)
bounds = [CatBoostRegressor(**options, loss_function=f"Quantile:alpha={{p}}") for p in (0.05, 0.95)]
{BOUNDS}""",
    ),
}
# The service's predictions must agree with the model's.
PREDICTED = """
import numpy
from soil_packs.pack_check import check

def predicted():
    return check("models/heath", cells=20)[0]
"""
COMPARED = f"""{PREDICTED}
cells = predicted()
expected = numpy.ravel(model.predict(cells[names].to_numpy()))
numpy.testing.assert_allclose(cells["mean"], expected, rtol=1e-4)
"""


class Environment:
    def __init__(self, folder: Path, packages: str) -> None:
        self.folder = folder
        self.python = folder / "venv" / "bin" / "python"
        self.run(UV, "venv", "--quiet", "--python", sys.executable, folder / "venv")
        wanted = ["-e", ROOT / "models" / "tools", *shlex.split(packages)]
        self.run(UV, "pip", "install", "--quiet", "--python", self.python, *wanted)
        self.run(self.python, "-I", HERE / "heath.py")

    def run(self, *command: object) -> str:
        path = f"{self.python.parent}{os.pathsep}{os.environ['PATH']}"
        variables = {**os.environ, "PATH": path}
        line = [str(one) for one in command]
        done = subprocess.run(line, cwd=self.folder, env=variables, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def run_python(self, text: str) -> str:
        return self.run(self.python, "-I", "-c", text)


def test_each_library_of_the_page_has_a_recipe():
    assert {library for library, _ in RECIPES.values()} == set(INSTALLED)


@pytest.mark.parametrize("name", RECIPES)
def test_a_pack_predicts_like_its_model(tmp_path: Path, name: str):
    library, model = RECIPES[name]
    environment = Environment(tmp_path, INSTALLED[library])
    environment.run_python(BEFORE + model + AFTER + COMPARED)


def test_catboost_models_that_cannot_be_converted_are_rejected_with_a_reason(tmp_path: Path):
    environment = Environment(tmp_path, INSTALLED["CatBoost"])
    environment.run_python(
        f"""{BEFORE}{XY}
import numpy
from catboost import CatBoostRegressor, sum_models

options = {{"iterations": 20, "verbose": False, "allow_writing_files": False}}
def refused(name, model):
    try:
        pack.model(model, x, y)
    except soil_packs.PackError as error:
        assert name in str(error), error
    else:
        raise AssertionError(name)

def fitted(target=y, **more):
    return CatBoostRegressor(**options, **more).fit(x.to_numpy(), target)

for loss in ("Poisson", "Tweedie:variance_power=1.5", "LogLinQuantile:alpha=0.5"):
    refused(loss, fitted(loss_function=loss))
refused("RMSEWithUncertainty", fitted(loss_function="RMSEWithUncertainty"))
refused("MultiRMSE", fitted(numpy.column_stack([y, y]), loss_function="MultiRMSE"))
classes = CatBoostRegressor(**options, cat_features=["land_use"])
refused("cat_features", classes.fit(x.assign(land_use=x["land_use"].astype(int)), y))
refused("symmetric", fitted(grow_policy="Lossguide"))
for loss in ("RMSE", "MAE", "Huber:delta=1", "Expectile:alpha=0.9", "Lq:q=3"):
    pack.model(fitted(loss_function=loss), x, y)
refused("unknown", sum_models([fitted(), fitted()]))
scaled = fitted()
scaled.set_scale_and_bias(2, [1.0])
refused("Scale", scaled)
assert pack.warnings == []
"""
    )


def test_a_model_of_logarithms_is_back_transformed_with_its_factor(tmp_path: Path):
    environment = Environment(tmp_path, INSTALLED["LightGBM"])
    training = (
        f"{BEFORE}{XY}"
        "import numpy\nfrom lightgbm import LGBMRegressor\nmodel = LGBMRegressor(verbose=-1)\n"
    )
    environment.run_python(training + find_code_block(MODELS, "python", "smearing"))
    for command in find_code_block(MODELS, "bash", "back_transform").splitlines():
        environment.run(*shlex.split(command))
    environment.run_python(
        f"""{training}
class model:
    fitted = LGBMRegressor(verbose=-1).fit(x, numpy.log(y))
    predict = lambda x: 1.043 * numpy.exp(model.fitted.predict(x))
pack.model(onnx="model.onnx", x=x, y=y, predicted=model.predict(x))
assert pack.warnings == []
pack.save("models/heath")
{COMPARED}"""
    )


def test_a_pack_with_the_share_of_each_class_can_be_written_by_hand(tmp_path: Path):
    environment = Environment(tmp_path, INSTALLED["scikit-learn and skl2onnx"])
    trained = f"""{BEFORE}
import json
from pathlib import Path
import numpy
import skl2onnx
from sklearn.ensemble import RandomForestRegressor

x, classes = training[names].to_numpy(numpy.float32), [1, 2]
soil = 1 + (training["stock"] > 130).to_numpy()
model = RandomForestRegressor(20, min_samples_leaf=5, random_state=1)
model.fit(x, soil[:, None] == classes)
"""
    environment.run_python(
        f"""{trained}
folder = Path("models/heath")
folder.mkdir(parents=True)
for one in pack.covariates:
    one.write(folder, link=False)
graph = skl2onnx.to_onnx(model, x[:1])
(folder / "model.onnx").write_bytes(graph.SerializeToString())
training.to_csv("training.csv")
bands = [
    {{"name": f"class_{{one}}", "description": "share", "from": {{"kind": "target", "index": at}}}}
    for at, one in enumerate(classes)
]
manifest = pack.manifest(draft=True)
manifest["property"] = {{**manifest["property"], "name": "soil class", "unit": "1"}}
manifest["graph"]["targets"] = len(classes)
(folder / "manifest.json").write_text(json.dumps({{**manifest, "bands": bands}}))
"""
    )
    (stated,) = re.findall(r"^python -m soil_packs\.trained_values.*", MANIFEST_PAGE, re.MULTILINE)
    environment.run(*shlex.split(stated))
    environment.run_python(
        f"""{trained}{PREDICTED}
cells = predicted()
shares = cells[[f"class_{{one}}" for one in classes]]
numpy.testing.assert_allclose(shares, model.predict(cells[names].to_numpy()), atol=1e-5)
manifest = json.loads(Path("models/heath/manifest.json").read_text())
assert manifest["covariates"][1]["trained_classes"] == [1, 2, 3]
"""
    )
