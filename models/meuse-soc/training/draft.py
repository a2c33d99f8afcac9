"""Step 2: creates the pack without a model, and reads the samples' covariates as the service reads them."""

from __future__ import annotations

from dataclasses import dataclass

import geopandas
import numpy as np
import pandas
import shapely
from rasterio.features import shapes

from covariates import EPSG, PACK, TRANSFORM, raster_of, resample_classes
from soil_packs import Pack, grid_of
from target import carbon_density

SAMPLES_LICENSE = {
    "license": "GPL-2.0-or-later",
    "citation": "Pebesma E., Bivand R. (2005) Classes and methods for spatial data in R, R News 5(2): the R"
    " package sp 1.6-0, data sets meuse, meuse.grid and meuse.riv; field data: Rikken M.G.J., Van Rijn R.P.G."
    " (1993) Soil pollution with heavy metals, Utrecht University; Burrough P.A., McDonnell R.A. (1998)"
    " Principles of Geographical Information Systems, Oxford University Press",
}
LICENSES = [
    {"part": "samples (data/meuse.csv)", **SAMPLES_LICENSE},
    {
        "part": "covariates (build/covariates), from data/meuse.grid.csv and meuse.riv.csv",
        **SAMPLES_LICENSE,
    },
    {
        "part": "trained model (build/model.onnx), derived from the samples",
        "license": "GPL-2.0-or-later",
        "citation": "Model pack meuse-soc 1.0.0 (random forest trained on the above)",
    },
]


def outline_coverage() -> geopandas.GeoDataFrame:
    """Outlines the mask with few corners; buffer and tolerance keep all cell centres inside."""
    inside = resample_classes("soil") > 0
    parts = shapes(inside.astype(np.uint8), mask=inside, transform=TRANSFORM)
    ground = shapely.union_all([shapely.geometry.shape(part) for part, _ in parts])
    outline = ground.buffer(24, join_style="mitre").simplify(36)
    return geopandas.GeoDataFrame(geometry=[outline], crs=EPSG)


def draft_pack() -> Pack:
    pack = Pack(
        "meuse-soc",
        "1.0.0",
        title="Soil organic carbon density of the Meuse flood plain near Stein (NL)",
        property={
            "name": "soil organic carbon density",
            "unit": "kg/m3",
            "substance": "carbon",
            "depth_cm": [0, 20],
        },
        sample_support="composite sample of about 15 × 15 m",
        not_for=[
            "places outside its 5 km²",
            "changes over years",
            "decisions about land or payments for carbon: it is a demonstration",
        ],
        grid=grid_of(raster_of("soil_class"), tile_size=128, block_tiles=1),
        coverage=outline_coverage(),
        data_period=(1990, 1993),
        graph_href="build/model.onnx",
        # Measured with `npm run pack-speed`.
        points_per_second=190_000,
        licenses=LICENSES,
    )

    def add_raster(name: str, description: str, **options: object) -> None:
        file = raster_of(name)
        href = file.relative_to(PACK).as_posix()
        pack.covariate(name, file, href=href, description=description, **options)

    to_river = (
        "Distance from the cell centre to the river's outline (meuse.riv); 0 inside the river"
    )
    soil = "Soil class: 1 Rd10A, 2 Rd90C/VII, 3 Bkd26/VII (meuse.grid, nearest neighbour)"
    flooding = (
        "Flooding class (1: every 2 years, 2: every 10, 3: every 50; meuse.grid, nearest neighbour), averaged"
        " inside the mask with a Gaussian kernel of 40 m"
    )
    oblique = "Oblique coordinate towards the north-{}, from the grid's south-west corner"
    add_raster("river_distance", to_river, unit="m")
    add_raster("soil_class", soil, classes=True, native_cell_size=40.0)
    add_raster("flooding", flooding, native_cell_size=40.0)
    pack.covariate("x", axis="x", description="Easting of the cell centre (RD New)")
    pack.covariate("y", axis="y", description="Northing of the cell centre (RD New)")
    add_raster("oblique_ne", oblique.format("east"), unit="m")
    add_raster("oblique_nw", oblique.format("west"), unit="m")
    return pack


@dataclass(frozen=True)
class Training:
    """The samples whose organic matter (%) was measured."""

    om: np.ndarray
    # The target and the standard deviation of its error (kg/m³).
    y: np.ndarray
    sd: np.ndarray
    # Samples × covariates.
    x: np.ndarray
    # Coordinates in RD New (m), and in WGS 84.
    places: np.ndarray
    lon_lat: np.ndarray


def read_samples(pack: Pack) -> Training:
    table = pandas.read_csv(PACK / "data" / "meuse.csv").dropna(subset="om")
    om, places = table["om"].to_numpy(), table[["x", "y"]].to_numpy(float)
    # Coordinates are whole metres. Moved half a metre to the south-east, a sample on an edge between cells certainly
    # lies in one of them.
    points = geopandas.points_from_xy(places[:, 0] + 0.5, places[:, 1] - 0.5, crs=EPSG)
    found = pack.sample(geopandas.GeoDataFrame(geometry=points))
    lon_lat = found[["lon", "lat"]].to_numpy()
    return Training(om, *carbon_density(om), found[pack.names].to_numpy(), places, lon_lat)
