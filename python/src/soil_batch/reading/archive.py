"""Archives of one file of fields, or of one Shapefile or geodatabase."""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from ..errors import SoilError, invalid_input
from .limits import LISTED_LAYERS, MOST_BYTES, MOST_FILES, megabytes

_SINGLE = (".csv", ".fgb", ".geojson", ".gpkg", ".json", ".kml", ".parquet")
_PARTS = (".shp", ".shx", ".dbf", ".prj", ".cpg")
_GDB = re.compile(r"(?:^|.*/)([^/]+\.gdb)/[^/]+$", re.IGNORECASE)
# What macOS adds for each file.
_RESOURCE_FORK = re.compile(r"(^|/)(__MACOSX/|\._)")


def extracted(path: Path, name: str, layer: str | None) -> tuple[Path, str, str | None]:
    """The file in the archive, its name, and the layer to read in it. Names in archives name nothing on disk."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _extracted(archive, path.parent / "extracted", name, layer)
    except SoilError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError) as error:
        raise invalid_input(f"{name} is not a whole zip archive: {error}") from None


def _extracted(
    archive: zipfile.ZipFile, folder: Path, name: str, layer: str | None
) -> tuple[Path, str, str | None]:
    infos = [
        one
        for one in archive.infolist()
        if not one.is_dir() and not _RESOURCE_FORK.search(one.filename)
    ]
    if len(infos) > MOST_FILES:
        raise invalid_input(
            f"{name} has {len(infos)} files; at most {MOST_FILES} can be read: archive the fields alone"
        )
    databases = {found[1] for one in infos if (found := _GDB.match(one.filename))}
    shapefiles = [one for one in infos if _ending(one) == ".shp"]
    singles = [one for one in infos if _ending(one) in _SINGLE]
    count = len(databases) + len(shapefiles) + len(singles)
    if count == 0:
        raise invalid_input(
            f"{name} has no file of fields, such as GeoJSON, GeoPackage or Shapefile"
        )
    if count > 1 and len(shapefiles) < count:
        raise invalid_input(f"{name} has {count} files of fields: extract it and name one of them")
    folder.mkdir()
    if databases:
        inner = [one for one in infos if _GDB.match(one.filename)]
        target = folder / "fields.gdb"
        target.mkdir()
        _extract(archive, name, {one: target / PurePosixPath(one.filename).name for one in inner})
        return target, databases.pop(), layer
    if singles:
        single = folder / f"fields{_ending(singles[0])}"
        _extract(archive, name, {singles[0]: single})
        return single, PurePosixPath(singles[0].filename).name, layer
    main = _chosen(name, shapefiles, layer)
    whole = PurePosixPath(main.filename)
    parts = {
        one: folder / f"fields{_ending(one)}"
        for one in infos
        if PurePosixPath(one.filename).with_suffix("") == whole.with_suffix("")
        and _ending(one) in _PARTS
    }
    _extract(archive, name, parts)
    return folder / "fields.shp", whole.name, None


def _chosen(name: str, shapefiles: list[zipfile.ZipInfo], layer: str | None) -> zipfile.ZipInfo:
    names = [PurePosixPath(one.filename).stem for one in shapefiles]
    chosen = [one for one, own in zip(shapefiles, names) if layer in (None, own)]
    if len(chosen) != 1:
        raise wrong_layer(name, names, layer)
    return chosen[0]


def wrong_layer(name: str, layers: list[str], wanted: str | None) -> SoilError:
    if not layers:
        return invalid_input(f"{name} has no layer with geometry")
    shown = [f'"{one}"' for one in layers[:LISTED_LAYERS]]
    more = len(layers) - len(shown)
    listed = ", ".join([*shown, *([f"{more} more"] if more > 0 else [])])
    if wanted is None:
        return invalid_input(f"{name} has {len(layers)} layers: {listed}; choose one with --layer")
    return invalid_input(f'{name} has no layer "{wanted}", but {listed}')


def _extract(archive: zipfile.ZipFile, name: str, targets: dict[zipfile.ZipInfo, Path]) -> None:
    """`zipfile` checks the checksum of each entry at its end."""
    left = MOST_BYTES
    for info, target in targets.items():
        if info.flag_bits & 1:
            raise invalid_input(f"{name} is encrypted: extract it first")
        with archive.open(info) as source, open(target, "xb") as file:
            while block := source.read(1 << 20):
                left -= len(block)
                if left < 0:
                    raise invalid_input(
                        f"the fields in {name} have more than {megabytes(MOST_BYTES)}, which is the"
                        " most that can be read"
                    )
                file.write(block)


def _ending(info: zipfile.ZipInfo) -> str:
    return PurePosixPath(info.filename).suffix.lower()
