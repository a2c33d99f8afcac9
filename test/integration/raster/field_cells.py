"""Finds the cells of a polygon over a raster with exactextract, and computes plain double sums over cells with numpy.

Intervals use the formulas of `pack-errors`, so that the service is compared with them.
"""

import numpy as np
import pyproj
import rasterio
import shapely
from exactextract import exact_extract

from soil_packs.group_means import BoundedPredictions, ErrorModel, mean_interval, own_sd

BANDS = {"mean": 1, "lower": 2, "upper": 3}
# Edges are cut to this length in degrees, because an edge that is straight in WGS84 bends in the raster's CRS.
STEP = 1e-4
ROWS = 1000
SAME_METRES = 1e-3


def earth_centred(lon, lat):
    to_metres = pyproj.Transformer.from_crs("EPSG:4979", "EPSG:4978", always_xy=True)
    return np.column_stack(to_metres.transform(lon, lat, np.zeros(len(lon))))


def cells_of(job: dict) -> dict:
    """Returns, for {"path", "polygon", "proj4", "touched"}, the hectares, and each cell's weight, values and place."""
    sent = shapely.geometry.shape(job["polygon"])
    geod = pyproj.Geod(ellps="WGS84")
    to_grid = pyproj.Transformer.from_crs("EPSG:4326", job["proj4"], always_xy=True)
    polygon = shapely.transform(
        shapely.segmentize(sent, STEP), lambda at: np.column_stack(to_grid.transform(*at.T))
    )
    with rasterio.open(job["path"]) as raster:
        transform, crs, nodata, shape = raster.transform, raster.crs, raster.nodata, raster.shape
        bands = {name: raster.read(band).astype(float) for name, band in BANDS.items()}
    feature = {"type": "Feature", "properties": {}, "geometry": shapely.geometry.mapping(polygon)}
    # Take every cell that the polygon touches, in a raster of ones, so that no value is nodata.
    with rasterio.MemoryFile() as memory:
        profile = {"driver": "GTiff", "width": shape[1], "height": shape[0], "count": 1}
        with memory.open(**profile, dtype="uint8", crs=crs, transform=transform) as ones:
            ones.write(np.ones(shape, dtype="uint8"), 1)
        (found,) = exact_extract(memory.name, [feature], ["cell_id", "coverage"])
    cells = np.asarray(found["properties"]["cell_id"], dtype=int)
    coverage = np.asarray(found["properties"]["coverage"], dtype=float)
    row, col = np.divmod(cells, shape[1])

    x, y = transform @ (col + 0.5, row + 0.5)
    if not job["touched"]:
        belongs = shapely.contains_xy(polygon, x, y)
        row, col, coverage, x, y = (v[belongs] for v in (row, col, coverage, x, y))
    to_wgs84 = pyproj.Transformer.from_crs(job["proj4"], "EPSG:4326", always_xy=True)
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    outline = [to_wgs84.transform(*(transform @ (col + dc, row + dr))) for dc, dr in corners]
    ground = np.array(
        [
            abs(geod.polygon_area_perimeter(lon, lat)[0])
            for lon, lat in zip(
                np.column_stack([lon for lon, _ in outline]),
                np.column_stack([lat for _, lat in outline]),
            )
        ]
    )
    area = coverage * ground
    has_value = bands["mean"][row, col] != nodata
    hectares = abs(geod.geometry_area_perimeter(shapely.segmentize(sent, STEP))[0]) / 1e4
    return {
        "area": hectares,
        "predicted": hectares * float(area[has_value].sum() / area.sum()),
        "weight": area[has_value] / area[has_value].sum(),
        "values": {name: band[row, col][has_value] for name, band in bands.items()},
        "places": earth_centred(*to_wgs84.transform(x[has_value], y[has_value])),
    }


def interval_of(job: dict, weight, values: dict, places) -> dict:
    """Computes the mean of cells and its bounds, for {"correlation": {"nugget", "range"}, "z", "systematic", "standardised"}."""
    nugget, scale = job["correlation"]["nugget"], job["correlation"]["range"]
    z, systematic = job["z"], job["systematic"]
    cells = BoundedPredictions(places, observed=values["mean"], **values)
    mean = float(weight @ values["mean"])
    errors = ErrorModel(z, systematic, nugget, scale, job.get("standardised", 1))
    own = weight * own_sd(cells, errors)
    variance = (systematic * mean) ** 2
    for start in range(0, len(weight), ROWS):
        here = slice(start, start + ROWS)
        apart = np.linalg.norm(places[here, None] - places[None], axis=-1)
        # Overlapping fields share cells.
        correlated = np.where(apart < SAME_METRES, 1, (1 - nugget) * np.exp(-apart / scale))
        variance += own[here] @ correlated @ own
    se = float(np.sqrt(variance))
    lower, upper = mean_interval(cells, weight, se, errors)
    return {"mean": mean, "standard_error": se, "lower": lower, "upper": upper}
