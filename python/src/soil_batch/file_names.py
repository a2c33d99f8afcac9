"""Names of files: plain on every system, the same for the same jobs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

# File systems allow 255 bytes (`NAME_MAX`); a part is the longest name:
# that with the ETag of a multipart upload of S3's 10,000 parts.
_NAME_BYTES = 255 - len(f"_1990-1993-99999.tif.{'0' * 32}-10000.part")
# Windows has devices of these names, whatever follows the first dot:
# https://learn.microsoft.com/windows/win32/fileio/naming-a-file
_RESERVED = re.compile(r"^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)", re.IGNORECASE)


def file_names(
    jobs: Sequence[tuple[str, str | None, Sequence[int]]], others: Iterable[str] = ()
) -> list[str]:
    """`<name>_<year>.tif` of each name and year, or first and last year, with the model between them if it is given; a
    repeated one gets a number.

    :param others: names that no job may have
    """
    names = [_file_name(*job) for job in jobs]
    # The first job of a name keeps it, so that a number never takes a name that another job has.
    taken = {_key(name) for name in others}
    first = []
    for name in names:
        first.append(_key(name) not in taken)
        taken.add(_key(name))
    following: dict[str, int] = {}
    result = []
    for name, keeps in zip(names, first):
        if not keeps:
            number = following.get(_key(name), 2)
            while _key(_numbered(name, number)) in taken:
                number += 1
            following[_key(name)] = number + 1
            name = _numbered(name, number)
            taken.add(_key(name))
        result.append(name)
    return result


def map_years(year: int, temporal: str | None, data_period: Sequence[int] | None) -> Sequence[int]:
    """Years that name a map: a static one is of the years of its data, whatever year was requested."""
    return data_period if temporal == "static" and data_period else (year,)


def years_text(years: Sequence[int]) -> str:
    return "-".join(map(str, dict.fromkeys(years)))


def _file_name(name: str, model: str | None, years: Sequence[int]) -> str:
    between = "" if model is None else f"_{_safe(model)}"
    # A long model leaves less for the name, which numbers then tell apart.
    short = _safe(name, max(_NAME_BYTES - len(between.encode()), 1))
    return f"{short}{between}_{years_text(years)}.tif"


def _numbered(name: str, number: int) -> str:
    return f"{name[: -len('.tif')]}-{number}.tif"


def _key(name: str) -> str:
    """File systems of macOS and Windows ignore case, that of macOS the Unicode form."""
    return unicodedata.normalize("NFC", name).casefold()


def _safe(name: str, most_bytes: int = _NAME_BYTES // 2) -> str:
    """Letters and digits of any script; a hyphen for every run of other characters."""
    normal = unicodedata.normalize("NFC", name)
    plain = "".join(one if _is_plain(one) else " " for one in normal)
    joined = re.sub(" +", "-", plain).strip(".-")
    joined = _RESERVED.sub(r"\1-", joined)
    short = joined.encode()[:most_bytes].decode(errors="ignore")
    return short.rstrip(".-") or "field"


def _is_plain(character: str) -> bool:
    return character in "._-" or unicodedata.category(character)[0] in "LMN"
