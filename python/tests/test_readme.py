"""The examples of README.md run as they stand."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import soil_batch as sb

ROOT = Path(__file__).resolve().parents[2]


def blocks() -> list[str]:
    text = (ROOT / "python" / "README.md").read_text("utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_runs_from_fields_to_a_table(service, tmp_path, monkeypatch):
    (tmp_path / "examples").mkdir()
    shutil.copy(ROOT / "examples" / "fields.gpkg", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOIL_BASE_URL", service.url)
    monkeypatch.setenv("SOIL_API_KEY", service.api_key)
    # The map in a notebook is in the notebook, which runs in the end-to-end tests.
    first, _, steps, *_ = blocks()
    names: dict[str, object] = {}
    exec(first, names)
    table = names["table"]
    assert (table["status"] == "completed").all()
    # The batch is finished: it can be cancelled as little as retried.
    exec(steps, names)
    run = names["run"]
    assert isinstance(run, sb.Run)
    assert len(run.to_geodataframe()) == 8
