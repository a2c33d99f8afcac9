"""Extracts the fields from an archive: a single file, a Shapefile or a file geodatabase."""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from ..errors import SoilError, invalid_input
from .findings import FileRejected
from .limits import LISTED_LAYERS, MOST_BYTES, MOST_FILES, WRITE_AHEAD, format_megabytes

_SINGLE = (".csv", ".fgb", ".geojson", ".gpkg", ".json", ".kml", ".parquet")
_PARTS = (".shp", ".shx", ".dbf", ".prj", ".cpg")
_GDB = re.compile(r"(?:^|.*/)([^/]+\.gdb)/[^/]+$", re.IGNORECASE)
# Metadata files that macOS adds to archives.
_RESOURCE_FORK = re.compile(r"(^|/)(__MACOSX/|\._)")


_Extracted = tuple[Path, str, str | None, str | None]


def extract_archive(path: Path, name: str, layer: str | None) -> _Extracted:
    """Extracts the fields. The archive's folders are not used on disk, because their names could lead anywhere.

    :returns: the extracted file, its name, the layer to read in it, and the label by which `layer` chooses a Shapefile
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return _extract_fields(archive, path.parent / "extracted", name, layer)
    except SoilError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError) as error:
        raise invalid_input(f"{name} is not a complete zip archive: {error}") from None


def _extract_fields(
    archive: zipfile.ZipFile, folder: Path, name: str, layer: str | None
) -> _Extracted:
    infos = [
        one
        for one in archive.infolist()
        if not one.is_dir() and not _RESOURCE_FORK.search(one.filename)
    ]
    if len(infos) > MOST_FILES:
        raise invalid_input(
            f"{name} contains {len(infos)} files, but at most {MOST_FILES} are allowed: archive only the fields"
        )
    databases = {found[1] for one in infos if (found := _GDB.match(one.filename))}
    shapefiles = [one for one in infos if _ending(one) == ".shp"]
    singles = [one for one in infos if _ending(one) in _SINGLE]
    count = len(databases) + len(shapefiles) + len(singles)
    if count == 0:
        raise FileRejected(
            "unknown_format",
            f"{name} does not contain fields, for example as GeoJSON, GeoPackage or Shapefile",
        )
    if count > 1 and len(shapefiles) < count:
        raise FileRejected(
            "layer_needed", f"{name} contains {count} files with fields: extract it and choose one"
        )
    folder.mkdir()
    if databases:
        inner = [one for one in infos if _GDB.match(one.filename)]
        target = folder / "fields.gdb"
        target.mkdir()
        _extract(archive, name, {one: target / PurePosixPath(one.filename).name for one in inner})
        return target, databases.pop(), layer, None
    if singles:
        single = folder / f"fields{_ending(singles[0])}"
        path = singles[0].filename
        beside = {f"{path}{one}": Path(f"{single}{one}") for one in WRITE_AHEAD}
        parts = {one: beside[one.filename] for one in infos if one.filename in beside}
        _extract(archive, name, {singles[0]: single, **parts})
        return single, PurePosixPath(path).name, layer, None
    main, label = _choose_shapefile(name, shapefiles, layer)
    whole = PurePosixPath(main.filename)
    parts = {
        one: folder / f"fields{_ending(one)}"
        for one in infos
        if PurePosixPath(one.filename).with_suffix("") == whole.with_suffix("")
        and _ending(one) in _PARTS
    }
    _extract(archive, name, parts)
    return folder / "fields.shp", whole.name, None, label


def _choose_shapefile(
    name: str, shapefiles: list[zipfile.ZipInfo], layer: str | None
) -> tuple[zipfile.ZipInfo, str]:
    """Chooses a Shapefile by its name, unless several share it, or by its path."""
    paths = [str(PurePosixPath(one.filename).with_suffix("")) for one in shapefiles]
    stems = [PurePosixPath(one).name for one in paths]
    labels = [stem if stems.count(stem) == 1 else path for stem, path in zip(stems, paths)]
    chosen = [at for at, one in enumerate(zip(labels, paths)) if layer is None or layer in one]
    if len(chosen) != 1:
        raise wrong_layer_error(name, labels, None if layer in stems else layer)
    return shapefiles[chosen[0]], labels[chosen[0]]


def wrong_layer_error(name: str, layers: list[str], wanted: str | None) -> FileRejected:
    if not layers:
        return FileRejected("no_polygons", f"{name} has no layer with geometry")
    shown = [f'"{one}"' for one in layers[:LISTED_LAYERS]]
    more = len(layers) - len(shown)
    listed = ", ".join([*shown, *([f"{more} more"] if more > 0 else [])])
    if wanted is None:
        return FileRejected(
            "layer_needed", f"{name} has {len(layers)} layers: {listed}; choose one with --layer"
        )
    return FileRejected("layer_unknown", f'{name} has no layer "{wanted}"; it has: {listed}')


def _extract(archive: zipfile.ZipFile, name: str, targets: dict[zipfile.ZipInfo, Path]) -> None:
    left = MOST_BYTES
    for info, target in targets.items():
        if info.flag_bits & 1:
            raise invalid_input(f"{name} is encrypted: extract the fields first")
        with archive.open(info) as source, open(target, "xb") as file:
            while block := source.read(1 << 20):
                left -= len(block)
                if left < 0:
                    raise invalid_input(
                        f"the fields in {name} are larger than {format_megabytes(MOST_BYTES)}, the largest size that"
                        " can be read"
                    )
                file.write(block)


def _ending(info: zipfile.ZipInfo) -> str:
    return PurePosixPath(info.filename).suffix.lower()
