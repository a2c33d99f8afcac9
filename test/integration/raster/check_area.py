"""Computes areas of closed rings with GeographicLib; reads [[[lon, lat], ...], ...] and prints square metres."""

import json
import sys

from pyproj import Geod

geod = Geod(ellps="WGS84")
areas = []
for ring in json.load(sys.stdin):
    lons, lats = zip(*ring[:-1])
    areas.append(abs(geod.polygon_area_perimeter(lons, lats)[0]))
print(json.dumps(areas))
