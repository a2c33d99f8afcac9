"""Loads fields from a file, a GeoDataFrame or GeoJSON."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InvalidRequest, invalid_input
from ..fields import Fields, FieldsLike
from ..geometry import positions_of
from ..run_state import Source
from .discs import make_discs, require_points, require_radius
from .findings import FileRejected, LeftOut, Remark
from .limits import (
    MOST_BYTES,
    MOST_FILES,
    MOST_MEMORY,
    MOST_SECONDS,
    WRITE_AHEAD,
    format_megabytes,
)

#: The GDAL drivers that may be used: other drivers could read other files or contact servers.
DRIVERS = ("GPKG", "ESRI Shapefile", "FlatGeobuf", "CSV", "OpenFileGDB")
# The other drivers in pyogrio's wheels.
# cspell:disable
_OTHER_DRIVERS = (
    "ADBC,AIVector,AVCBin,AVCE00,AmigoCloud,CSW,Carto,DGN,DXF,EDIGEO,EEDA,ESRIJSON,Elasticsearch,GDALG,GML,"
    "GPSBabel,GPX,GTFS,GeoJSON,GeoJSONSeq,GeoRSS,HTTP,Idrisi,JML,JSONFG,KML,LIBKML,LVBAG,MBTiles,MEM,MVT,"
    "MapInfo File,MapML,Memory,MiraMonVector,NGW,OAPIF,ODS,OGCAPI,OGR_GMT,OGR_PDS,OGR_VRT,OSM,PCIDSK,PDF,"
    "PDS4,PGDUMP,PLSCENES,PMTiles,S57,SQLite,SXF,Selafin,TIGER,TopoJSON,UK .NTF,VDV,VFK,VICAR,WAsP,WFS,XLSX"
)
# cspell:enable
# Other parts of a Shapefile are indexes and metadata, which are not needed.
_PARTS = (".shx", ".dbf", ".prj", ".cpg")
# The maximum number of attempts to copy a file that a GIS may be saving.
_MOST_COPIES = 5
_EPSG = re.compile(r"(?:EPSG:)?(\d{4,6})", re.IGNORECASE)


@dataclass(frozen=True)
class LoadedFields:
    fields: Fields
    #: None if the fields do not come from a file.
    source: Source | None
    #: The column that names the fields if the user names none.
    name: str | None
    remarks: tuple[Remark, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def load(
    given: FieldsLike,
    layer: str | None = None,
    crs: str | int | None = None,
    encoding: str | None = None,
    buffer: float | None = None,
) -> LoadedFields:
    radius = None if buffer is None else require_radius(buffer)
    if isinstance(given, (str, os.PathLike)):
        return _load_file(Path(given), layer, parse_epsg(crs), encoding, radius)
    if any(one is not None for one in (layer, crs, encoding)):
        raise invalid_input("layer, crs and encoding apply only to files")
    if radius is None:
        return LoadedFields(Fields.of(given), None, None)
    return LoadedFields(
        make_discs(require_points(Fields.unchecked(given), None), radius, None), None, None
    )


def parse_epsg(crs: str | int | None) -> int | None:
    found = None if crs is None else _EPSG.fullmatch(str(crs).strip())
    if crs is not None and found is None:
        raise invalid_input("crs must be an EPSG code, such as EPSG:28992")
    return None if found is None else int(found[1])


def _load_file(
    path: Path, layer: str | None, epsg: int | None, encoding: str | None, radius: float | None
) -> LoadedFields:
    with tempfile.TemporaryDirectory(prefix="soil-batch-") as folder:
        # A copy guarantees that the bytes that are read are the bytes that were checked and hashed.
        sha256 = _copy_input(path, Path(folder) / "input")
        task = {
            "folder": folder,
            "name": path.name,
            "layer": layer,
            "epsg": epsg,
            "encoding": encoding,
            "has_points": radius is not None,
        }
        read = _read_in_child(path.name, task)
    fields = Fields.from_value(read["fields"])
    try:
        wgs84 = fields.wgs84
    except ValueError as error:
        raise FileRejected("crs_unusable", f"{path.name}: {error}") from None
    if epsg is not None:
        _require_near(path.name, fields, wgs84)
    return LoadedFields(
        fields if radius is None else make_discs(fields, radius, path.name),
        Source(str(path), read["layer"], read["sha256"] or sha256),
        read["name"],
        tuple(Remark(**one) for one in read["remarks"]),
        tuple(LeftOut(**one) for one in read["left_out"]),
    )


def _copy_input(path: Path, to: Path) -> str:
    """Copies a file, again if it was saved meanwhile. Returns the digest for `Source.sha256`."""
    for _ in range(_MOST_COPIES):
        files = _list_parts(path)
        before = _read_stamps(files)
        try:
            digests = _copy_files(files, to)
        except InvalidRequest:
            if all(one.exists() for one in files):
                raise
        else:
            if before == _read_stamps(_list_parts(path)):
                whole = hashlib.sha256("".join(digests).encode()).hexdigest()
                return whole if path.is_dir() else digests[0]
        shutil.rmtree(to)
    raise invalid_input(f"{path.name} is being written: try again once it is saved")


def _list_parts(path: Path) -> dict[Path, str]:
    """Maps the file, which comes first, and its parts (or the files of a geodatabase) to the names of their copies."""
    ending = path.suffix.lower()
    if ending == ".gdb" and path.is_dir():
        parts = sorted(path.iterdir())
        if len(parts) > MOST_FILES:
            raise invalid_input(
                f"{path.name} contains {len(parts)} files, but at most {MOST_FILES} are allowed"
            )
        return {one: f"fields.gdb/{one.name}" for one in parts}
    files = {path: f"fields{ending}"}
    if ending == ".shp" and path.parent.is_dir():
        for part in sorted(path.parent.iterdir()):
            if part.stem == path.stem and part.suffix.lower() in _PARTS:
                files[part] = f"fields{part.suffix.lower()}"
    for more in WRITE_AHEAD:
        # If the path is a link, SQLite puts these files next to the target of the link.
        part = Path(f"{path.resolve()}{more}")
        if part.exists():
            files[part] = f"fields{ending}{more}"
    return files


def _read_stamps(files: Mapping[Path, str]) -> dict[Path, object]:
    found = {one: one.stat() for one in files if one.exists()}
    return {one: (stat.st_mtime_ns, stat.st_size, stat.st_ino) for one, stat in found.items()}


def _copy_files(files: Mapping[Path, str], to: Path) -> list[str]:
    to.mkdir()
    left, digests = MOST_BYTES, []
    for source, name in files.items():
        (to / name).parent.mkdir(exist_ok=True)
        digest, size = copy_regular(source, to / name, left)
        left -= size
        digests.append(digest)
    return digests


def copy_regular(path: Path, to: Path, most: int) -> tuple[str, int]:
    """Copies a regular file; pipes and devices are rejected, because they may be endless."""
    name = path.name
    try:
        # O_NONBLOCK, because opening a pipe would wait for a writer. Windows has neither the flag nor such pipes.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _BINARY)
    except (FileNotFoundError, NotADirectoryError):
        raise invalid_input(f"{path} does not exist") from None
    except PermissionError:
        raise invalid_input(f"{path} is a folder, or you have no permission to read it") from None
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        if stat.S_ISDIR(found.st_mode):
            raise invalid_input(f"{path} is a folder")
        raise invalid_input(
            f"{name} is a pipe or a device, not a file: save its content to a file first"
        )
    with os.fdopen(descriptor, "rb") as file:
        digest, size = hashlib.sha256(), 0
        with open(to, "xb") as target:
            while block := file.read(1 << 20):
                size += len(block)
                if size > most:
                    raise invalid_input(
                        f"{name} has {format_megabytes(found.st_size)}; at most {format_megabytes(MOST_BYTES)} can be read in total:"
                        " split it, or remove layers and columns that are not needed"
                    )
                digest.update(block)
                target.write(block)
    return digest.hexdigest(), size


_BINARY = getattr(os, "O_BINARY", 0)


def _read_in_child(name: str, task: Mapping[str, Any]) -> Any:
    answer = _ask_child(name, task, _OTHER_DRIVERS)
    if "drivers" in answer:
        # Other builds of GDAL may have more drivers.
        others = ",".join(answer["drivers"])
        answer = _ask_child(name, task, f"{_OTHER_DRIVERS},{others}")
    return unwrap_answer(answer)


def _ask_child(name: str, task: Mapping[str, Any], skipped: str) -> Any:
    command = [sys.executable, "-m", "soil_batch.reading.child", json.dumps(task)]
    try:
        done = subprocess.run(
            command,
            env=child_environment(skipped),
            cwd=task["folder"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=MOST_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise invalid_input(f"{name} takes more than {MOST_SECONDS} s to read: split it") from None
    if done.returncode != 0:
        raise invalid_input(
            f"{name} cannot be read: it is damaged, or takes more than {format_megabytes(MOST_MEMORY)} of"
            " memory"
        )
    return json.loads(done.stdout)


def child_environment(skipped: str = _OTHER_DRIVERS) -> dict[str, str]:
    return {
        **os.environ,
        "GDAL_SKIP": skipped,
        "GDAL_DRIVER_PATH": "disable",
        "PROJ_NETWORK": "OFF",
        # Memory of further threads would count against the limit.
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join(one for one in sys.path if one),
    }


def unwrap_answer(answer: Any) -> Any:
    if "drivers" in answer:
        raise invalid_input(
            f"GDAL still offers the drivers {', '.join(answer['drivers'])}, which are not allowed: reinstall pyogrio"
        )
    if "missing" in answer:
        raise ImportError(answer["missing"])
    if "error" in answer:
        kind, message = answer["kind"], answer["error"]
        raise invalid_input(message) if kind is None else FileRejected(kind, message)
    return answer


def _require_near(name: str, fields: Fields, wgs84: list[Any]) -> None:
    """Rejects fields whose first position lies far outside the CRS's area of use."""
    from ..extras import pyproj

    source = None if fields.crs is None else pyproj().CRS.from_wkt(fields.crs)
    use = None if source is None else source.area_of_use
    if source is None or use is None:
        return
    for geometry in wgs84:
        place = None if geometry is None else next(positions_of(geometry["coordinates"]), None)
        if place is None or max(map(abs, place)) > 360:
            continue
        lon, lat = place
        if not (
            use.west - _BEYOND <= lon <= use.east + _BEYOND
            and use.south - _BEYOND <= lat <= use.north + _BEYOND
        ):
            raise FileRejected(
                "crs_unusable",
                f"in {fields.crs_name}, a field of {name} would lie at longitude {lon:.2f}, latitude"
                f" {lat:.2f}, far from where this CRS is used: the file is probably in another CRS",
            )


# Degrees beyond the area of use: UTM zones, for example, are used beyond their limits.
_BEYOND = 5.0
