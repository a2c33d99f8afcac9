"""Projects to a full definition of EPSG:28992 with PROJ; reads [[lon, lat], ...] and prints [[x, y], ...]."""

import json
import sys

from pyproj import Transformer

transformer = Transformer.from_crs("EPSG:4326", sys.argv[1], always_xy=True)
print(json.dumps([transformer.transform(*point) for point in json.load(sys.stdin)]))
