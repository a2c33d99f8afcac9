"""Creates a mirror of OpenLandMap-soildb's layers of soil organic carbon density. It has their names, grid,
periods and encoding, but synthetic values, and only in tiles around a few places. All other tiles are absent.

    .local/venv/bin/python local/mirror/make.py FOLDER [--layers m_120m,p16_120m,p84_120m]

The 30 m files have the grid that a reader of the published files reported; the 120 m files are assumed to
cover the same area. The script writes TIFF by hand, because rasterio visits all 1,440,004 x 528,004 cells to
create overviews. GDAL reads the files in the tests. As in many public layers, no tag states the scale.
"""

from __future__ import annotations

import argparse
import struct
import zlib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

PERIODS = ["20000101_20051231", "20050101_20101231", "20100101_20151231", "20150101_20201231", "20200101_20221231"]
LAYERS = ["m_30m", "m_120m", "p16_120m", "p84_120m"]
NAME = "global-soil/global_soil_props_v20250204_mosaics/oc_iso.10694.1995.mg.cm3_{layer}_b0cm..30cm_{period}_g_epsg.4326_v20250204.tif"
NOTE = "SYNTHETIC values made by local/mirror/make.py, not OpenLandMap data"

# The grid is wider than the Earth: cells are centred on the antimeridian, and the last columns repeat the first.
WEST, NORTH, SPAN = -180.0005, 76.0005, (360.001, 132.001)
CELL = {"30m": 0.00025, "120m": 0.001}
TILE, NODATA = 512, 65535
# Places on six continents, on both sides of the antimeridian and almost at 76 degrees north. One is on a coast.
PLACES = {
    "iowa": (-93.6, 42.0), "pampa": (-60.5, -34.5), "beauce": (1.5, 48.2), "kenya": (36.9, -0.3),
    "punjab": (75.6, 31.0), "wimmera": (142.2, -36.4), "fiji_west": (179.95, -16.6), "fiji_east": (-179.95, -16.6),
    "finnmark": (25.4, 70.0), "taymyr": (98.0, 75.9), "portugal_coast": (-8.9, 40.2),
}
COAST = "portugal_coast"
# Degrees around a place, which are a few kilometres even far north.
REACH = (0.05, 0.05)
# A whole state at 120 m, so that a field anywhere in it has values. At 30 m its files would be too large.
STATE, STATE_CENTRE, STATE_REACH = "iowa_state", (-93.4, 41.95), (3.3, 1.6)


def compute_value(layer: str, period: int, col: np.ndarray, row: np.ndarray) -> np.ndarray:
    """Returns the known true values as stored, which are ten times kg/m3."""
    mean = 60 + (col * 31 + row * 17 + period * 101) % 700
    share = {"m": 100, "p16": 62, "p84": 151}[layer.split("_")[0]]
    stored = mean * share // 100
    return np.where((col * 7 + row * 13) % 211 == 0, NODATA, stored)


def make_full_tiles(layer: str, period: int, places: list[str]) -> dict[tuple[int, int], np.ndarray]:
    cell = CELL[layer.split("_")[1]]
    tiles = {}
    for name in places:
        is_state = name == STATE
        if is_state and layer.endswith("30m"):
            continue
        lon, lat = STATE_CENTRE if is_state else PLACES[name]
        col, row = int((lon - WEST) / cell), int((NORTH - lat) / cell)
        wide, high = (int(degrees / cell) for degrees in (STATE_REACH if is_state else REACH))
        for across in range((col - wide) // TILE, (col + wide) // TILE + 1):
            for down in range((row - high) // TILE, (row + high) // TILE + 1):
                rows, cols = np.mgrid[0:TILE, 0:TILE] + np.array([down, across])[:, None, None] * TILE
                cells = compute_value(layer, period, cols, rows)
                # The sea lies south-west of a diagonal.
                sea = (name == COAST) & (cols - col < rows - row)
                tiles[down, across] = np.where(sea, NODATA, cells).astype("<u2")
    return tiles


def halve_tiles(tiles: dict[tuple[int, int], np.ndarray]) -> dict[tuple[int, int], np.ndarray]:
    half = TILE // 2
    overview: dict[tuple[int, int], np.ndarray] = {}
    for (down, across), cells in tiles.items():
        blocks = cells.reshape(half, 2, half, 2).swapaxes(1, 2).reshape(half, half, 4).astype(np.int64)
        present = blocks != NODATA
        count = present.sum(axis=2)
        mean = (np.where(present, blocks, 0).sum(axis=2) + count // 2) // np.maximum(count, 1)
        target = overview.setdefault((down // 2, across // 2), np.full((TILE, TILE), NODATA, "<u2"))
        top, left = (down % 2) * half, (across % 2) * half
        target[top : top + half, left : left + half] = np.where(count > 0, mean, NODATA)
    return overview


def compress_cells(cells: np.ndarray) -> bytes:
    """Compresses with DEFLATE after applying the horizontal predictor (TIFF 6.0, section 14)."""
    steps = cells.copy()
    steps[:, 1:] -= cells[:, :-1]
    return zlib.compress(steps.tobytes(), 6)


# TIFF types: 2 ASCII, 3 SHORT, 4 LONG, 12 DOUBLE, 16 LONG8.
FORMATS = {3: "H", 4: "I", 12: "d", 16: "Q"}
DIRECTORIES = 65_536
SHORT, LONG, DOUBLE, LONG8 = 3, 4, 12, 16
GEO_KEYS = [1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326]


class Level:
    def __init__(self, width: int, height: int, cell: float, tiles: dict[tuple[int, int], np.ndarray]) -> None:
        self.width, self.height, self.cell, self.tiles = width, height, cell, tiles
        self.across, self.down = -(-width // TILE), -(-height // TILE)
        self.offsets = self.counts = 0

    def place(self, at: int) -> int:
        self.offsets, self.counts = at, at + 8 * self.across * self.down
        return self.counts + 4 * self.across * self.down

    def tags(self, is_overview: bool) -> list[tuple[int, int, list]]:
        return [
            (254, LONG, [int(is_overview)]), (256, LONG, [self.width]), (257, LONG, [self.height]),
            (258, SHORT, [16]), (259, SHORT, [8]), (262, SHORT, [1]), (277, SHORT, [1]), (317, SHORT, [2]),
            (322, LONG, [TILE]), (323, LONG, [TILE]), (339, SHORT, [1]),
            (33550, DOUBLE, [self.cell, self.cell, 0]), (33922, DOUBLE, [0, 0, 0, WEST, NORTH, 0]),
            (34735, SHORT, GEO_KEYS),
        ]


def encode_directory(level: Level, at: int, is_overview: bool, is_last: bool, states_nodata: bool) -> bytes:
    """Encodes a BigTIFF directory for an offset in the file, followed by the values that do not fit
    into its entries."""
    texts = [(42113, f"{NODATA}".encode() + b"\0")] if states_nodata else []
    if not is_overview:
        texts.append((270, NOTE.encode() + b"\0"))
    tables = level.across * level.down
    entries = [(tag, kind, len(v), struct.pack(f"<{len(v)}{FORMATS[kind]}", *v)) for tag, kind, v in level.tags(is_overview)]
    entries += [(tag, 2, len(text), text) for tag, text in texts]
    entries += [(324, LONG8, tables, struct.pack("<Q", level.offsets)), (325, LONG, tables, struct.pack("<Q", level.counts))]
    after = at + 8 + 20 * len(entries) + 8
    head, tail = struct.pack("<Q", len(entries)), b""
    for tag, kind, count, data in sorted(entries):
        if len(data) > 8:
            head += struct.pack("<HHQQ", tag, kind, count, after + len(tail))
            tail += data + b"\0" * (-len(data) % 8)
        else:
            head += struct.pack("<HHQ", tag, kind, count) + data.ljust(8, b"\0")
    return head + struct.pack("<Q", 0 if is_last else after + len(tail)) + tail


def write_layer(path: Path, layer: str, period: int, places: list[str], states_nodata: bool) -> None:
    cell = CELL[layer.split("_")[1]]
    levels = [Level(round(SPAN[0] / cell), round(SPAN[1] / cell), cell, make_full_tiles(layer, period, places))]
    while levels[-1].width > TILE:
        last = levels[-1]
        levels.append(Level(-(-last.width // 2), -(-last.height // 2), last.cell * 2, halve_tiles(last.tiles)))
    at = DIRECTORIES
    for level in levels:
        at = level.place(at)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        # The BigTIFF header has offsets of 8 bytes and is followed by the first directory.
        file.write(struct.pack("<2sHHHQ", b"II", 43, 8, 0, 16))
        for i, level in enumerate(levels):
            file.write(encode_directory(level, file.tell(), i > 0, i == len(levels) - 1, states_nodata))
        assert file.tell() <= DIRECTORIES
        for level in levels:
            for (down, across), tile in level.tiles.items():
                data, index = compress_cells(tile), down * level.across + across
                for where, packed in (
                    (at, data),
                    (level.offsets + 8 * index, struct.pack("<Q", at)),
                    (level.counts + 4 * index, struct.pack("<I", len(data))),
                ):
                    # Parts that are never written are holes, so absent tiles take no disk space.
                    file.seek(where)
                    file.write(packed)
                at += len(data)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--layers", default=",".join(LAYERS))
    parser.add_argument("--periods", default=",".join(PERIODS))
    parser.add_argument("--places", default=",".join([*PLACES, STATE]))
    parser.add_argument("--undeclared-nodata", action="store_true", help="leave out the nodata tag")
    options = parser.parse_args()
    how = options.places.split(","), not options.undeclared_nodata
    with ProcessPoolExecutor() as processes:
        for written in [
            processes.submit(write_layer, options.out / NAME.format(layer=layer, period=period), layer, PERIODS.index(period), *how)
            for period in options.periods.split(",")
            for layer in options.layers.split(",")
        ]:
            written.result()


if __name__ == "__main__":
    main()
