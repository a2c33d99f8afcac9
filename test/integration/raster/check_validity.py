"""Validates multipolygons with GEOS; reads [[[[x, y], ...], ...rings], ...parts], ...] and prints reasons."""

import json
import sys

import shapely

reasons = []
for parts in json.load(sys.stdin):
    polygons = [shapely.Polygon(rings[0], rings[1:]) for rings in parts]
    whole = polygons[0] if len(polygons) == 1 else shapely.MultiPolygon(polygons)
    reasons.append(shapely.is_valid_reason(whole))
print(json.dumps(reasons))
