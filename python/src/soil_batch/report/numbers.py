from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence


def decimals_of(values: Iterable[float | None], most: int = 4) -> int:
    """Returns the number of decimals for a column, at most `most`, such that the median has four significant digits."""
    sizes = sorted(abs(value) for value in values if value)
    if not sizes:
        return 2
    return min(max(3 - math.floor(math.log10(sizes[len(sizes) // 2])), 0), most)


def figure_text(value: float | None, decimals: int | None = None) -> str:
    """Formats a number: `37.16`, `40,210`, or a dash for None. Small values keep two significant digits."""
    if value is None:
        return "–"
    if decimals is None:
        decimals = decimals_of([value])
    if value != 0 and abs(value) < 10 ** (1 - decimals):
        digits = max(1 - math.floor(math.log10(abs(value))), 0)
        return f"{value:.{digits}f}"
    return f"{value:,.{decimals}f}"


def range_text(pair: Sequence[float]) -> str:
    """Formats a range: `1990–1993`, or `2021` for a single year."""
    return "–".join(dict.fromkeys(f"{one:g}" for one in pair))


def plain_text(text: str, length: int) -> str:
    """Shortens a text, and removes control and format characters: SVG cannot isolate the direction of a text."""
    hidden = ("Cc", "Cf", "Cs", "Zl", "Zp")
    shown = "".join(" " if unicodedata.category(one) in hidden else one for one in text)
    shown = re.sub(" +", " ", shown).strip()
    return shown if len(shown) <= length else f"{shown[: length - 1]}…"


def choose_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Returns ticks at multiples of the smallest round step (1, 2 or 5 × 10ⁿ) that needs at most `most` ticks."""
    step = choose_step(low, high, most)
    # Rounding to 15 digits hides that doubles cannot represent multiples of 0.1 exactly.
    ticks = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return [float(f"{at * step:.15g}") for at in ticks]


def choose_step(low: float, high: float, most: int) -> float:
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    steps = (factor * power for factor in (1, 2, 5, 10))
    fits = (one for one in steps if math.floor(high / one) - math.ceil(low / one) < most)
    return next(fits, high - low)
