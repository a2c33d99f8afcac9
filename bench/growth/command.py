"""Runs each subcommand for some fields with a fake service, and prints the CPU seconds of each subcommand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import geopandas
from shapely.geometry import box

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python/tests"))

from service import start_dev_service

from fake_service import FakeService, Templates

SPACING, ACROSS = 200, 100
STARTS = 3
START = ("fields.gpkg", "--year", "2021", "--name-field", "id")
VERBS = {
    "estimate": ("estimate", *START),
    "submit": ("submit", *START, "--yes"),
    "watch": ("watch", "fields_2021"),
    "download": ("download", "fields_2021"),
    "run, nothing to do": ("run", *START, "--yes"),
    "download, nothing to do": ("download", "fields_2021"),
    "retry": ("retry", "fields_2021"),
    "report": ("report", "fields_2021"),
}


def write_fields(path: Path, count: int) -> None:
    places = [
        (180_000 + at % ACROSS * SPACING, 330_000 + at // ACROSS * SPACING) for at in range(count)
    ]
    geopandas.GeoDataFrame(
        {"id": [f"Field {at + 1}" for at in range(count)]},
        geometry=[box(x, y, x + 100, y + 100) for x, y in places],
        crs=28992,
    ).to_file(path)


def cpu_seconds(folder: Path, url: str, *args: str) -> float:
    """Returns the CPU time of the command and of the processes that it has waited for."""
    environment = {**os.environ, "SOIL_BASE_URL": url, "SOIL_API_KEY": "soc_growth"}
    # If this variable is unset, Python compiles a package once, like an installed package, instead of at each start.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    child = subprocess.Popen(
        [sys.executable, "-m", "soil_batch", *args],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(child.pid, 0)
    # Exit code 3 means that some jobs failed.
    if os.waitstatus_to_exitcode(status) not in (0, 3):
        raise RuntimeError(f"soil-batch {' '.join(args)} has failed")
    return used.ru_utime + used.ru_stime


def seconds_of_verbs(url: str, count: int) -> dict[str, float]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_fields(folder / "fields.gpkg", count)
        # The other times are expressed as multiples of this start-up time.
        start = min(cpu_seconds(folder, url, "--version") for _ in range(STARTS))
        verbs = {verb: cpu_seconds(folder, url, *args) for verb, args in VERBS.items()}
        return {"start": start, **verbs}


def main() -> None:
    development = start_dev_service(ROOT)
    try:
        templates = Templates(development.url, development.api_key)
    finally:
        development.stop()
    url = FakeService(templates).url
    # This run only compiles the packages.
    seconds_of_verbs(url, 10)
    found = [seconds_of_verbs(url, count) for count in map(int, sys.argv[1:])]
    print(json.dumps({verb: [one[verb] for one in found] for verb in found[0]}))


if __name__ == "__main__":
    main()
