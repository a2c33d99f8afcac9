"""Writes rasters with GDAL into a folder, and next to each the values that GDAL reads.

    gdal_rasters.py FOLDER encodings|resampling

encodings: every case is on the grid of 200 x 150 cells of 10 m; the values are those of the band that `band` names.
resampling: GDAL warps every case onto that grid, exactly (without approximating the transformation).
Prints [{name, href, band, method?, proj4?}]; NAME.f64 holds the values as float64, NaN where missing.
"""

import json
import sys
from pathlib import Path

import numpy as np
import rasterio
from rasterio.enums import Resampling
from rasterio.transform import from_origin
from rasterio.warp import reproject, transform

folder, what = Path(sys.argv[1]), sys.argv[2]
WIDTH, HEIGHT = 200, 150
GRID = {"crs": "EPSG:32631", "transform": from_origin(500000, 5600000, 10, 10)}
cases = []


def expect(name, values, **case):
    np.asarray(values, dtype="<f8").tofile(folder / f"{name}.f64")
    cases.append({"name": name, "href": f"{name}.tif", "band": 1, **case})


def physical(dataset, band):
    stored = dataset.read(band, masked=True)
    values = stored.astype("f8") * dataset.scales[band - 1] + dataset.offsets[band - 1]
    return values.filled(np.nan)


def encoding(name, dtype, bands=1, band=1, nodata=None, scale=1.0, offset=0.0, mask=None, **options):
    rng = np.random.default_rng(len(cases))
    info = np.iinfo(dtype) if np.dtype(dtype).kind in "ui" else None
    bits = int(options.get("nbits", 0))
    shape = (bands, HEIGHT, WIDTH)
    if info is None:
        cells = rng.normal(0, 100, shape).astype(dtype)
        if bits == 16:
            cells = cells.astype("f2").astype(dtype)
    else:
        low, high = (0, 2**bits - 1) if bits else (info.min, min(info.max, 2**53))
        cells = rng.integers(max(low, -(2**53)), high, shape, dtype=dtype, endpoint=True)
    if nodata is not None:
        cells[:, ::7, ::5] = nodata
    path = folder / f"{name}.tif"
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True), rasterio.open(
        path, "w", driver="GTiff", width=WIDTH, height=HEIGHT, count=bands, dtype=dtype,
        nodata=nodata, **GRID, **options,
    ) as raster:
        raster.write(cells)
        raster.scales = (scale,) * bands
        raster.offsets = (offset,) * bands
        if mask:
            raster.write_mask(rng.integers(0, 2, (HEIGHT, WIDTH)).astype(bool))
    with rasterio.open(path) as raster:
        expect(name, physical(raster, band), band=band)


def sparse(name, **options):
    path = folder / f"{name}.tif"
    with rasterio.open(
        path, "w", driver="GTiff", width=WIDTH, height=HEIGHT, count=1, dtype="float32",
        tiled=True, blockxsize=64, blockysize=64, sparse_ok=True, **GRID, **options,
    ) as raster:
        raster.write(np.ones((1, 64, 64), "f4"), window=rasterio.windows.Window(64, 64, 64, 64))
    with rasterio.open(path) as raster:
        expect(name, physical(raster, 1))


def encodings():
    tiles = {"tiled": True, "blockxsize": 64, "blockysize": 48}
    for dtype in ["uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "float64"]:
        encoding(f"{dtype}-strips", dtype)
        encoding(f"{dtype}-lzw-2", dtype, compress="lzw", **tiles, **({"predictor": 2} if dtype[0] != "f" else {}))
    for dtype in ["uint64", "int64"]:
        encoding(f"{dtype}-deflate", dtype, compress="deflate", nodata=7, **tiles)
    for dtype in ["uint64", "float64", "float32"]:
        encoding(f"{dtype}-2", dtype, compress="deflate", predictor=2, **tiles)
    for dtype in ["float32", "float64"]:
        encoding(f"{dtype}-3", dtype, compress="zstd", predictor=3, bands=2, band=2, **tiles)
        encoding(f"{dtype}-3-big", dtype, compress="deflate", predictor=3, endianness="big", **tiles)
    for dtype in ["int16", "uint32", "float64"]:
        encoding(f"{dtype}-big", dtype, bands=2, endianness="big", **tiles)
        encoding(f"{dtype}-big-2", dtype, compress="lzw", predictor=2, endianness="big", **tiles)
    encoding("half", "float32", nbits=16, **tiles)
    encoding("half-3", "float32", nbits=16, compress="deflate", predictor=3, **tiles)
    for bits in [1, 3, 4, 7]:
        encoding(f"bits-{bits}", "uint8", nbits=bits, bands=2, band=2, compress="lzw", **tiles)
    encoding("bits-12", "uint16", nbits=12, compress="deflate")
    encoding("planes", "int16", bands=3, band=3, interleave="band", compress="deflate", predictor=2, **tiles)
    encoding("planes-strips", "float32", bands=3, band=2, interleave="band", blockysize=7)
    encoding("side-by-side", "uint8", bands=4, band=3, interleave="pixel", photometric="minisblack",
             alpha="no", compress="lzw", predictor=2, **tiles)
    encoding("scaled", "int16", nodata=-1, scale=0.25, offset=-10, compress="zstd", **tiles)
    encoding("nodata-float", "float32", nodata=-3.4028234663852886e38, compress="lzw", **tiles)
    encoding("nodata-nan", "float64", nodata=float("nan"))
    encoding("masked", "uint8", mask=True, compress="deflate", **tiles)
    encoding("bigtiff", "float32", bigtiff="yes", compress="deflate", tiled=True, blockxsize=16, blockysize=16)
    encoding("bigtiff-big", "int32", bigtiff="yes", endianness="big", tiled=True, blockxsize=16, blockysize=16)
    encoding("many-tiles-big", "int32", endianness="big", tiled=True, blockxsize=16, blockysize=16)
    encoding("strips-zstd", "float32", compress="zstd", blockysize=11)
    sparse("sparse")
    sparse("sparse-nodata", nodata=-1, compress="deflate")


def source(name, crs, affine, width, height, levels=(), point=False):
    row, col = np.mgrid[0:height, 0:width]
    cells = (np.sin(col / 5) * 10 + np.cos(row / 3) * 7 + col * 0.01).astype("f4")
    cells[3::11, 2::9] = -9999
    cells[: height // 6, : width // 5] = -9999
    path = folder / f"{name}.tif"
    with rasterio.open(
        path, "w", driver="GTiff", width=width, height=height, count=1, dtype="float32", crs=crs,
        transform=affine, nodata=-9999, tiled=True, blockxsize=32, blockysize=32,
        compress="deflate", predictor=3,
    ) as raster:
        raster.write(cells, 1)
        if point:
            raster.update_tags(AREA_OR_POINT="Point")
    if levels:
        with rasterio.open(path, "r+") as raster:
            raster.build_overviews(list(levels), Resampling.average)
    return path


def warp(name, path, method, level=None, **case):
    options = {} if level is None else {"overview_level": level}
    values = np.full((HEIGHT, WIDTH), -9999.0)
    with rasterio.open(path, **options) as raster:
        reproject(
            rasterio.band(raster, 1), values, dst_crs=GRID["crs"], dst_transform=GRID["transform"],
            resampling=Resampling[method], src_nodata=-9999, dst_nodata=-9999,
        )
    values[values == -9999] = np.nan
    expect(name, values, href=path.name, method=method, **case)


def sample(name, path, method, **case):
    """Resamples at PROJ's coordinates of each cell, because GDAL's warper would interpolate coordinates between CRSs."""
    row, col = np.mgrid[0:HEIGHT, 0:WIDTH] + 0.5
    xs, ys = 500000 + 10 * col.ravel(), 5600000 - 10 * row.ravel()
    with rasterio.open(path) as raster:
        x, y = map(np.asarray, transform(GRID["crs"], raster.crs, xs, ys))
        u, v = ~raster.transform * (x, y)
        cells = np.pad(raster.read(1, masked=True).astype("f8").filled(np.nan), 1, constant_values=np.nan)
    at = lambda r, c: cells[np.clip(r + 1, 0, cells.shape[0] - 1), np.clip(c + 1, 0, cells.shape[1] - 1)]
    nearest = at(np.floor(v).astype(int), np.floor(u).astype(int))
    if method == "bilinear":
        r, c = np.floor(v - 0.5).astype(int), np.floor(u - 0.5).astype(int)
        low, right = v - 0.5 - r, u - 0.5 - c
        corners = np.stack([at(r, c), at(r, c + 1), at(r + 1, c), at(r + 1, c + 1)])
        weights = np.stack([(1 - low) * (1 - right), (1 - low) * right, low * (1 - right), low * right])
        weights[np.isnan(corners)] = 0
        mean = (np.nan_to_num(corners) * weights).sum(0) / np.maximum(weights.sum(0), 1e-300)
        nearest = np.where(np.isnan(nearest), np.nan, mean)
    expect(name, nearest, href=path.name, method=method, **case)


def resampling():
    utm = GRID["crs"]
    grids = {
        "shifted": (utm, from_origin(499996.5, 5600003.7, 10, 10), 203, 160),
        "coarser": (utm, from_origin(499923, 5600071, 37, 37), 61, 47),
        "wide": (utm, from_origin(499923, 5600071, 53, 21), 40, 79),
        "smaller": (utm, from_origin(500331, 5599621, 31, 31), 33, 23),
        "point": (utm, from_origin(499923, 5600071, 37, 37), 61, 47),
        "degrees": ("EPSG:4326", from_origin(2.9995, 50.5525, 0.0004, 0.0003), 80, 60),
        "neighbour": ("EPSG:32632", from_origin(74000, 5620000, 20, 20), 300, 400),
        "mercator": ("EPSG:3857", from_origin(333900, 6544800, 25, 25), 150, 120),
        "lambert": ("EPSG:3035", from_origin(3797000, 3063000, 25, 25), 300, 300),
    }
    for kind, (crs, affine, width, height) in grids.items():
        path = source(kind, crs, affine, width, height, point=kind == "point")
        case = {}
        if kind == "lambert":
            case = {"proj4": "+proj=laea +lat_0=52 +lon_0=10 +x_0=4321000 +y_0=3210000 +ellps=GRS80 +towgs84=0,0,0"}
        for method in ["nearest", "bilinear"]:
            (warp if crs == utm else sample)(f"{kind}-{method}", path, method, **case)
    for factor, level in [(2, 0), (4, 1)]:
        edge = 10 / factor
        path = source(
            f"finer-{factor}", utm, from_origin(500000, 5600000, edge, edge),
            WIDTH * factor, HEIGHT * factor, levels=[2, 4, 8],
        )
        for method in ["nearest", "bilinear"]:
            warp(f"finer-{factor}-{method}", path, method, level=level)


{"encodings": encodings, "resampling": resampling}[what]()
print(json.dumps(cases))
