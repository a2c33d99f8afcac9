"""Tests the wheel in empty environments, with the oldest and the newest allowed dependencies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UV = ROOT / ".local" / "venv" / "bin" / "uv"
# The oldest supported Python, if the machine has it, and the Python of the tests.
PYTHONS = ("3.11", sys.executable)

PROGRAM = """
import sys, warnings
import soil_batch as sb

fields, folder = sys.argv[1:]
with sb.Client() as client:
    assert "8 jobs" in str(client.estimate(fields, year=2021, name="id"))
    table = client.predict(fields, year=2021, name="id", dir=folder, progress=False)
    assert list(table["status"]) == ["completed"] * 8, table
    run = client.open(folder)
    assert run.to_geodataframe().equals(table)
    assert "8 jobs" in str(run.total())
    assert "leaflet" in run.explore("mean", tiles=None).get_root().render()
import rasterio
with rasterio.open(table["path"].iloc[0]) as raster:
    assert raster.count == 3
"""


def run(*command: object, **options) -> str:
    done = subprocess.run([str(one) for one in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-d", folder, cwd=ROOT / "python")
    # Built from the sdist, as pip builds a package from a registry.
    (sdist,) = folder.glob("*.tar.gz")
    run("tar", "-xf", sdist, "-C", folder)
    source = folder / sdist.name.removesuffix(".tar.gz")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder / "two", cwd=source)
    (made,) = (folder / "two").glob("*.whl")
    return made


def test_the_wheel_contains_package_types_and_license(wheel: Path):
    names = zipfile.ZipFile(wheel).namelist()
    assert "soil_batch/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    others = [name for name in names if not name.startswith(("soil_batch/", "soil_batch-"))]
    assert others == []


def find_python(version: str) -> str | None:
    found = subprocess.run(
        [UV, "python", "find", "--no-python-downloads", version], capture_output=True, text=True
    )
    return found.stdout.strip() or None


@pytest.mark.parametrize("version", PYTHONS, ids=["oldest Python", "this Python"])
@pytest.mark.parametrize("resolution", ["lowest-direct", "highest"])
def test_the_wheel_predicts_maps_of_fields(
    wheel: Path, service, tmp_path: Path, version, resolution
):
    python = find_python(version)
    if python is None:
        pytest.skip(f"no Python {version} on this machine")
    venv = tmp_path / "venv"
    run(UV, "venv", "--quiet", "--python", python, venv)
    wanted = f"soil-batch[geo,notebook] @ {wheel.as_uri()}"
    chosen = ["--resolution", resolution, "--only-binary", ":all:"]
    own = venv / "bin" / "python"
    run(UV, "pip", "install", "--quiet", "--python", own, *chosen, wanted)
    environment = {
        **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        "SOIL_BASE_URL": service.url,
        "SOIL_API_KEY": service.api_key,
    }
    fields = ROOT / "examples" / "fields.gpkg"
    run(own, "-I", "-c", PROGRAM, fields, tmp_path / "maps", env=environment, cwd=tmp_path)


def test_without_extras_geojson_is_predicted_and_missing_packages_are_named(
    wheel: Path, service, tmp_path: Path
):
    venv = tmp_path / "venv"
    run(UV, "venv", "--quiet", "--python", sys.executable, venv)
    own = venv / "bin" / "python"
    run(UV, "pip", "install", "--quiet", "--python", own, f"soil-batch @ {wheel.as_uri()}")
    ring = [[5.736, 50.967], [5.7366, 50.967], [5.7366, 50.9676], [5.736, 50.967]]
    field = {"type": "Polygon", "coordinates": [ring]}
    (tmp_path / "f.geojson").write_text(json.dumps(field))
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "SOIL_BASE_URL": service.url,
        "SOIL_API_KEY": service.api_key,
    }
    command = [str(venv / "bin" / "soil-batch"), "run", "--year", "2021", "--yes"]

    def called(file: object) -> subprocess.CompletedProcess[str]:
        line = [*command, str(file)]
        return subprocess.run(line, env=environment, cwd=tmp_path, capture_output=True, text=True)

    done = called("f.geojson")
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (tmp_path / "f_2021").iterdir()}
    assert {"field-1_1990-1993.tif", "results.csv", "totals.json"} <= names
    assert "results.gpkg was not written: " in done.stderr
    refused = called(ROOT / "examples" / "fields.gpkg")
    assert refused.returncode == 1
    assert "pip install 'soil-batch[geo]'" in refused.stderr
    report = subprocess.run(
        [command[0], "report", "f_2021"], env=environment, cwd=tmp_path, capture_output=True
    )
    assert report.returncode == 0
