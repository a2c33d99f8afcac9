from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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
from soil_packs.graphs import merge_graphs
from soil_packs.service import predict

WEST, NORTH, CELL, SIZE = 560_000, 5_836_000, 20, 256
STOCK = {"name": "soil organic carbon stock", "unit": "t/ha", "depth_cm": [0, 30]}
NAMES = ["f0", "f1", "f2", "f3"]
#: The edge of a block of samples, and the spacing of the lattice on which the blocks' corners lie.
BLOCK_M, LATTICE_M = 150, 300
#: Range, nugget and standard deviation of the residuals.
RANGE_M, NUGGET, RESIDUAL_SD = 150, 0.4, 2


@dataclass(frozen=True)
class Kind:
    property: dict[str, Any] = field(default_factory=lambda: STOCK)
    #: Converts the stock to the measured property.
    measured: Callable[[np.ndarray], np.ndarray] = lambda stock: stock
    dtype: str = "float32"
    scale: float = 1
    cell: int = CELL
    classes: bool = False
    #: Decimals to which the training values are rounded; None for the service's own values.
    decimals: int | None = None
    #: Blocks to train, calibrate and validate; without blocks to calibrate, the correlation of errors stays unknown.
    blocks: tuple[int, int, int] = (125, 50, 25)
    of_block: int = 10


USUAL = Kind()


@dataclass(frozen=True)
class World:
    """A landscape with samples in blocks. Each block has one purpose: to train, to calibrate or to validate."""

    rasters: dict[str, Path]
    samples: pandas.DataFrame
    kind: Kind

    def pack(self) -> soil_packs.Pack:
        edge = box(WEST, NORTH - SIZE * self.kind.cell, WEST + SIZE * self.kind.cell, NORTH)
        pack = soil_packs.Pack(
            *("heath-soc", "0.1.0"),
            property=self.kind.property,
            grid=soil_packs.grid_of(self.rasters["f0"], tile_size=128),
            coverage=geopandas.GeoDataFrame(geometry=[edge], crs="EPSG:25832"),
            data_period=(2018, 2022),
        )
        for name, path in self.rasters.items():
            pack.covariate(name, path, classes=self.kind.classes and name == NAMES[-1])
        return pack

    def part(self, purpose: str) -> pandas.DataFrame:
        return self.samples[self.samples["purpose"] == purpose]


def compute_stock(f: np.ndarray) -> np.ndarray:
    """Computes the stock on which the model of `test/fixtures/models/ranger.onnx` was trained."""
    return f[0] ** 2 + np.sin(3 * f[1]) + f[2] * f[3] + 30


def make_world(folder: Path, seed: int, kind: Kind = USUAL) -> World:
    rng = np.random.default_rng(seed)
    fields = [gaussian_filter(rng.normal(size=(SIZE, SIZE)), 1.5) for _ in range(3)]
    fields = [field / field.std() for field in fields]
    fields.append(rng.integers(0, 3 if kind.classes else 5, (SIZE, SIZE)).astype(float))
    rasters = {name: folder / f"{name}.tif" for name in NAMES}
    for path, values in zip(rasters.values(), fields):
        stored = values / kind.scale if kind.dtype == "float32" else np.round(values / kind.scale)
        write_raster(
            *(path, stored),
            **{"corner": (WEST, NORTH), "cell": kind.cell, "crs": "EPSG:25832"},
            **{"scale": None if kind.scale == 1 else kind.scale, "dtype": kind.dtype},
        )
    blocks, lattice, of_block = sum(kind.blocks), LATTICE_M * kind.cell / CELL, kind.of_block
    across = int(SIZE * kind.cell / lattice)
    places = rng.permutation(across**2)[:blocks]
    corners = lattice * np.column_stack(np.divmod(places, across))
    wide = BLOCK_M * kind.cell / CELL
    offsets = np.repeat(corners, of_block, 0) + rng.uniform(0, wide, (blocks * of_block, 2))
    col, row = (offsets // kind.cell).astype(int).T
    apart = np.hypot(*(offsets[:, None] - offsets).transpose(2, 0, 1))
    range_m = RANGE_M * kind.cell / CELL
    rho = (1 - NUGGET) * np.exp(-apart / range_m) + NUGGET * np.eye(len(apart))
    residual = RESIDUAL_SD * np.linalg.cholesky(rho) @ rng.normal(size=len(rho))
    stock = kind.measured(compute_stock(np.array([one[row, col] for one in fields])) + residual)
    points = geopandas.points_from_xy(WEST + offsets[:, 0], NORTH - offsets[:, 1])
    table = geopandas.GeoDataFrame(geometry=points, crs="EPSG:25832")
    made = World(rasters, table, kind)
    sampled = made.pack().sample(table)
    block = np.repeat(np.arange(blocks), of_block)
    purposes = np.repeat(["train", "calibrate", "prove"], kind.blocks)[block]
    columns = sampled[["lon", "lat", *NAMES]].assign(stock=stock, block=block, purpose=purposes)
    return World(rasters, columns, kind)


def split_table(table: pandas.DataFrame) -> tuple[pandas.DataFrame, pandas.Series]:
    return table[NAMES], table["stock"]


# ---- Models of each kind. Intervals that need calibration are calibrated on separate blocks.


def forest(pack: soil_packs.Pack, world: World, seed: int) -> None:
    table = world.part("train")
    x, y = split_table(table)
    if world.kind.decimals is not None:
        x = x.round(world.kind.decimals)
    model = RandomForestRegressor(100, min_samples_leaf=5, random_state=seed)
    model.fit(x.to_numpy(), y)
    pack.model(model, x, y, intervals="distribution", positions=table)


def boosted(pack: soil_packs.Pack, world: World, seed: int) -> None:
    x, y = split_table(world.part("train"))
    options = {"n_estimators": 60, "num_leaves": 8, "learning_rate": 0.1, "verbose": -1}
    models = [
        lightgbm.LGBMRegressor(**options, random_state=seed, **more).fit(x, y)
        for more in ({}, *({"objective": "quantile", "alpha": alpha} for alpha in (0.05, 0.95)))
    ]
    pack.model(models[0], x, y, quantiles=models[1:], held_out=split_table(world.part("calibrate")))


def net(pack: soil_packs.Pack, world: World, seed: int) -> None:
    x, y = split_table(world.part("train"))
    model = MLPRegressor(hidden_layer_sizes=(24,), alpha=1, max_iter=3000, random_state=seed)
    model.fit(x.to_numpy(), y)
    half = calibrate_half_width(world, lambda x: model.predict(x))
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
    add_graph(pack, world, make_model(graph, opset_imports=[make_opsetid("", 17)], ir_version=8))


def ranger(pack: soil_packs.Pack, world: World, _: int) -> None:
    graph = onnx.load(commands.ROOT / "test/fixtures/models/ranger.onnx")
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    name = session.get_inputs()[0].name
    half = calibrate_half_width(
        world, lambda x: session.run(None, {name: x.astype(np.float32)})[0].ravel()
    )
    add_graph(pack, world, merge_graphs([graph] * 3, [0, -half, half]))


def calibrate_half_width(world: World, predict: Callable[[np.ndarray], np.ndarray]) -> float:
    """Computes the half-width of bounds around the mean that contain 90 % of the calibration samples."""
    x, y = split_table(world.part("calibrate"))
    predicted = predict(x.to_numpy())
    return margin(y, predicted, predicted)


def add_graph(pack: soil_packs.Pack, world: World, graph: onnx.ModelProto) -> None:
    path = world.rasters["f0"].with_name("own.onnx")
    onnx.save(graph, path)
    x, y = split_table(world.part("train"))
    pack.model(x=x, y=y, onnx=path)


Model = Callable[[soil_packs.Pack, World, int], None]
PACKS: dict[str, tuple[Model, int, Kind]] = {
    f"{model.__name__} {seed}": (model, seed, USUAL)
    for model in (forest, boosted, net, ranger)
    for seed in (1, 2, 3)
}


def with_zeros(stock: np.ndarray) -> np.ndarray:
    return np.maximum(stock - np.quantile(stock, 0.4), 0)


DEVIATION = {"name": "deviation of pH", "unit": "1", "depth_cm": [0, 30]}
KINDS = {
    "60 samples": Kind(blocks=(60, 0, 20), of_block=1),
    "40 % zeros": Kind(measured=with_zeros),
    "20 % below detection": Kind(measured=lambda stock: np.maximum(stock, np.quantile(stock, 0.2))),
    "three classes": Kind(classes=True),
    "cells of 1 km": Kind(cell=1_000),
    "a deviation of pH": Kind(DEVIATION, measured=lambda stock: (stock - stock.mean()) / 20),
    "a rounded table": Kind(decimals=2),
    "int16 rasters": Kind(dtype="int16", scale=1e-3),
    "a percentage": Kind(
        {"name": "clay", "unit": "%", "depth_cm": [0, 30]},
        measured=lambda stock: np.clip(stock + 62, 0, 100),
    ),
}
PACKS |= {f"forest, {name}": (forest, 1, kind) for name, kind in KINDS.items()}
PACKS["boosted, 40 % zeros"] = (boosted, 1, KINDS["40 % zeros"])
#: A combination of several kinds, which also runs outside the nightly tests.
PACKS["forest, several kinds"] = (
    *(forest, 1),
    Kind(
        {"name": "deviation of pH", "unit": "1", "depth_cm": [0, 30]},
        measured=lambda stock: np.maximum((stock - stock.mean()) / 20, -0.1),
        **{"dtype": "int16", "scale": 1e-3, "cell": 1_000, "classes": True, "decimals": 2},
    ),
)


@pytest.mark.parametrize(
    "name",
    PACKS if os.environ.get("EVERY_RUN") else ["boosted 1", "forest, several kinds"],
)
def test_a_correct_pack_has_no_warning(name: str, tmp_path: Path):
    train, seed, kind = PACKS[name]
    world = make_world(tmp_path, seed, kind)
    pack = world.pack()
    train(pack, world, seed)
    folder = pack.save(tmp_path / "heath")
    if not kind.blocks[1]:
        # With so few samples, the correlation of errors is not estimated, and the report says that skill cannot be shown.
        found = pack.validate(world.part("prove"), target="stock", group="block")
        assert (pack.warnings, found["refusals"], found["shows_skill"]) == ([], [], False)
        return
    withheld = world.part("calibrate")
    found = predict(folder, positions=withheld[["lon", "lat"]].to_numpy())
    bands = dict(zip(("mean", "q05", "q95"), found.bands.T))
    pack.errors(withheld.assign(**bands, fold=withheld["block"] % 4), target="stock")
    found = pack.validate(
        world.part("prove"), target="stock", group="block", training=world.part("train")
    )
    pack.save(tmp_path / "heath")
    assert pack.warnings == []
    assert found["refusals"] == []
    assert found["accuracy"]["r2"]["value"] > 0.3
