"""Measures how far an area's mean may be off, and what the manifest declares of it.

    python models/meuse-soc/training/errors.py

Needs what `build.py` writes; takes a few minutes on one core, and says how far it is. Writes
`build/errors.json`, the tables of `README.md` on areas, and the manifest's `error`. Deterministic.
`evaluate.py` runs it too.
"""

from __future__ import annotations

import json

import numpy as np

import area
import card
import covariates
import forest
import layout
import manifest
import target
from build import bands, predict
from correlation import NORMAL_95, Correlation, bounded, error_model, estimate
from intervals import covered, covered_with_error, interval
from progress import progress
from soil_packs.group_means import Bounded, cell_sd, half_widths, mean_interval, own_sd

DISC_METRES = 250.0
# Fewer say little of a mean.
DISC_SAMPLES = 5
FIELD_HECTARES = 10
# The "4 per 1000" initiative's yearly increase of soil carbon: a large change.
YEARLY_CHANGE = 0.004
SHARES = (0.0, 0.5, 1.0)

Bounds = tuple[np.ndarray, np.ndarray]


def standard_error(own: np.ndarray, apart: np.ndarray, model: Correlation, shared: float) -> float:
    """Of the mean of places with these standard deviations: the plain double sum, equal weights."""
    pairs = own @ model.between(apart) @ own
    return float(np.hypot(np.sqrt(pairs) / len(own), shared))


def of_mean(cells: Bounded, se: float) -> tuple[float, float]:
    return mean_interval(cells, np.full(len(cells.mean), 1 / len(cells.mean)), se, NORMAL_95)


def distances(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.hypot(x[:, None] - x[None], y[:, None] - y[None])


def discs(probability: float, model: Correlation) -> list[dict]:
    """Each disc's samples withheld together: their observed mean against three intervals of it."""
    x, y, organic_matter = area.samples()
    value, sd = target.carbon_density(organic_matter), target.carbon_density_sd(organic_matter)
    systematic = target.systematic_relative_sd(organic_matter)
    features = covariates.at_samples()
    apart = distances(x, y)
    found = []
    for centre in progress("discs", range(len(x))):
        inside = apart[centre] <= DISC_METRES
        n = inside.sum()
        if n < DISC_SAMPLES:
            continue
        trained = forest.forest().fit(features[~inside], value[~inside])
        values = np.column_stack([value[~inside], forest.blurred(value[~inside], sd[~inside])])
        at = forest.averaged(trained, features[~inside], values, features[inside])
        mean, low, high = at[:, 0], *interval(at[:, 1:], probability)
        cells = bounded(mean, (low, high))
        own = own_sd(cells, error_model(systematic))
        near = apart[np.ix_(inside, inside)]
        published = standard_error(own, near, model, systematic * mean.mean())
        alone = float(np.linalg.norm(cell_sd(*half_widths(cells), NORMAL_95)) / n)
        own_error = np.sum(sd[inside] ** 2) * (1 - target.SHARED_VARIANCE) / n**2
        error_sd = np.sqrt(own_error + target.SHARED_VARIANCE * sd[inside].mean() ** 2)
        intervals = {
            "averaged": (low.mean(), high.mean()),
            "independent": of_mean(cells, alone),
            "published": of_mean(cells, published),
        }
        observed = value[inside].mean()
        found.append(
            {
                "centre": (x[centre], y[centre]),
                "intervals": intervals,
                "observed": observed,
                "error_sd": error_sd,
            }
        )
    return found


def disjoint(centres: np.ndarray) -> np.ndarray:
    """Indexes of discs without a common point: again and again one that the fewest others overlap."""
    overlap = distances(*centres.T) <= 2 * DISC_METRES
    left, chosen = np.arange(len(centres)), []
    while len(left) > 0:
        fewest = left[np.argmin(overlap[np.ix_(left, left)].sum(axis=1))]
        chosen.append(fewest)
        left = left[~overlap[fewest, left]]
    return np.array(chosen)


def assessed(found: list[dict]) -> dict:
    """Coverage and width by kind of interval."""
    observed = np.array([disc["observed"] for disc in found])
    sd = np.array([disc["error_sd"] for disc in found])
    result: dict[str, object] = {"discs": len(found)}
    for kind in ("averaged", "independent", "published"):
        ends = np.array([disc["intervals"][kind] for disc in found]).T
        bounds: Bounds = (ends[0], ends[1])
        result[kind] = {
            "derived": float(np.mean(covered(bounds, observed))),
            "with_error": float(np.mean(covered_with_error(bounds, observed, sd))),
            "width": float(np.mean(bounds[1] - bounds[0])),
        }
    return result


def field(probability: float, model: Correlation, systematic: float) -> dict:
    """A square field with the map's mean value and bounds in each of its cells."""
    stack = covariates.read_stack()
    mean, low, high = bands(predict(stack[area.mask()]), probability).T
    own = float(own_sd(bounded(mean, (low, high)), error_model(systematic)).mean())
    cells = round(np.sqrt(FIELD_HECTARES * 1e4) / area.CELL)
    col, row = (values.ravel() * area.CELL for values in np.meshgrid(*[np.arange(cells)] * 2))
    alone = standard_error(np.full(cells**2, own), distances(col, row), model, 0.0)
    middle, lowest, highest = (np.array([band.mean()]) for band in (mean, low, high))
    one = bounded(middle, (lowest, highest))
    lower, upper = of_mean(one, float(np.hypot(alone, systematic * mean.mean())))
    change = np.sqrt(2) * NORMAL_95 * alone
    return {
        "mean": float(mean.mean()),
        "averaged": float(np.mean([mean - low, high - mean])),
        "half_width": (upper - lower) / 2,
        # It is that of the difference of two maps with errors of their own; what they share cancels.
        "change": float(change),
        "years": float(change / (YEARLY_CHANGE * mean.mean())),
    }


def measure() -> dict:
    probability = manifest.probability()
    _, _, organic_matter = area.samples()
    rows = []
    for share in progress("correlation", SHARES):
        found = estimate(probability, share)
        systematic = target.systematic_relative_sd(organic_matter, share)
        model = Correlation(found["nugget"], found["range_m"])
        one = field(probability, model, round(systematic, 3))
        rows.append({"share": share, "systematic": round(systematic, 3), **found, **one})
    chosen = next(row for row in rows if row["share"] == target.SHARED_VARIANCE)
    model = Correlation(chosen["nugget"], chosen["range_m"])
    found = discs(probability, model)
    apart = [found[i] for i in disjoint(np.array([disc["centre"] for disc in found]))]
    return {"correlation": rows, "discs": {"all": assessed(found), "disjoint": assessed(apart)}}


def write() -> None:
    report = card.rounded(measure())
    manifest.ERRORS.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")


def main() -> None:
    layout.require_formatter()
    write()
    card.write_tables(json.loads(manifest.ACCURACY.read_text()))
    manifest.write(manifest.probability())


if __name__ == "__main__":
    main()
