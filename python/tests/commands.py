from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from soil_batch.command.main import run_command


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    def submitted_jobs(self) -> list[int]:
        return [one["total_jobs"] for one in self.events if one["event"] == "submitted"]


class Command:
    def __init__(self, capsys, monkeypatch, folder: Path, url: str, key: str) -> None:
        self.folder = folder
        self.environment = {"SOIL_BASE_URL": url, "SOIL_API_KEY": key}
        self._capsys = capsys
        for name in ("V2_URL", "API_KEY", "SOIL_BASE_URL", "SOIL_API_KEY"):
            monkeypatch.delenv(name, raising=False)
        for name, value in self.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        monkeypatch.chdir(folder)

    def __call__(self, *args: object) -> Result:
        self._capsys.readouterr()
        code = run_command([str(one) for one in args])
        return Result(code, *self._capsys.readouterr())

    def start(self, *args: object, **options: Any) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "soil_batch", *map(str, args)]
        return subprocess.Popen(
            command,
            env={**os.environ, **self.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            **options,
        )


def triangle(position: int = 0) -> dict[str, Any]:
    """A triangle of 0.14 ha in the coverage of the default model."""
    lon, lat = 5.736 + position % 10 * 0.0004, 50.967 + position // 10 * 0.0004
    ring = [[lon, lat], [lon + 0.0006, lat], [lon + 0.0006, lat + 0.0006], [lon, lat]]
    return {"type": "Polygon", "coordinates": [ring]}


BOW_TIE = {
    "type": "Polygon",
    "coordinates": [
        [[5.735, 50.97], [5.745, 50.976], [5.745, 50.97], [5.735, 50.976], [5.735, 50.97]]
    ],
}


def write_fields(path: Path, fields: dict[str, Any] | list[tuple[str, Any]]) -> None:
    """Writes fields with the attributes `id` and `crop` as GeoJSON."""
    pairs = list(fields.items()) if isinstance(fields, dict) else fields
    features = [
        {"type": "Feature", "properties": {"id": name, "crop": at}, "geometry": geometry}
        for at, (name, geometry) in enumerate(pairs)
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))


def rows_of(folder: Path) -> dict[str, dict[str, str]]:
    text = (folder / "results.csv").read_text("utf-8-sig")
    return {row["name"]: row for row in csv.DictReader(io.StringIO(text))}


def rasters_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.tif"))
