"""Texts of files: many say nothing of their encoding, and some say the wrong one."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass

from .findings import FileRejected, Remark

# Byte 29 of a dBASE table names a language driver; GDAL knows these code pages for it.
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
# Programs of Windows name an encoding and write a wider one (Encoding Standard, 4.2).
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
    # XML in UTF-16 may have no mark (XML 1.0, appendix F).
    b"<\0": "utf-16-le",
    b"\0<": "utf-16-be",
}
_FALLBACK = "cp1252"
_REPLACED = "\N{REPLACEMENT CHARACTER}"
# Windows-1252 leaves five bytes undefined; the WHATWG's encoding standard makes them controls.
codecs.register_error("soil_batch", lambda error: _undefined(error))


def _undefined(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    text = error.object[error.start : error.end].decode("latin-1")
    return (text if error.encoding == _FALLBACK else _REPLACED), error.end


def marked_encoding(content: bytes) -> str | None:
    return next((name for mark, name in _MARKS.items() if content.startswith(mark)), None)


def codec_of(name: str) -> str | None:
    """Python's codec for a name such as ANSI 1252, 65001, GBK or ISO 8859-15; None for an unknown one."""
    text = name.strip().lower()
    if found := re.search(r"8859[-_ ]?(\d{1,2})$", text):
        text = f"iso8859-{found[1]}"
    elif found := re.search(r"(?:^|[a-z][-_ ]?|\s)(\d{3,5})$", text):
        text = "utf-8" if found[1] == "65001" else f"cp{found[1]}" if len(found[1]) < 5 else text
    # The digits of some, such as GB2312, are not a code page.
    for one in (text, name.strip()):
        try:
            codec = codecs.lookup(one)
        except (LookupError, ValueError):
            continue
        # Python also calls codecs what compresses or escapes bytes.
        is_text = getattr(codec, "_is_text_encoding", True)
        return _WIDER.get(codec.name, codec.name) if is_text else None
    return None


def code_page(language_driver: int) -> str | None:
    return next((f"cp{one}" for one, ids in _CODE_PAGES.items() if language_driver in ids), None)


def require_codec(encoding: str) -> str:
    codec = codec_of(encoding)
    if codec is None:
        raise FileRejected(
            "encoding_unknown", f"{encoding!r} is not the name of an encoding, such as UTF-8"
        )
    return codec


@dataclass(frozen=True)
class Text:
    content: bytes
    #: Whether it fills a column, which may have cut its last character.
    may_be_cut: bool = False


def decoded(
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
    """
    What the user chose, or the file states, or UTF-8, or Windows-1252. A remark tells of a guess: a wrong one
    changes letters alone.
    """
    if chosen is not None:
        is_wrong = any(_REPLACED in decode_text(_whole(one, chosen), chosen) for one in texts)
        return chosen, _remark(is_wrong, f"Some texts of {name} are not in {chosen}.")
    own = None if stated is None else codec_of(stated)
    if own is not None and _are_in(texts, own):
        return own, ()
    is_ascii = all(one.content.isascii() for one in texts)
    # An accent in Windows-1252 that ends a full column looks like a character that was cut.
    if is_ascii or (
        _are_in(texts, "utf-8") and not all(_whole(one, "utf-8").isascii() for one in texts)
    ):
        is_guess = stated is not None and not is_ascii
        return "utf-8", _remark(is_guess, _guess(name, stated, "UTF-8"))
    return _FALLBACK, _remark(True, _guess(name, stated, "Windows-1252"))


def _are_in(texts: Sequence[Text], codec: str) -> bool:
    try:
        for one in texts:
            _whole(one, codec).decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _whole(text: Text, codec: str) -> bytes:
    return text.content[: whole_length(text, codec)]


def whole_length(text: Text, codec: str) -> int:
    """Without the bytes of a character that a column cut."""
    if not text.may_be_cut:
        return len(text.content)
    decoder = codecs.getincrementaldecoder(codec)("soil_batch")
    decoder.decode(text.content)
    return len(text.content) - len(decoder.getstate()[0])


def _guess(name: str, stated: str | None, guess: str) -> str:
    said = "UTF-8" if stated is None else f"{stated[:40]}, as it says"
    return (
        f"The text in {name} is not in {said}; it was read as {guess}. If letters are wrong, name"
        " the encoding with --encoding."
    )


def _remark(holds: bool, text: str) -> tuple[Remark, ...]:
    return (Remark("encoding", text),) if holds else ()
