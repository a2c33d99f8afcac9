"""Computes perimeters of closed rings with GeographicLib; reads [[[lon, lat], ...], ...] and prints metres."""

import json
import sys

from pyproj import Geod

geod = Geod(ellps="WGS84")
perimeters = []
for ring in json.load(sys.stdin):
    lons, lats = zip(*ring)
    perimeters.append(geod.line_length(lons, lats))
print(json.dumps(perimeters))
