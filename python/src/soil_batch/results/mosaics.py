"""Builds a virtual raster (VRT) of all maps of a model that have the same years (`map_years`).

All rasters of a model have the same grid, and so the same CRS. Maps of different years are kept apart, because they
would hide each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from ..extras import rasterio
from ..file_names import map_years, years_text
from .columns import ResultJob

# GDAL's names of data types, which differ from rasterio's.
_TYPES = {
    "uint8": "Byte",
    "int8": "Int8",
    "uint16": "UInt16",
    "int16": "Int16",
    "uint32": "UInt32",
    "int32": "Int32",
    "float32": "Float32",
    "float64": "Float64",
}
# Files next to a raster are not covered by its digest, and could change its scale or refer to other files.
_WITHOUT_SIDECARS = {"GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR", "GDAL_PAM_ENABLED": "NO"}


@contextmanager
def open_raster(path: Path) -> Iterator[Any]:
    """Opens a raster only as GeoTIFF: a server may have sent another format, which could refer to other files."""
    with rasterio().Env(**_WITHOUT_SIDECARS), rasterio().open(path, driver="GTiff") as source:
        yield source


@dataclass(frozen=True)
class Mosaic:
    #: The name of the VRT and of its style, without extension: QGIS finds a style by the name of its raster.
    name: str
    model: str
    #: The names and ETags of the rasters.
    rasters: list[tuple[str, str]]


def list_mosaics(rows: Sequence[ResultJob]) -> list[Mosaic]:
    groups: dict[str, Mosaic] = {}
    for row in rows:
        job = row.job
        if row.file is None or job is None or job.model is None or job.result is None:
            continue
        years = map_years(row.run_job.year, job.temporal, job.data_period)
        name = f"all_{re.sub(r'[^A-Za-z0-9_.-]+', '-', job.model)}_{years_text(years)}"
        mosaic = groups.setdefault(name, Mosaic(name, job.model, []))
        mosaic.rasters.append((row.file, job.result.etag))
    return list(groups.values())


def format_vrt(folder: Path, names: Sequence[str]) -> str:
    """Formats a VRT of rasters with the same grid, with relative paths (https://gdal.org/drivers/raster/vrt.html)."""
    rasters = [_Raster(folder, name) for name in names]
    first = rasters[0]
    if any(one.grid != first.grid for one in rasters):
        raise ValueError(f"the rasters of one model, among them {names[0]}, have different grids")
    west, north = min(one.west for one in rasters), max(one.north for one in rasters)
    placed = [
        (one, round((one.west - west) / one.dx), round((north - one.north) / -one.dy))
        for one in rasters
    ]
    width = max(left + one.width for one, left, _ in placed)
    height = max(top + one.height for one, _, top in placed)
    bands = [_format_band(at, band, placed) for at, band in enumerate(first.bands)]
    # Tags that differ between rasters describe a single job and are left out.
    shared = set(first.tags.items()).intersection(*(one.tags.items() for one in rasters))
    tags = [
        f"<MDI key={quoteattr(_remove_controls(key))}>{escape(_remove_controls(value))}</MDI>"
        for key, value in first.tags.items()
        if (key, value) in shared
    ]
    return "\n".join(
        [
            f'<VRTDataset rasterXSize="{width}" rasterYSize="{height}">',
            f"<SRS>{escape(first.wkt)}</SRS>",
            f"<GeoTransform>{west!r}, {first.dx!r}, 0, {north!r}, 0, {first.dy!r}</GeoTransform>",
            "<Metadata>",
            *tags,
            "</Metadata>",
            *bands,
            "</VRTDataset>\n",
        ]
    )


class _Raster:
    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        with open_raster(folder / name) as source:
            transform = source.transform
            self.width, self.height = source.width, source.height
            self.west, self.dx, self.north, self.dy = (
                transform.c,
                transform.a,
                transform.f,
                transform.e,
            )
            self.wkt = source.crs.to_wkt()
            self.blocks = source.block_shapes
            self.tags: dict[str, str] = source.tags()
            self.bands: list[dict[str, Any]] = [
                {
                    "type": _TYPES[source.dtypes[at]],
                    "description": source.descriptions[at],
                    "unit": source.units[at],
                    "nodata": source.nodatavals[at],
                    "scale": source.scales[at],
                    "offset": source.offsets[at],
                }
                for at in range(source.count)
            ]

    @property
    def grid(self) -> tuple[Any, ...]:
        return (self.wkt, self.dx, self.dy, [band["type"] for band in self.bands])


def _format_band(
    index: int, band: dict[str, Any], placed: Sequence[tuple[_Raster, int, int]]
) -> str:
    nodata = band["nodata"]
    facts = [
        ("Description", band["description"]),
        ("UnitType", band["unit"]),
        ("NoDataValue", None if nodata is None else _format_double(nodata)),
        ("Offset", None if band["offset"] == 0 else _format_double(band["offset"])),
        ("Scale", None if band["scale"] == 1 else _format_double(band["scale"])),
    ]
    lines = [f'<VRTRasterBand dataType="{band["type"]}" band="{index + 1}">']
    lines += [
        f"<{name}>{escape(_remove_controls(text))}</{name}>"
        for name, text in facts
        if text is not None
    ]
    for raster, left, top in placed:
        rows, columns = raster.blocks[index]
        size = f'xSize="{raster.width}" ySize="{raster.height}"'
        lines += [
            "<ComplexSource>",
            f'<SourceFilename relativeToVRT="1">{escape(raster.name)}</SourceFilename>',
            f"<SourceBand>{index + 1}</SourceBand>",
            f'<SourceProperties RasterXSize="{raster.width}" RasterYSize="{raster.height}"'
            f' DataType="{band["type"]}" BlockXSize="{columns}" BlockYSize="{rows}"/>',
            f'<SrcRect xOff="0" yOff="0" {size}/>',
            f'<DstRect xOff="{left}" yOff="{top}" {size}/>',
            *([] if nodata is None else [f"<NODATA>{_format_double(nodata)}</NODATA>"]),
            "</ComplexSource>",
        ]
    return "\n".join([*lines, "</VRTRasterBand>"])


def _remove_controls(text: str) -> str:
    """Removes the control characters that XML forbids (XML 1.0, production 2)."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "", text)


def _format_double(value: float) -> str:
    return f"{value:.17g}"
