"""The first example in python/README.md and the example of single steps run unchanged."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import soil_batch as sb

ROOT = Path(__file__).resolve().parents[2]


def blocks() -> list[str]:
    text = (ROOT / "python" / "README.md").read_text("utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_examples_of_predict_and_of_single_steps_work(service, tmp_path, monkeypatch):
    (tmp_path / "examples").mkdir()
    shutil.copy(ROOT / "examples" / "fields.gpkg", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOIL_BASE_URL", service.url)
    monkeypatch.setenv("SOIL_API_KEY", service.api_key)
    # The example with a map is in the notebook, which the end-to-end tests run.
    first, _, steps, *_ = blocks()
    names: dict[str, object] = {}
    exec(first, names)
    table = names["table"]
    assert (table["status"] == "completed").all()
    # The batch is finished, so cancelling and retrying have no effect.
    exec(steps, names)
    run = names["run"]
    assert isinstance(run, sb.Run)
    assert len(run.to_geodataframe()) == 8
