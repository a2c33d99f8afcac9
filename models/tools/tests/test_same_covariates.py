"""To save time, all cases share the values that the service read once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import geopandas
import numpy as np
import pandas
import pytest
import rasterio
from rasterio.transform import from_origin
from scipy.ndimage import gaussian_filter
from shapely.geometry import box
from sklearn.ensemble import RandomForestRegressor

import soil_packs
from soil_packs import PackError
from soil_packs.pack_check import check
from soil_packs.remarks import Remarks
from soil_packs.same_covariates import (
    are_rows_of,
    check_training,
    estimate_rounding,
)
from soil_packs.service import CellsAround, read_cells_around

WEST, NORTH, CELL, SIZE = 560_000, 5_836_000, 20, 96
PROPERTY = {"name": "clay", "unit": "%", "depth_cm": [0, 30]}
COUNT = 200


def make_smooth_field(rng: np.random.Generator, sigma: float = 1.5) -> np.ndarray:
    field = gaussian_filter(rng.normal(size=(SIZE, SIZE)), sigma)
    return field / field.std()


def fields() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    slope, ndvi = make_smooth_field(rng), 0.5 + 0.1 * make_smooth_field(rng)
    soil = np.digitize(make_smooth_field(rng, 4), [-0.5, 0.5]) + 1
    return {
        "slope": slope,
        "ndvi": ndvi,
        # Most of the variation of an index is the same each year.
        "ndvi_later": 0.5 + 0.6 * (ndvi - 0.5) + 0.08 * make_smooth_field(rng),
        "scaled": ndvi,
        "percent": np.clip(60 + 12 * slope, 0, 250),
        "soil": soil,
        "recoded": np.array([0, 3, 1, 2])[soil],
    }


def write_raster(path: Path, values: np.ndarray, dtype: str = "float32", scale: float = 1) -> Path:
    transform = from_origin(WEST, NORTH, CELL, CELL)
    profile = {"driver": "GTiff", "width": SIZE, "height": SIZE, "count": 1, "dtype": dtype}
    with rasterio.open(path, "w", **profile, crs="EPSG:25832", transform=transform) as raster:
        stored = values / scale
        raster.write((np.round(stored) if "int" in dtype else stored).astype(dtype), 1)
        raster.scales = [scale]
    return path


STORED = {"scaled": ("int16", 1e-4), "percent": ("uint8", 1), "soil": ("uint8", 1)}


@dataclass(frozen=True)
class SampledRasters:
    folder: Path
    table: pandas.DataFrame
    row: np.ndarray
    col: np.ndarray
    positions: np.ndarray
    exact: list[CellsAround | None]
    #: The cells around positions that are rounded to four decimals (7 and 11 m).
    rounded: list[CellsAround | None]
    steps: list[float]


def a_pack(folder: Path, names: list[str]) -> soil_packs.Pack:
    edge = box(WEST, NORTH - SIZE * CELL, WEST + SIZE * CELL, NORTH)
    pack = soil_packs.Pack(
        *("heath-clay", "0.1.0"),
        property=PROPERTY,
        grid=soil_packs.grid_of(folder / "slope.tif", tile_size=64),
        coverage=geopandas.GeoDataFrame(geometry=[edge], crs="EPSG:25832"),
        data_period=(2018, 2022),
    )
    for name in names:
        pack.covariate(name, folder / f"{name}.tif", classes=name in ("soil", "recoded"))
    return pack


@pytest.fixture(scope="module")
def rasters(tmp_path_factory) -> SampledRasters:
    folder = tmp_path_factory.mktemp("rasters")
    for name, values in fields().items():
        write_raster(folder / f"{name}.tif", values, *STORED.get(name, ()))
    rng = np.random.default_rng(2)
    row, col = rng.integers(2, SIZE - 2, (2, COUNT))
    inside = rng.uniform(0.02, 0.98, (2, COUNT))
    points = geopandas.points_from_xy(
        WEST + CELL * (col + inside[0]), NORTH - CELL * (row + inside[1]), crs="EPSG:25832"
    )
    pack = a_pack(folder, list(fields()))
    table = pack.sample(geopandas.GeoDataFrame(geometry=points))
    positions = table[["lon", "lat"]].to_numpy()
    rounded = positions.round(4)
    with pack._folder(draft=True) as draft:
        both = np.vstack([positions, rounded])
        around, steps = read_cells_around(
            draft, positions=both, rounding=estimate_rounding(rounded), year=None
        )
        exact, _ = read_cells_around(draft, positions=positions, rounding=(1e-6, 1e-6), year=None)
    return SampledRasters(folder, table, row, col, positions, exact, around[COUNT:], steps)


def compare(
    rasters: SampledRasters,
    x: dict[str, np.ndarray],
    served: dict[str, str] | None = None,
    rounded: bool = False,
) -> Remarks:
    """Compares training values with a pack. `served` names the raster that jobs read for a covariate, if not its own."""
    names, order = list(x), list(fields())
    picked = [order.index((served or {}).get(name, name)) for name in names]
    around = [
        None if one is None else CellsAround(one.values[picked])
        for one in (rasters.rounded if rounded else rasters.exact)
    ]
    return check_training(
        around,
        [rasters.steps[at] for at in picked],
        rasters.positions,
        np.column_stack(list(x.values())).astype(float),
        names=names,
        classes=[name for name in names if name in ("soil", "recoded")],
    )


def training_values(
    rasters: SampledRasters, *names: str, down: int = 0, right: int = 0
) -> dict[str, np.ndarray]:
    """Returns the true values in the samples' cells, or in cells that lie further down and right."""
    return {
        name: fields()[name][rasters.row + down, rasters.col + right].astype(float)
        for name in names
    }


Training = Callable[[SampledRasters], dict[str, np.ndarray]]

#: Training values, the rasters of the pack whose names differ from the covariates', and a pattern of the message.
WRONG: dict[str, tuple[Training, dict[str, str], str]] = {
    "classes recoded": (
        lambda of: training_values(of, "soil", "slope"),
        {"soil": "recoded"},
        "not similar",
    ),
    "two indices swapped": (
        lambda of: training_values(of, "slope", "ndvi"),
        {"slope": "ndvi", "ndvi": "slope"},
        "of ndvi",
    ),
    "a covariate shifted by a cell": (
        lambda of: training_values(of, "slope", right=1),
        {},
        "next cell to the east fits better",
    ),
    "a covariate shifted by a cell, with rounded positions": (
        lambda of: training_values(of, "slope", down=-1),
        {},
        "next cell to the north fits better",
    ),
    "classes shifted by a cell": (
        lambda of: training_values(of, "soil", down=1),
        {},
        "next cell to the south fits better",
    ),
    "another year": (lambda of: training_values(of, "ndvi"), {"ndvi": "ndvi_later"}, "not similar"),
    "min-max scaling only in training": (
        lambda of: {
            name: (values - values.min()) / np.ptp(values)
            for name, values in training_values(of, "slope", "ndvi").items()
        },
        {},
        "not similar",
    ),
    "a logarithm only in training": (
        lambda of: {"percent": np.log(training_values(of, "percent")["percent"])},
        {},
        "not similar",
    ),
    "a scale that was ignored in training": (
        lambda of: {"scaled": 1e4 * training_values(of, "scaled")["scaled"]},
        {},
        "not similar",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_training_on_other_values_is_rejected(rasters: SampledRasters, kind: str):
    training, served, says = WRONG[kind]
    found = compare(rasters, training(rasters), served, rounded="rounded" in kind)
    assert found.refusals
    assert any(pandas.Series(found.refusals).str.contains(says)), found.refusals


RIGHT: dict[str, tuple[Training, bool]] = {
    "the pack's own values": (
        lambda of: {name: of.table[name].to_numpy(float) for name in fields()},
        False,
    ),
    "float32 rasters read elsewhere": (lambda of: training_values(of, "slope", "ndvi"), False),
    "an int16 raster with a scale of 1e-4": (lambda of: training_values(of, "scaled"), False),
    "a uint8 raster": (lambda of: training_values(of, "percent"), False),
    "three classes": (lambda of: training_values(of, "soil"), False),
    "a table rounded to two decimals": (
        lambda of: {
            name: values.round(2) for name, values in training_values(of, "slope", "ndvi").items()
        },
        False,
    ),
    "a rounded table in float32": (
        lambda of: {
            name: values.round(2).astype(np.float32)
            for name, values in training_values(of, "slope", "ndvi").items()
        },
        False,
    ),
    "positions with four decimals": (lambda of: training_values(of, "slope", "ndvi", "soil"), True),
}


@pytest.mark.parametrize(("training", "rounded"), RIGHT.values(), ids=RIGHT)
def test_training_on_the_values_of_the_rasters_gives_no_warning(
    rasters: SampledRasters, training: Training, rounded: bool
):
    found = compare(rasters, training(rasters), rounded=rounded)
    assert (found.refusals, found.warnings) == ([], [])


def test_sixty_samples_with_the_values_of_the_rasters_give_no_warning(rasters: SampledRasters):
    few = SampledRasters(
        **{**vars(rasters), "exact": rasters.exact[:60], "positions": rasters.positions[:60]}
    )
    x = {
        name: values[:60]
        for name, values in training_values(rasters, "slope", "ndvi", "soil").items()
    }
    found = compare(few, x)
    assert (found.refusals, found.warnings) == ([], [])


def test_training_on_another_grid_gives_a_warning_with_figures(rasters: SampledRasters):
    rng = np.random.default_rng(3)
    values = training_values(rasters, "slope")["slope"]
    found = compare(rasters, {"slope": values + rng.normal(0, 0.15, COUNT)})
    (warning,) = found.warnings
    assert found.refusals == []
    assert "efficiency 0.9" in warning


def test_rows_that_cannot_be_compared_are_reported(rasters: SampledRasters):
    outside = SampledRasters(**{**vars(rasters), "exact": [None] * 20 + rasters.exact[20:]})
    found = compare(outside, training_values(rasters, "slope"))
    assert "20 of 200 rows" in found.figures[0]


def test_rows_of_a_sampled_table_are_recognised_in_any_order(rasters: SampledRasters):
    x = rasters.table[["slope", "soil"]].to_numpy(float)
    order = np.random.default_rng(1).permutation(COUNT)[:150]
    assert are_rows_of(x[order], x, [False, True])
    assert are_rows_of(x[order].round(2), x, [False, True])
    assert not are_rows_of(x[order] * [1, 2], x, [False, True])


# ---- In a pack and its commands.


@pytest.fixture(scope="module")
def forest(
    rasters: SampledRasters,
) -> tuple[RandomForestRegressor, pandas.DataFrame, pandas.Series]:
    x = rasters.table[["slope", "soil"]]
    y = pandas.Series(40 + 5 * x["slope"] + 3 * x["soil"], x.index)
    return RandomForestRegressor(5, random_state=1).fit(x.to_numpy(), y), x, y


def test_a_pack_rejects_training_values_that_its_rasters_do_not_have(
    rasters: SampledRasters, forest
):
    model, x, y = forest
    recoded = x.assign(soil=x["soil"].map({1: 2, 2: 3, 3: 1}))
    other = RandomForestRegressor(5, random_state=1).fit(recoded.to_numpy(), y)
    pack = a_pack(rasters.folder, ["slope", "soil"])
    with pytest.raises(PackError, match="soil: "):
        pack.model(other, recoded, y, positions=rasters.table)
    pack.sample(rasters.table)
    with pytest.raises(PackError, match="soil: "):
        pack.model(other, recoded, y)
    pack.model(model, x.iloc[::-1], y.iloc[::-1])
    assert pack.warnings == []


def test_sampled_rows_are_compared_with_the_map_of_the_year_for_which_they_were_sampled(
    rasters: SampledRasters,
):
    pack = a_pack(rasters.folder, ["slope"])
    pack.data_period = None
    files = [rasters.folder / f"{name}.tif" for name in ("ndvi", "ndvi_later")]
    pack.covariate("ndvi", dict(zip(("2015-2019", "2020-2022"), files)))
    x = pack.sample(rasters.table[["lon", "lat"]], year=2021)[["slope", "ndvi"]]
    x = x.assign(slope=2 * x["slope"])
    y = x["slope"] + x["ndvi"]
    model = RandomForestRegressor(5, random_state=1).fit(x.to_numpy(), y)
    with pytest.raises(PackError, match="slope: ") as refused:
        pack.model(model, x, y)
    assert "ndvi: " not in str(refused.value)


def test_pack_check_compares_the_training_table(rasters: SampledRasters, forest, tmp_path: Path):
    model, x, y = forest
    pack = a_pack(rasters.folder, ["slope", "soil"])
    pack.model(model, x, y)
    folder = pack.save(tmp_path / "heath")
    training = rasters.table[["lon", "lat", "slope", "soil"]].astype(str)
    shifted = training_values(rasters, "slope", right=1)["slope"].astype(str)
    assert check(folder, cells=5, training=training)[1].refusals == []
    (refusal,) = check(folder, cells=5, training=training.assign(slope=shifted))[1].refusals
    assert "fits better" in refusal
