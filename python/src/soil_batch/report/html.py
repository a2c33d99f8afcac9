"""HTML of text and numbers. What is not HTML itself is escaped."""

from __future__ import annotations

import html as standard
import math
import re
import unicodedata
from collections.abc import Iterable
from typing import Any

_MOST_DECIMALS = 4


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def html(template: str, **values: Any) -> Html:
    """The template with the values in its braces. Several values follow each other; None is nothing."""
    return Html(template.format(**{name: _part(value) for name, value in values.items()}))


def joined(parts: Iterable[Any]) -> Html:
    return Html("".join(map(_part, parts)))


def _part(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Html):
        return str(value)
    if isinstance(value, (list, tuple)):
        return joined(value)
    # This is enough for element content and for attributes in quotes (OWASP, rules 1 and 2).
    return standard.escape(str(value)).replace("`", "&#96;")


def shortened(text: str, length: int) -> str:
    """For SVG, whose texts have no direction of their own: without control and format characters."""
    hidden = ("Cc", "Cf", "Cs", "Zl", "Zp")
    plain = "".join(" " if unicodedata.category(one) in hidden else one for one in text)
    plain = re.sub(" +", " ", plain).strip()
    return plain if len(plain) <= length else f"{plain[: length - 1]}…"


def decimals_of(values: Iterable[float | None]) -> int:
    """Digits after the point for a column: those that show four significant ones of the middle value."""
    sizes = sorted(abs(value) for value in values if value)
    if not sizes:
        return 2
    return min(max(3 - math.floor(math.log10(sizes[len(sizes) // 2])), 0), _MOST_DECIMALS)


def figure(value: float | None, decimals: int) -> str:
    """`37.16`, `40,210`; a dash for none. A small value keeps two significant digits."""
    if value is None:
        return "–"
    if value != 0 and abs(value) < 10 ** (1 - decimals):
        digits = max(1 - math.floor(math.log10(abs(value))), 0)
        return f"{value:.{digits}f}"
    return f"{value:,.{decimals}f}"


def estimate_text(
    value: float | None,
    lower: float | None,
    upper: float | None,
    error: float | None,
    decimals: int,
    unit: str = "",
) -> Html:
    """A value with its interval and standard error below it; without an interval the value alone."""
    bounds = sure = None
    if lower is not None and upper is not None:
        text = f"{figure(lower, decimals)} to {figure(upper, decimals)}"
        bounds = html("<br><small>{text}</small>", text=text)
    if error is not None:
        sure = html("<br><small>± {error}</small>", error=figure(error, decimals))
    shown = f"{figure(value, decimals)} {unit}"
    return html("{shown}{bounds}{sure}", shown=shown, bounds=bounds, sure=sure)
