"""Compares pairs of polygons with shapely; reads [[rings, rings], ...] and prints where the first of each pair lies relative to the second: "within" (edges included), "partly" (interiors meet) or "apart"."""

import json
import sys

import shapely

covers = []
for pair in json.load(sys.stdin):
    polygon, coverage = (shapely.Polygon(rings[0], rings[1:]) for rings in pair)
    if shapely.covers(coverage, polygon):
        covers.append("within")
    elif shapely.relate_pattern(coverage, polygon, "T********"):
        covers.append("partly")
    else:
        covers.append("apart")
print(json.dumps(covers))
