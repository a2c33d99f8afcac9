"""The recipe for conda-forge."""

from __future__ import annotations

import tomllib
from pathlib import Path

import yaml

PACKAGE = Path(__file__).resolve().parents[1]


def plain(requirements: list[str]) -> set[str]:
    return {one.replace(" ", "") for one in requirements}


def test_requires_what_the_package_and_its_extra_for_files_do():
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text("utf-8"))
    package = project["project"]
    recipe = yaml.safe_load((PACKAGE / "conda" / "recipe.yaml").read_text("utf-8"))
    requirements, python = recipe["requirements"], recipe["context"]["python_min"]
    assert package["requires-python"] == f">={python}"
    assert plain(requirements["run"]) == plain(
        [
            "python >=${{ python_min }}",
            *package["dependencies"],
            *package["optional-dependencies"]["geo"],
        ]
    )
    assert set(project["build-system"]["requires"]) <= plain(requirements["host"])
