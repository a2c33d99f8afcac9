"""Imports the packages of optional extras when they are first needed."""

from __future__ import annotations

import importlib
from typing import Any


def _load(name: str, extra: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.split(".")[0]
        raise ImportError(
            f"{package} is missing: pip install 'soil-batch[{extra}]' ({error})"
        ) from error


def pandas() -> Any:
    return _load("pandas", "geo")


def numpy() -> Any:
    return _load("numpy", "geo")


def geopandas() -> Any:
    return _load("geopandas", "geo")


def pyogrio() -> Any:
    _load("pyogrio.raw", "geo")
    return _load("pyogrio", "geo")


def rasterio() -> Any:
    _load("rasterio.warp", "geo")
    _load("rasterio.errors", "geo")
    return _load("rasterio", "geo")


def pyproj() -> Any:
    _load("pyproj.exceptions", "geo")
    return _load("pyproj", "geo")


def shapely() -> Any:
    _load("shapely.geometry", "geo")
    return _load("shapely", "geo")


def student_t() -> Any:
    return _load("scipy.stats", "correct").t


def clustering() -> Any:
    return _load("scipy.cluster.vq", "correct")


def require_notebook() -> None:
    for name in ("folium", "mapclassify", "matplotlib"):
        _load(name, "notebook")
