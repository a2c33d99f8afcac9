"""What GDAL and pandas read in a folder of results, as JSON."""

import json
import sys
from pathlib import Path

import pandas as pd
import pyogrio
import rasterio
import shapely

folder = Path(sys.argv[1])


def layer(name):
    info = pyogrio.read_info(folder / name)
    _, _, geometries, columns = pyogrio.raw.read(folder / name)
    shapes = shapely.from_wkb(geometries)
    return {
        "crs": info["crs"],
        "geometry_type": info["geometry_type"],
        "types": dict(zip(info["fields"], info["ogr_types"])),
        "subtypes": dict(zip(info["fields"], info["ogr_subtypes"])),
        "rows": json.loads(
            pd.DataFrame(dict(zip(info["fields"], columns))).to_json(
                orient="records", date_format="iso"
            )
        ),
        "geometries": [shape and shape.geom_type for shape in shapes],
        "bounds": list(shapely.total_bounds(shapes)),
    }


def mosaic(path):
    with rasterio.open(path) as raster:
        return {
            "name": path.name,
            "crs": raster.crs.to_epsg(),
            "bounds": list(raster.bounds),
            "nodata": raster.nodata,
            "descriptions": raster.descriptions,
            "scales": raster.scales,
            "files": [Path(file).name for file in raster.files],
            "first_row": raster.read(1)[0].tolist(),
        }


failed = folder / "failed.geojson"
print(
    json.dumps(
        {
            "table": layer("results.gpkg"),
            "csv": json.loads(pd.read_csv(folder / "results.csv").to_json(orient="records")),
            "csv_columns": {
                "gdal": list(pyogrio.read_info(folder / "results.csv")["fields"]),
                "pandas": list(pd.read_csv(folder / "results.csv", encoding="utf-8-sig").columns),
            },
            "failed": layer("failed.geojson") if failed.exists() else None,
            "mosaics": [mosaic(path) for path in sorted(folder.glob("*.vrt"))],
        }
    )
)
