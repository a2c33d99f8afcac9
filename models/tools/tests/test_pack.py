from __future__ import annotations

import json
from pathlib import Path

import geopandas
import lightgbm
import numpy as np
import onnx
import pandas
import pytest
import rasterio
import stock_pack
from shapely.geometry import box
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

import soil_packs
from soil_packs import PackError
from soil_packs.grid import find_proj4
from soil_packs.pack_check import check

WEST, NORTH, CELL, SIZE = 560_000, 5_836_000, 20, 128
STOCK = {"name": "soil organic carbon stock", "unit": "t/ha", "depth_cm": [0, 30]}


def write_raster(path: Path, values: np.ndarray, cell: int = CELL) -> Path:
    return stock_pack.write_raster(
        path, values, nodata=-1, corner=(WEST, NORTH), cell=cell, crs="EPSG:25832"
    )


@pytest.fixture(scope="module")
def rasters(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("rasters")
    rng = np.random.default_rng(1)
    rows, columns = np.mgrid[:SIZE, :SIZE]
    elevation = 40 + rows / 4 + rng.normal(0, 1, (SIZE, SIZE))
    return {
        "elevation": write_raster(folder / "elevation.tif", elevation),
        "land_use": write_raster(folder / "use.tif", 1 + (columns[::2, ::2] // 24) % 3, cell=40),
        "ndvi_a": write_raster(folder / "a.tif", rng.uniform(0, 1, (SIZE, SIZE))),
        "ndvi_b": write_raster(folder / "b.tif", rng.uniform(0, 1, (SIZE, SIZE))),
    }


@pytest.fixture(scope="module")
def samples() -> geopandas.GeoDataFrame:
    rng = np.random.default_rng(2)
    x = WEST + CELL * rng.uniform(2, SIZE - 2, 240)
    y = NORTH - CELL * rng.uniform(2, SIZE - 2, 240)
    return geopandas.GeoDataFrame(geometry=geopandas.points_from_xy(x, y), crs="EPSG:25832")


def a_pack(rasters: dict[str, Path], **options) -> soil_packs.Pack:
    grid = soil_packs.grid_of(rasters["elevation"], tile_size=64)
    edge = box(WEST, NORTH - SIZE * CELL, WEST + SIZE * CELL, NORTH)
    coverage = geopandas.GeoDataFrame(geometry=[edge], crs="EPSG:25832")
    described = {"property": STOCK, "grid": grid, "coverage": coverage, "data_period": (2018, 2022)}
    pack = soil_packs.Pack("heath-soc", "0.1.0", **{**described, **options})
    pack.covariate("elevation", rasters["elevation"], unit="m")
    pack.covariate("land_use", rasters["land_use"], classes=True)
    pack.covariate("x", axis="x")
    return pack


@pytest.fixture(scope="module")
def measured(rasters, samples) -> pandas.DataFrame:
    table = a_pack(rasters).sample(samples)
    rng = np.random.default_rng(3)
    stock = 2 * table["elevation"] + 8 * table["land_use"] + rng.normal(0, 4, len(table))
    return table.assign(stock=stock)


NAMES = ["elevation", "land_use", "x"]


def test_samples_get_the_covariates_that_the_service_reads(rasters, samples, measured):
    with rasterio.open(rasters["elevation"]) as raster:
        points = [(point.x, point.y) for point in samples.geometry]
        expected = [value for (value,) in raster.sample(points)]
    assert measured["elevation"].to_numpy() == pytest.approx(expected)
    assert set(measured["land_use"]) == {1, 2, 3}
    assert list(measured.columns[:2]) == ["lon", "lat"]


def test_a_forest_becomes_a_validated_pack(rasters, measured, tmp_path):
    licenses = [{"part": "samples", "license": "CC0-1.0", "citation": "us"}]
    pack = a_pack(rasters, licenses=licenses, not_for=["single trees"])
    training, held_out = measured.iloc[:180], measured.iloc[180:]
    forest = RandomForestRegressor(40, min_samples_leaf=5, random_state=1)
    x, y = training[NAMES], training["stock"]
    pack.model(forest.fit(x.to_numpy(), y), x, y, intervals="distribution")
    figures = pack.validate(held_out, target="stock", training=training)
    assert figures["accuracy"]["r2"]["value"] > 0.7

    rng = np.random.default_rng(4)
    withheld = measured[["lon", "lat", "stock"]].assign(
        mean=measured["stock"] + rng.normal(0, 4, len(measured)), fold=0
    )
    withheld = withheld.assign(q05=withheld["mean"] - 7, q95=withheld["mean"] + 7)
    withheld["fold"] = np.arange(len(withheld)) % 4
    assert pack.errors(withheld, target="stock")["error"]["correlation"]["range_m"] > 0

    folder = pack.save(tmp_path / "heath")
    manifest = json.loads((folder / "manifest.json").read_text())
    assert [band["name"] for band in manifest["bands"]] == ["mean", "q05", "q95"]
    assert manifest["covariates"][1]["resampling"] == "nearest"
    assert manifest["covariates"][1]["trained_classes"] == [1, 2, 3]
    assert "resampling" not in manifest["covariates"][0]
    assert [one["metric"] for one in manifest["accuracy"]][:2] == ["R2", "RMSE (t/ha)"]
    assert sorted(path.name for path in folder.iterdir()) == [
        *("README.md", "elevation.tif", "land_use.tif", "manifest.json", "model.onnx")
    ]
    assert manifest["not_for"] == ["single trees"]
    card = (folder / "README.md").read_text()
    assert "| R2 |" in card
    assert "- single trees" in card
    cells, _ = check(folder, cells=20)
    assert cells["mean"].to_numpy() == pytest.approx(forest.predict(cells[NAMES].to_numpy()), 1e-4)


def test_bounds_of_quantile_models_are_widened(rasters, measured, tmp_path):
    pack = a_pack(rasters)
    fit, rest = measured.iloc[:140], measured.iloc[140:]
    options = {"n_estimators": 40, "num_leaves": 8, "verbose": -1}
    bound = lambda alpha: {"objective": "quantile", "alpha": alpha}
    models = [
        lightgbm.LGBMRegressor(**options, **more).fit(fit[NAMES], fit["stock"])
        for more in ({}, bound(0.05), bound(0.95))
    ]
    held_out = (rest[NAMES], rest["stock"])
    pack.model(models[0], fit[NAMES], fit["stock"], quantiles=models[1:], held_out=held_out)
    folder = pack.save(tmp_path / "heath")
    cells, _ = check(folder, cells=20)
    assert cells["mean"].to_numpy() == pytest.approx(models[0].predict(cells[NAMES]), 1e-4)
    raw = models[1].predict(cells[NAMES])
    assert (cells["q05"].to_numpy() < raw).all()
    assert (cells["q95"].to_numpy() > models[2].predict(cells[NAMES])).all()


def a_pack_with_periods(rasters: dict[str, Path]) -> soil_packs.Pack:
    pack = a_pack(rasters)
    pack.covariate("ndvi", {"2015-2019": rasters["ndvi_a"], "2020-2022": rasters["ndvi_b"]})
    return pack


def test_covariates_by_period_are_sampled_in_the_period_of_the_year(rasters, samples):
    pack = a_pack_with_periods(rasters)
    assert pack.manifest()["temporal"] == {
        "kind": "period",
        "periods": [[2015, 2019], [2020, 2022]],
    }
    early, late = (pack.sample(samples, year=year)["ndvi"] for year in (2016, 2021))
    assert (early != late).all()


@pytest.mark.parametrize("year", [None, 2010])
def test_a_missing_year_and_a_year_without_a_map_are_invalid_options(rasters, samples, year):
    with pytest.raises(PackError, match="2015-2019") as refused:
        a_pack_with_periods(rasters).sample(samples, year=year)
    assert refused.value.exit_code == 2


@pytest.mark.parametrize(
    ("refused", "message"),
    [
        (lambda pack, t: pack.model(object(), t[NAMES], t["stock"]), "no converter"),
        (lambda pack, t: pack.model(None, t[NAMES], t["stock"]), "onnx="),
        (lambda pack, t: pack.model(object(), t[NAMES[::-1]], t["stock"]), "order"),
        (
            lambda pack, t: pack.model(object(), t[NAMES] * np.nan, t["stock"]),
            "missing or infinite values",
        ),
        (
            lambda pack, t: pack.model(
                ExtraTreesRegressor(5, criterion="absolute_error").fit(t[NAMES], t["stock"]),
                *(t[NAMES], t["stock"]),
                intervals="distribution",
            ),
            "bootstrap|criterion",
        ),
        (
            lambda pack, t: pack.model(
                lightgbm.LGBMRegressor(objective="poisson", n_estimators=2, verbose=-1).fit(
                    t[NAMES], t["stock"]
                ),
                *(t[NAMES], t["stock"]),
            ),
            "train on its logarithm",
        ),
        (lambda pack, t: pack.save("nowhere"), "no model"),
        (lambda pack, t: pack.covariate("slope", "missing.tif"), "does not exist"),
        (lambda pack, t: pack.sample(t[["lon"]]), "lon and lat"),
    ],
)
def test_errors_name_the_fault(rasters, measured, refused, message):
    with pytest.raises(ValueError, match=message):
        refused(a_pack(rasters), measured)


def test_a_missing_node_installation_is_explained(rasters, samples, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(PackError, match="install Node"):
        a_pack(rasters).sample(samples)


def test_a_users_graph_with_targets_besides_mean_and_bounds_is_rejected(
    rasters, measured, tmp_path
):
    forest = RandomForestRegressor(40, random_state=1).fit(measured[NAMES], measured["stock"])
    pack = a_pack(rasters)
    pack.model(forest, measured[NAMES], measured["stock"], intervals="distribution")
    onnx.save(pack.graph, tmp_path / "own.onnx")
    with pytest.raises(PackError, match="targets; expected"):
        pack.model(x=measured[NAMES], y=measured["stock"], onnx=tmp_path / "own.onnx")


@pytest.mark.parametrize(
    ("epsg", "shift"),
    [
        (28992, "+towgs84=565.4171,50.3319,465.5524,-0.398957388243134,0.343987817378283,"),
        (25832, "+towgs84=0,0,0"),
        (2154, "+towgs84=0,0,0"),
        (32631, "+datum=WGS84"),
    ],
)
def test_a_grid_declares_the_datum_shift(epsg: int, shift: str):
    assert shift in find_proj4(epsg)
