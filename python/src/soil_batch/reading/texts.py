"""Decodes text in files, many of which declare no encoding or a wrong one."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass

from .findings import FileRejected, Remark

# The code pages of the language drivers in byte 29 of a dBASE table, as in GDAL.
_CODE_PAGES = {
    437: (1, 11, 13, 15, 17, 21, 24, 25, 27),
    737: (106, 134),
    850: (2, 10, 14, 16, 18, 20, 22, 26, 29, 37, 55),
    852: (31, 34, 35, 64, 100, 135),
    857: (107, 136),
    860: (36,),
    861: (103,),
    863: (28, 108),
    865: (8, 23, 102),
    866: (38, 101),
    874: (80, 124),
    932: (19, 123),
    936: (77, 122),
    949: (78, 121),
    950: (79, 120),
    1250: (200,),
    1251: (201,),
    1252: (3, 88, 89),
    1253: (203,),
    1254: (202,),
    1257: (204,),
}
# Windows programs may declare an encoding but write a superset of it (Encoding Standard, 4.2).
_WIDER = {
    "ascii": "cp1252",
    "euc_kr": "cp949",
    "gb2312": "gbk",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "shift_jis": "cp932",
    "tis-620": "cp874",
}
_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
    # XML in UTF-16 may lack a byte order mark (XML 1.0, appendix F).
    b"<\0": "utf-16-le",
    b"\0<": "utf-16-be",
}
_FALLBACK = "cp1252"
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# Windows-1252 leaves five bytes undefined; the WHATWG Encoding Standard decodes them to control characters.
codecs.register_error("soil_batch", lambda error: _decode_undefined(error))


def _decode_undefined(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    text = error.object[error.start : error.end].decode("latin-1")
    return (text if error.encoding == _FALLBACK else _REPLACEMENT), error.end


def marked_encoding(content: bytes) -> str | None:
    return next((name for mark, name in _MARKS.items() if content.startswith(mark)), None)


def find_codec(name: str) -> str | None:
    """Finds Python's codec for a name such as ANSI 1252, 65001, GBK or ISO 8859-15; None for an unknown name."""
    text = name.strip().lower()
    if found := re.search(r"8859[-_ ]?(\d{1,2})$", text):
        text = f"iso8859-{found[1]}"
    elif found := re.search(r"(?:^|[a-z][-_ ]?|\s)(\d{3,5})$", text):
        text = "utf-8" if found[1] == "65001" else f"cp{found[1]}" if len(found[1]) < 5 else text
    # The digits of some names, such as GB2312, are not a code page.
    for one in (text, name.strip()):
        try:
            codec = codecs.lookup(one)
        except (LookupError, ValueError):
            continue
        # Some Python codecs are not encodings: they compress or escape bytes.
        is_text = getattr(codec, "_is_text_encoding", True)
        return _WIDER.get(codec.name, codec.name) if is_text else None
    return None


def find_code_page(language_driver: int) -> str | None:
    return next((f"cp{one}" for one, ids in _CODE_PAGES.items() if language_driver in ids), None)


def require_codec(encoding: str) -> str:
    codec = find_codec(encoding)
    if codec is None:
        raise FileRejected(
            "encoding_unknown",
            f"{encoding!r} is not a known encoding; expected a name such as UTF-8",
        )
    return codec


@dataclass(frozen=True)
class Text:
    content: bytes
    #: Whether the text fills its column, so that its last character may be cut.
    may_be_cut: bool = False


def decode_file(
    content: bytes, name: str, chosen: str | None, stated: str | None = None
) -> tuple[str, tuple[Remark, ...]]:
    marked = marked_encoding(content)
    codec, remarks = (
        choose_codec([Text(content)], name, chosen, stated) if marked is None else (marked, ())
    )
    return decode_text(content, codec).removeprefix("\ufeff"), remarks


def decode_text(content: bytes, codec: str) -> str:
    return content.decode(codec, "soil_batch")


def choose_codec(
    texts: Sequence[Text], name: str, chosen: str | None, stated: str | None
) -> tuple[str, tuple[Remark, ...]]:
    """Chooses the user's encoding, or else the declared encoding, UTF-8 or Windows-1252, whichever fits first.

    A remark reports a guess or a misfit. A wrong encoding changes only letters, so it is not an error.
    """
    if chosen is not None:
        is_wrong = any(_REPLACEMENT in decode_text(_trim(one, chosen), chosen) for one in texts)
        return chosen, _remark_if(
            is_wrong, f"Some text in {name} is not in {chosen}: check the encoding."
        )
    declared = None if stated is None else find_codec(stated)
    if declared is not None and _fits_codec(texts, declared):
        return declared, ()
    is_ascii = all(one.content.isascii() for one in texts)
    # At the end of a full column, an accented letter in Windows-1252 looks like a cut UTF-8 character.
    if is_ascii or (
        _fits_codec(texts, "utf-8") and not all(_trim(one, "utf-8").isascii() for one in texts)
    ):
        is_guess = stated is not None and not is_ascii
        return "utf-8", _remark_if(is_guess, _describe_guess(name, stated, "UTF-8"))
    return _FALLBACK, _remark_if(True, _describe_guess(name, stated, "Windows-1252"))


def _fits_codec(texts: Sequence[Text], codec: str) -> bool:
    try:
        for one in texts:
            _trim(one, codec).decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _trim(text: Text, codec: str) -> bytes:
    return text.content[: trimmed_length(text, codec)]


def trimmed_length(text: Text, codec: str) -> int:
    if not text.may_be_cut:
        return len(text.content)
    decoder = codecs.getincrementaldecoder(codec)("soil_batch")
    decoder.decode(text.content)
    return len(text.content) - len(decoder.getstate()[0])


def _describe_guess(name: str, stated: str | None, guess: str) -> str:
    said = "UTF-8" if stated is None else f"{stated[:40]}, its declared encoding"
    return (
        f"The text in {name} cannot be read as {said}; it was read as {guess}. If letters look wrong,"
        " name the encoding with --encoding."
    )


def _remark_if(holds: bool, text: str) -> tuple[Remark, ...]:
    return (Remark("encoding", text),) if holds else ()
