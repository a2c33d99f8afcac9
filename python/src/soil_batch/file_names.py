"""Chooses file names that every operating system accepts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

# File systems allow 255 bytes (`NAME_MAX`). The longest names are those of partial downloads
# with the ETag of an S3 multipart upload of 10,000 parts.
_NAME_BYTES = 255 - len(f"_1990-1993-99999.tif.{'0' * 32}-10000.part")
# Windows reserves these names for devices, whatever follows the first dot:
# https://learn.microsoft.com/windows/win32/fileio/naming-a-file
_RESERVED = re.compile(r"^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)", re.IGNORECASE)


def file_names(
    jobs: Sequence[tuple[str, str | None, Sequence[int]]], others: Iterable[str] = ()
) -> list[str]:
    """Names files `<name>_<years>.tif`, or `<name>_<model>_<years>.tif` if the model is given; repeated names get a number.

    :param others: names that are already used
    """
    names = [_file_name(*job) for job in jobs]
    # The first job with a name keeps it: a numbered name must not take the name of another job.
    taken = {_comparison_key(name) for name in others}
    first = []
    for name in names:
        first.append(_comparison_key(name) not in taken)
        taken.add(_comparison_key(name))
    following: dict[str, int] = {}
    result = []
    for name, keeps in zip(names, first):
        if not keeps:
            number = following.get(_comparison_key(name), 2)
            while _comparison_key(_add_number(name, number)) in taken:
                number += 1
            following[_comparison_key(name)] = number + 1
            name = _add_number(name, number)
            taken.add(_comparison_key(name))
        result.append(name)
    return result


def map_years(year: int, temporal: str | None, data_period: Sequence[int] | None) -> Sequence[int]:
    """A static map is named after its data period, not after the requested year."""
    return data_period if temporal == "static" and data_period else (year,)


def years_text(years: Sequence[int]) -> str:
    return "-".join(map(str, dict.fromkeys(years)))


def _file_name(name: str, model: str | None, years: Sequence[int]) -> str:
    between = "" if model is None else f"_{_safe_text(model)}"
    # A long model name leaves less room for the field's name; numbers distinguish names that are cut.
    short = _safe_text(name, max(_NAME_BYTES - len(between.encode()), 1))
    return f"{short}{between}_{years_text(years)}.tif"


def _add_number(name: str, number: int) -> str:
    return f"{name[: -len('.tif')]}-{number}.tif"


def _comparison_key(name: str) -> str:
    """Normalises a name for comparison: macOS and Windows ignore case, and macOS ignores the Unicode form."""
    return unicodedata.normalize("NFC", name).casefold()


def _safe_text(name: str, most_bytes: int = _NAME_BYTES // 2) -> str:
    """Keeps letters, marks and numbers of any script, dots, underscores and hyphens; replaces each run of others with a hyphen."""
    normal = unicodedata.normalize("NFC", name)
    plain = "".join(one if _is_plain(one) else " " for one in normal)
    joined = re.sub(" +", "-", plain).strip(".-")
    joined = _RESERVED.sub(r"\1-", joined)
    short = joined.encode()[:most_bytes].decode(errors="ignore")
    return short.rstrip(".-") or "field"


def _is_plain(character: str) -> bool:
    return character in "._-" or unicodedata.category(character)[0] in "LMN"
