"""Right packs of several kinds of models: no command refuses them or warns."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import geopandas
import lightgbm
import numpy as np
import onnx
import onnxruntime
import pandas
import pytest
from onnx import numpy_helper
from onnx.helper import make_graph, make_model, make_node, make_opsetid, make_tensor_value_info
from scipy.ndimage import gaussian_filter
from shapely.geometry import box
from sklearn.ensemble import RandomForestRegressor
from sklearn.neural_network import MLPRegressor
from stock_pack import write_raster

import soil_packs
from soil_packs import commands
from soil_packs.conformal import margin
from soil_packs.graphs import merged
from soil_packs.service import predict

WEST, NORTH, CELL, SIZE = 560_000, 5_836_000, 20, 256
STOCK = {"name": "soil organic carbon stock", "unit": "t/ha", "depth_cm": [0, 30]}
NAMES = ["f0", "f1", "f2", "f3"]
#: Blocks of samples, on a lattice so that none overlap.
BLOCKS, OF_BLOCK, BLOCK_M, LATTICE_M = 200, 10, 150, 300
#: Of what the covariates do not explain.
RANGE_M, NUGGET, RESIDUAL_SD = 150, 0.4, 2


@dataclass(frozen=True)
class World:
    """A landscape with samples in blocks, of which each has one purpose."""

    rasters: dict[str, Path]
    samples: pandas.DataFrame

    def pack(self) -> soil_packs.Pack:
        edge = box(WEST, NORTH - SIZE * CELL, WEST + SIZE * CELL, NORTH)
        pack = soil_packs.Pack(
            *("heath-soc", "0.1.0"),
            property=STOCK,
            grid=soil_packs.grid_of(self.rasters["f0"], tile_size=128),
            coverage=geopandas.GeoDataFrame(geometry=[edge], crs="EPSG:25832"),
            data_period=(2018, 2022),
        )
        for name, path in self.rasters.items():
            pack.covariate(name, path)
        return pack

    def part(self, purpose: str) -> pandas.DataFrame:
        return self.samples[self.samples["purpose"] == purpose]


def stock_of(f: np.ndarray) -> np.ndarray:
    """What the model of `test/fixtures/models/ranger.onnx` was trained on."""
    return f[0] ** 2 + np.sin(3 * f[1]) + f[2] * f[3] + 30


def world(folder: Path, seed: int) -> World:
    rng = np.random.default_rng(seed)
    fields = [gaussian_filter(rng.normal(size=(SIZE, SIZE)), 1.5) for _ in range(3)]
    fields = [field / field.std() for field in fields]
    fields.append(rng.integers(0, 5, (SIZE, SIZE)).astype(float))
    rasters = {name: folder / f"{name}.tif" for name in NAMES}
    for path, field in zip(rasters.values(), fields):
        write_raster(path, field, corner=(WEST, NORTH), cell=CELL, crs="EPSG:25832")
    across = SIZE * CELL // LATTICE_M
    places = rng.permutation(across**2)[:BLOCKS]
    corners = LATTICE_M * np.column_stack(np.divmod(places, across))
    offsets = np.repeat(corners, OF_BLOCK, 0) + rng.uniform(0, BLOCK_M, (BLOCKS * OF_BLOCK, 2))
    col, row = (offsets // CELL).astype(int).T
    apart = np.hypot(*(offsets[:, None] - offsets).transpose(2, 0, 1))
    rho = (1 - NUGGET) * np.exp(-apart / RANGE_M) + NUGGET * np.eye(len(apart))
    residual = RESIDUAL_SD * np.linalg.cholesky(rho) @ rng.normal(size=len(rho))
    stock = stock_of(np.array([field[row, col] for field in fields])) + residual
    points = geopandas.points_from_xy(WEST + offsets[:, 0], NORTH - offsets[:, 1])
    table = geopandas.GeoDataFrame(geometry=points, crs="EPSG:25832")
    made = World(rasters, table)
    sampled = made.pack().sample(table)
    block = np.repeat(np.arange(BLOCKS), OF_BLOCK)
    purposes = np.repeat(["train", "calibrate", "prove"], [125, 50, 25])[block]
    columns = sampled[["lon", "lat", *NAMES]].assign(stock=stock, block=block, purpose=purposes)
    return World(rasters, columns)


def inputs(table: pandas.DataFrame) -> tuple[pandas.DataFrame, pandas.Series]:
    return table[NAMES], table["stock"]


# ---- Models of each kind, trained and calibrated on blocks of their own.


def forest(pack: soil_packs.Pack, of: World, seed: int) -> None:
    x, y = inputs(of.part("train"))
    model = RandomForestRegressor(100, min_samples_leaf=5, random_state=seed)
    pack.model(model.fit(x.to_numpy(), y), x, y, intervals="distribution")


def boosted(pack: soil_packs.Pack, of: World, seed: int) -> None:
    x, y = inputs(of.part("train"))
    options = {"n_estimators": 60, "num_leaves": 8, "learning_rate": 0.1, "verbose": -1}
    models = [
        lightgbm.LGBMRegressor(**options, random_state=seed, **more).fit(x, y)
        for more in ({}, *({"objective": "quantile", "alpha": alpha} for alpha in (0.05, 0.95)))
    ]
    pack.model(models[0], x, y, quantiles=models[1:], held_out=inputs(of.part("calibrate")))


def net(pack: soil_packs.Pack, of: World, seed: int) -> None:
    x, y = inputs(of.part("train"))
    model = MLPRegressor(hidden_layer_sizes=(24,), alpha=1, max_iter=3000, random_state=seed)
    model.fit(x.to_numpy(), y)
    half = half_width(of, lambda x: model.predict(x))
    first, last = model.coefs_
    weights = {
        "w0": first,
        "b0": model.intercepts_[0],
        "w1": np.tile(last, 3),
        "b1": model.intercepts_[1] + [0, -half, half],
    }
    nodes = [
        make_node("Gemm", ["x", "w0", "b0"], ["hidden"]),
        make_node("Relu", ["hidden"], ["active"]),
        make_node("Gemm", ["active", "w1", "b1"], ["y"]),
    ]
    ends = [make_tensor_value_info(*end) for end in (("x", 1, [None, 4]), ("y", 1, [None, 3]))]
    constants = [
        numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()
    ]
    graph = make_graph(nodes, "net", ends[:1], ends[1:], constants)
    own(pack, of, make_model(graph, opset_imports=[make_opsetid("", 17)], ir_version=8))


def ranger(pack: soil_packs.Pack, of: World, _: int) -> None:
    graph = onnx.load(commands.ROOT / "test/fixtures/models/ranger.onnx")
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    name = session.get_inputs()[0].name
    half = half_width(of, lambda x: session.run(None, {name: x.astype(np.float32)})[0].ravel())
    own(pack, of, merged([graph] * 3, [0, -half, half]))


def half_width(of: World, predict: Callable[[np.ndarray], np.ndarray]) -> float:
    """Of bounds around the mean that hold on the samples for calibration."""
    x, y = inputs(of.part("calibrate"))
    predicted = predict(x.to_numpy())
    return margin(y, predicted, predicted)


def own(pack: soil_packs.Pack, of: World, graph: onnx.ModelProto) -> None:
    path = of.rasters["f0"].with_name("own.onnx")
    onnx.save(graph, path)
    x, y = inputs(of.part("train"))
    pack.model(x=x, y=y, onnx=path)


Kind = Callable[[soil_packs.Pack, World, int], None]
PACKS: list[tuple[Kind, int]] = [
    (kind, seed) for kind in (forest, boosted, net, ranger) for seed in (1, 2, 3)
]


@pytest.mark.parametrize(
    ("kind", "seed"),
    # All run at night.
    PACKS if os.environ.get("EVERY_RUN") else [(boosted, 1)],
)
def test_a_right_pack_has_no_alarm(kind: Kind, seed: int, tmp_path: Path):
    of = world(tmp_path, seed)
    pack = of.pack()
    kind(pack, of, seed)
    folder = pack.save(tmp_path / "heath")
    withheld = of.part("calibrate")
    found = predict(folder, positions=withheld[["lon", "lat"]].to_numpy())
    bands = dict(zip(("mean", "q05", "q95"), found.bands.T))
    pack.errors(withheld.assign(**bands, fold=withheld["block"] % 4), target="stock")
    found = pack.validate(
        of.part("prove"), target="stock", group="block", training=of.part("train")
    )
    pack.save(tmp_path / "heath")
    assert pack.warnings == []
    assert found["refusals"] == []
    assert found["accuracy"]["r2"]["value"] > 0.3
