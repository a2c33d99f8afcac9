from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..results.display_range import limit_value, pool_ranges
from ..results.facts import ModelFacts
from ..schemas.jobs import JobSummary
from .numbers import choose_ticks

Ramp = Sequence[tuple[int, int, int]]
# These are ColorBrewer's YlOrBr and BuPu in nine classes (https://colorbrewer2.org, by Cynthia A. Brewer, Apache-2.0).
YL_OR_BR: Ramp = (
    *((255, 255, 229), (255, 247, 188), (254, 227, 145), (254, 196, 79), (254, 153, 41)),
    *((236, 112, 20), (204, 76, 2), (153, 52, 4), (102, 37, 6)),
)
BU_PU: Ramp = (
    *((247, 252, 253), (224, 236, 244), (191, 211, 230), (158, 188, 218), (140, 150, 198)),
    *((140, 107, 177), (136, 65, 157), (129, 15, 124), (77, 0, 75)),
)


@dataclass(frozen=True)
class Scale:
    """A colour scale. Values beyond its ends have the colours of the ends."""

    low: float
    high: float
    ramp: Ramp = YL_OR_BR

    def rgb(self, fraction: float) -> tuple[int, int, int]:
        place = min(max(fraction, 0.0), 1.0) * (len(self.ramp) - 1)
        below = min(int(place), len(self.ramp) - 2)
        red, green, blue = (
            round(a + (b - a) * (place - below))
            for a, b in zip(self.ramp[below], self.ramp[below + 1])
        )
        return red, green, blue

    def fraction(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low)

    def colour(self, value: float) -> str:
        return "#{:02x}{:02x}{:02x}".format(*self.rgb(self.fraction(value)))

    @property
    def stops(self) -> list[str]:
        last = len(self.ramp) - 1
        return ["#{:02x}{:02x}{:02x}".format(*self.rgb(at / last)) for at in range(last + 1)]

    @property
    def ticks(self) -> list[float]:
        return choose_ticks(self.low, self.high, 5)


def create_scale(low: float, high: float, ramp: Ramp = YL_OR_BR) -> Scale:
    """Creates a scale, whose ends differ even if `low` and `high` are equal."""
    low, high = limit_value(low), limit_value(high)
    least = abs(low) * 1e-6 or 1e-6
    return Scale(low, high if high - low > least else low + max(least, 1.0), ramp)


def common_scale(summaries: Sequence[JobSummary], model: ModelFacts | None) -> Scale:
    """Creates the scale of a model: the pooled range, or the model's range if all cells have nearly the same value."""
    pooled = pool_ranges(summaries)
    if pooled is not None:
        return Scale(*pooled)
    low, high = (None if model is None else model.display_range) or (summaries[0].mean,) * 2
    return create_scale(low, high)
