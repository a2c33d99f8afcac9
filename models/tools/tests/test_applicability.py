from __future__ import annotations

import json

import geopandas
import numpy as np
import pandas
import pytest
from shapely.geometry import box
from sklearn.ensemble import RandomForestRegressor
from test_pack import CELL, NORTH, SIZE, STOCK, WEST, write_raster

import soil_packs
from soil_packs import PackError, applicability
from soil_packs.pack_check import check


@pytest.fixture(scope="module")
def landscape(tmp_path_factory) -> soil_packs.Pack:
    """A pack of hills with four land-use classes. No sample above the median altitude has class 1."""
    folder = tmp_path_factory.mktemp("landscape")
    rng = np.random.default_rng(5)
    rows, columns = np.mgrid[:SIZE, :SIZE] / SIZE
    altitude = 100 * np.sin(4 * rows) * np.cos(3 * columns) + 200 + rng.normal(0, 2, (SIZE, SIZE))
    use = 1 + (5 * rows + 7 * columns).astype(int) % 4
    wetness = 10 * columns + rng.normal(0, 1, (SIZE, SIZE))
    maps = {"altitude": altitude, "use": use, "wetness": wetness}
    edge = box(WEST, NORTH - SIZE * CELL, WEST + SIZE * CELL, NORTH)
    pack = soil_packs.Pack(
        "hills-soc",
        "0.1.0",
        property=STOCK,
        grid=soil_packs.grid_of(write_raster(folder / "altitude.tif", altitude), tile_size=64),
        coverage=geopandas.GeoDataFrame(geometry=[edge], crs="EPSG:25832"),
        data_period=(2018, 2022),
    )
    for name, values in maps.items():
        pack.covariate(name, write_raster(folder / f"{name}.tif", values), classes=name == "use")
    x = pandas.DataFrame({name: values.ravel() for name, values in maps.items()}).astype("float32")
    y = 60 + 0.1 * x["altitude"] - 5 * x["use"] - x["wetness"] + rng.normal(0, 3, len(x))
    is_upper = x["altitude"] > x["altitude"].median()
    known = x[~(is_upper & (x["use"] == 1))].sample(600, random_state=1).index
    forest = RandomForestRegressor(100, min_samples_leaf=5, random_state=1)
    forest.fit(x.loc[known].to_numpy(), y[known])
    pack.model(forest, x.loc[known], y[known], intervals="distribution")
    return pack


def test_cells_with_a_new_combination_of_covariates_are_mostly_outside(landscape, tmp_path):
    landscape.applicability(band=True)
    folder = landscape.save(tmp_path / "hills")
    cells, _ = check(folder, cells=4000)
    covariates = json.loads((folder / "manifest.json").read_text())["covariates"]
    beyond = np.zeros(len(cells), bool)
    for one in covariates:
        values = cells[one["name"]]
        low, high = one.get("trained_range", (1, 4))
        beyond |= (values < low) | (values > high)
    is_new = (cells["use"] == 1) & (cells["altitude"] > cells["altitude"].median())
    outside = cells["applicability"] == 0
    assert is_new.sum() > 200
    assert beyond[is_new].mean() < 0.03
    assert outside[is_new].mean() > 0.5
    assert outside[~is_new].mean() < 0.1


def test_the_pack_contains_the_training_points_and_says_which_folds_were_used(landscape, tmp_path):
    landscape.applicability(folds=np.arange(600) % 4)
    folder = landscape.save(tmp_path / "hills")
    manifest = json.loads((folder / "manifest.json").read_text())
    assert [band["name"] for band in manifest["bands"]] == ["mean", "q05", "q95"]
    points = np.fromfile(folder / "training.f32", "<f4").reshape(600, 3)
    assert (points == np.transpose(list(landscape.columns.values())).astype("float32")).all()
    area = manifest["applicability"]
    assert (max(area["weights"]), min(area["weights"]) >= 0) == (1, True)
    assert "given folds" in (folder / "README.md").read_text()
    landscape.applicability()
    assert "random folds, as none were given" in landscape.manifest()["applicability"]["how"]
    with pytest.raises(PackError, match="folds"):
        landscape.applicability(folds=[1, 2])


def test_at_most_ten_thousand_points_are_stored(landscape):
    rng = np.random.default_rng(1)
    x = rng.choice(np.transpose(list(landscape.columns.values())).astype("float32"), 10_500)
    y = rng.normal(60 - 5 * x[:, 1], 3)
    points, area = applicability.compute_area(landscape.graph, x, y, [1], None)
    assert points.shape == (10_000, 3)
    again, same = applicability.compute_area(landscape.graph, x, y, [1], None)
    assert (again == points).all()
    assert same == area
