"""Compares results with the layers they were made from; GDAL reads both.

argument: a file with [{"raster": path, "layers": [path of mean, p16, p84], "polygon": GeoJSON}]; the polygons are boxes.
stdout: for each the numbers of cells, of cells with values and of differing values, the mean of the first band over
the polygon, and what the tags say.
"""

import json
import math
import sys
from pathlib import Path

import numpy as np
import rasterio
from rasterio.windows import Window

A, F = 6378137.0, 1 / 298.257223563
E2 = F * (2 - F)
E = math.sqrt(E2)


def zone_area(lat):
    """Returns the area per radian of longitude from the equator to a latitude, on the WGS84 ellipsoid (Snyder, 3-12)."""
    s = np.sin(np.radians(lat))
    return A * A * (1 - E2) / 2 * (s / (1 - E2 * s * s) - np.log((1 - E * s) / (1 + E * s)) / (2 * E))


def find_box(polygon):
    """Joins two boxes that meet at the antimeridian."""
    parts = [polygon["coordinates"]] if polygon["type"] == "Polygon" else polygon["coordinates"]
    crosses = len(parts) > 1
    lons = [x + 360 if crosses and x < 0 else x for (ring,) in parts for x, _ in ring]
    lats = [y for (ring,) in parts for _, y in ring]
    return min(lons), min(lats), max(lons), max(lats)


def read_window(path, first_col, first_row, width, height):
    """Reads a window of a global layer, which may cross the antimeridian or repeat the layer's first columns."""
    with rasterio.open(path) as layer:
        cols = np.arange(first_col, first_col + width) % round(360 / layer.transform.a)
        split = int(np.argmax(cols == 0)) if cols[0] > cols[-1] else 0
        parts = [(cols[0], split), (0, width - split)] if split else [(cols[0], width)]
        cells = np.hstack([layer.read(1, window=Window(c, first_row, n, height)) for c, n in parts])
        return cells, cells == layer.nodata, layer.transform


def compare_result(raster, layers, polygon):
    with rasterio.open(raster) as result:
        bands, nodata, transform = result.read(), result.nodata, result.transform
        tags = result.tags()
        quantiles = [result.tags(band).get("QUANTILE") for band in result.indexes]
    _, height, width = bands.shape
    with rasterio.open(layers[0]) as layer:
        world = layer.transform
    first_col, first_row = round((transform.c - world.c) / world.a), round((transform.f - world.f) / world.e)
    read = [read_window(path, first_col, first_row, width, height) for path in layers]
    west = transform.c + np.arange(width) * transform.a
    south = transform.f + (np.arange(height) + 1) * transform.e
    left, bottom, right, top = find_box(polygon)
    across = np.clip(np.minimum(west + transform.a, right) - np.maximum(west, left), 0, None)
    low, high = np.maximum(south, bottom), np.minimum(south - transform.e, top)
    up = np.where(high > low, zone_area(high) - zone_area(low), 0)
    part = up[:, None] * np.radians(across)[None, :]
    x, y = west + transform.a / 2, south - transform.e / 2
    inside = ((y > bottom) & (y < top))[:, None] & ((x > left) & (x < right))[None, :]
    valid = inside & ~np.any([missing for _, missing, _ in read], axis=0)
    expected = np.where(valid, np.stack([(cells * np.float64(0.1)).astype("f4") for cells, _, _ in read]), np.float32(nodata))
    return {
        "cells": int(inside.sum()), "valid": int(valid.sum()), "differing": int((bands != expected).sum()),
        "mean": float((bands[0] * part)[valid].sum() / part[valid].sum()),
        "data_period": tags["DATA_PERIOD"], "quantiles": quantiles,
    }


json.dump([compare_result(**job) for job in json.loads(Path(sys.argv[1]).read_text())], sys.stdout)
