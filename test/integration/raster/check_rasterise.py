"""Rasterises polygons in cell space with GDAL and shapely; reads and prints JSON.

In: {"width", "height", "polygons": [[[[[col, row], ...], ...rings], ...parts], ...]}
Out: [{"centre", "inside", "touched", "intersected", "by_part"}, ...]: GDAL's cells by centre, shapely's cells by centre, GDAL's touched cells, shapely's intersecting cells, and shapely's cells of each part by centre or, if the part covers no centre, by touch; each as base64, with a byte per cell, row by row.
"""

import base64
import json
import sys

import numpy as np
import shapely
from affine import Affine
from rasterio.features import rasterize

NORTH_UP = Affine(1, 0, 0, 0, -1, 0)


def main():
    request = json.load(sys.stdin)
    shape = (request["height"], request["width"])
    rows, cols = np.mgrid[0 : shape[0], 0 : shape[1]] + 0.5
    cells = shapely.box(cols - 0.5, rows - 0.5, cols + 0.5, rows + 0.5)
    results = []
    for parts in request["polygons"]:
        mirrored = [[[[col, -row] for col, row in ring] for ring in rings] for rings in parts]
        geometry = {"type": "MultiPolygon", "coordinates": mirrored}
        masks = {
            rule: rasterize(
                [(geometry, 1)], out_shape=shape, transform=NORTH_UP, all_touched=touched
            )
            for rule, touched in (("centre", False), ("touched", True))
        }
        polygon = shapely.multipolygons(
            [shapely.Polygon(rings[0], rings[1:]) for rings in parts]
        )
        shapely.prepare(polygon)
        west, north, east, south = np.floor(polygon.bounds).astype(int)
        near = np.s_[max(north, 0) : max(south + 1, 0), max(west, 0) : max(east + 1, 0)]
        for name in ("inside", "intersected", "by_part"):
            masks[name] = np.zeros(shape, "u1")
        masks["inside"][near] = shapely.contains_xy(polygon, cols[near], rows[near])
        masks["intersected"][near] = shapely.intersects(polygon, cells[near])
        for part in polygon.geoms:
            shapely.prepare(part)
            inside = shapely.contains_xy(part, cols[near], rows[near])
            has_centre = inside.any()
            masks["by_part"][near] |= inside if has_centre else shapely.intersects(part, cells[near])
        results.append(
            {
                name: base64.b64encode(mask.astype("u1").tobytes()).decode()
                for name, mask in masks.items()
            }
        )
    print(json.dumps(results))


main()
