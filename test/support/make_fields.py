"""Files of fields in a folder, written by GDAL; prints where PROJ puts their corners in WGS 84."""

import json
import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pyogrio
import shapely
from pyproj import Transformer

folder = Path(sys.argv[1])

# A corner near which fields lie, by EPSG code.
PLACES = {
    28992: (181000, 332500),
    27700: (451000, 223000),
    31370: (150000, 170000),
    25832: (500000, 5700000),
    3857: (600000, 6600000),
}
FORMATS = {"gpkg": "GPKG", "shp": "ESRI Shapefile", "fgb": "FlatGeobuf", "geojson": "GeoJSON"}


def fields_at(x, y):
    """Three fields a few hundred metres wide."""
    corners = [(0, 0), (190, 3.25), (185.5, 170), (0, 175)]
    starts = [x, x + 200, x + 40_000]
    return [shapely.Polygon([(start + dx, y + dy) for dx, dy in corners]) for start in starts]


def write(name, geometries, crs, driver="GPKG", layer=None, geometry_type="Polygon", **options):
    shapes = np.array(shapely.to_wkb(geometries), dtype=object)
    ids = np.array([f"veld {index + 1}" for index in range(len(geometries))], dtype=object)
    areas = np.array([1.5 * index for index in range(len(geometries))])
    columns = {"id": ids, "area": areas, **options.pop("columns", {})}
    pyogrio.raw.write(
        folder / name,
        shapes,
        list(columns.values()),
        list(columns),
        layer=layer,
        driver=driver,
        geometry_type=geometry_type,
        crs=crs,
        **options,
    )


expected = {}
for code, place in PLACES.items():
    fields = fields_at(*place)
    for ending, driver in FORMATS.items():
        write(f"{code}.{ending}", fields, f"EPSG:{code}", driver)
    transformer = Transformer.from_crs(code, 4326, always_xy=True, allow_ballpark=False)
    expected[code] = [
        [transformer.transform(*corner) for corner in field.exterior.coords] for field in fields
    ]

rd = fields_at(*PLACES[28992])
degrees = [shapely.box(5.75 + i / 100, 50.97, 5.755 + i / 100, 50.975) for i in range(2)]
point = shapely.Point(PLACES[28992])

write("layers.gpkg", rd, "EPSG:28992", layer="fields 2021")
write("layers.gpkg", rd[:1], "EPSG:28992", layer="trial", append=True)
write("capital.gpkg", rd, "EPSG:28992", layer="Äcker")
write("points.gpkg", [point], "EPSG:28992", geometry_type="Point")
write("empty.gpkg", [], "EPSG:28992")
write("heights.gpkg", shapely.force_3d(rd, 12.5), "EPSG:28992", geometry_type="Polygon Z")
write("no-crs.gpkg", rd, None)
write("no-crs.fgb", rd, None, "FlatGeobuf")
write("no-crs.shp", rd, None, "ESRI Shapefile")
# The west of the Netherlands by British coordinates: EPSG defines no conversion there.
write("outside.gpkg", fields_at(940_000, 160_000), "EPSG:27700")
(folder / "no-crs.csv").write_text(
    "id,area,wkt\n"
    + "".join(f'veld {i + 1},{1.5 * i:g},"{field.wkt}"\n' for i, field in enumerate(rd))
)
(folder / "table.csv").write_text("id,area\nveld 1,2\n")
(folder / "fields.kml").write_text(
    '<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>'
    + "".join(
        f"<Placemark><name>veld {i + 1}</name><Polygon><outerBoundaryIs><LinearRing><coordinates>"
        + " ".join(f"{x},{y},0" for x, y in field.exterior.coords)
        + "</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>"
        for i, field in enumerate(degrees)
    )
    + "</Document></kml>"
)
write("height-system.gpkg", rd, "EPSG:7415")


def archive(name, entries):
    """Entries are files of the folder by their name in the archive, or bytes."""
    with ZipFile(folder / name, "w", ZIP_DEFLATED) as made:
        for entry, content in entries.items():
            data = content if isinstance(content, bytes) else (folder / content).read_bytes()
            made.writestr(entry, data)


def shapefile(stem, prefix=""):
    return {f"{prefix}{stem}.{part}": f"{stem}.{part}" for part in ("shp", "shx", "dbf", "prj")}


archive("one.zip", {"__MACOSX/._28992.shp": b"\0", **shapefile("28992", "fields 2021/")})
archive("two.zip", {**shapefile("28992"), **shapefile("25832")})
archive("package.zip", {"read me.txt": b"Fields", "fields.gpkg": "28992.gpkg"})
archive("outside.zip", shapefile("28992", "../"))
archive("bomb.zip", {**shapefile("28992"), "28992.shp": bytes(200_000_000)})
archive("photos.zip", {"a.jpg": b"\xff\xd8"})
archive("empty.zip", {})

print(json.dumps(expected))
