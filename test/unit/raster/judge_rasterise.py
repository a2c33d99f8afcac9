"""GDAL's cells for polygons already in cell space; reads and prints JSON.

In: {"width", "height", "polygons": [[[[col, row], ...], ...rings], ...]}
Out: [{"centre": [...], "touched": [...]}, ...], cells row by row.
"""

import json
import sys

from affine import Affine
from rasterio.features import rasterize


def main():
    request = json.load(sys.stdin)
    shape = (request["height"], request["width"])
    north_up = Affine(1, 0, 0, 0, -1, 0)
    answers = []
    for rings in request["polygons"]:
        mirrored = [[[col, -row] for col, row in ring] for ring in rings]
        geometry = {"type": "Polygon", "coordinates": mirrored}
        answers.append(
            {
                rule: rasterize(
                    [(geometry, 1)], out_shape=shape, transform=north_up, all_touched=touched
                )
                .ravel()
                .tolist()
                for rule, touched in (("centre", False), ("touched", True))
            }
        )
    print(json.dumps(answers))


main()
