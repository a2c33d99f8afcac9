"""The default model's recipe (models/meuse-soc/training) reproduces the shipped files."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

SHIPPED = Path(__file__).resolve().parents[2] / "meuse-soc"
MADE = ["build/model.onnx", "build/training.f32", "build/reference.json", "README.md"]


def test_the_recipe_of_the_default_model_reproduces_the_shipped_files(tmp_path: Path):
    pack = tmp_path / "meuse-soc"
    shutil.copytree(SHIPPED, pack, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.rmtree(pack / "build")
    (pack / "manifest.json").unlink()
    card = pack / "README.md"
    without_table, tables = re.subn(
        r"(?<=<!-- accuracy -->\n).*(?=<!-- /accuracy -->)", "", card.read_text(), flags=re.DOTALL
    )
    assert tables == 1
    card.write_text(without_table)
    for script in ("build.py", "reference.py"):
        command = [sys.executable, pack / "training" / script]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    manifest, shipped = (
        json.loads((folder / "manifest.json").read_text()) for folder in (pack, SHIPPED)
    )
    assert manifest == shipped
    rasters = [one["href"] for one in shipped["covariates"] if one["kind"] == "raster"]
    for name in [*rasters, *MADE]:
        assert (pack / name).read_bytes() == (SHIPPED / name).read_bytes(), name
