"""`npm run pack-errors`: estimates the manifest's `error` from samples that were withheld together."""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pandas
from scipy.integrate import quad
from scipy.stats import norm

from . import commands
from .commands import PackError
from .correlation import REPLICATES, Errors, fit_errors
from .group_means import (
    LEAST_OF_GROUP,
    BoundedPredictions,
    ErrorModel,
    contains_mean,
    metres_between,
    own_sd,
)
from .resampling import estimate_share, format_figure, index_groups, share_text
from .samples import names, numbers, positions, read_file

HELP = """Estimates the manifest's "error": the spatial correlation and the standard deviation of errors, which
determine the interval of an area's mean. The table has a row for each sample, predicted by a model that was
trained without the sample's fold: columns lon and lat (WGS84), mean, q05, q95, fold and the measured values.
For the correlation, only pairs of samples in the same fold count. Warns of too few close pairs, and of bounds
that do not fit the errors."""
CODES = """Exit code 1: all samples are in the same fold, too few near pairs or too many pairs were withheld together, or
a file could not be read; 2: the command line is invalid."""

#: Pairs determine the nugget if they are closer than this, in metres or in multiples of the fitted range, whichever is
#: more. The last number is how many such pairs are usually needed.
CLOSE_M, CLOSE_RANGES, USUAL_CLOSE = 100, 0.3, 60
#: The bootstrap of this many pairs takes minutes.
MOST_PAIRS = 1_000_000
#: The standard deviation of standardised errors lies in this range if the map's bounds are about right.
RIGHT_SPREAD = 0.8, 1.25


def main() -> None:
    parser = _parser()
    options = parser.parse_args()
    upper_level = _upper_level(options.lower, options.upper)
    if upper_level is None:
        parser.error(
            "--lower and --upper must be names of two quantiles whose levels add up to 1, such as q05 and q95;"
            f" got {options.lower} and {options.upper}"
        )
    found = estimate_errors(
        read_file(options.file),
        target=options.target,
        group=options.group,
        lower=options.lower,
        upper=options.upper,
        systematic=options.systematic,
        max_metres=options.max_metres,
        command=f"npm run pack-errors -- {' '.join(sys.argv[1:])}",
    )
    for line in error_warnings(found):
        print(f"warning: {line}", file=sys.stderr)
    if options.json:
        return print(json.dumps(found, indent=2, ensure_ascii=False))
    print("\n".join(report_lines(found)))
    print(f'"error": {json.dumps(found["error"], indent=2, ensure_ascii=False)}')


def estimate_errors(
    table: pandas.DataFrame,
    *,
    target: str,
    group: str | None = None,
    lower: str = "q05",
    upper: str = "q95",
    systematic: float = 0.0,
    max_metres: float | None = None,
    command: str = "npm run pack-errors",
    replicates: int = REPLICATES,
) -> dict[str, Any]:
    """Estimates the manifest's `error`, and returns it with the figures behind it.

    :raises PackError: if the bounds are not named as opposite quantiles, all samples are in the same fold, too few pairs
        are close together, or there are too many pairs
    """
    upper_level = _upper_level(lower, upper)
    if upper_level is None:
        raise PackError(
            f"{lower} and {upper} are not the names of two quantiles whose levels add up to 1: name the bounds like q05 and"
            " q95"
        )
    places = positions(table)
    values = [numbers(table, name) for name in (target, "mean", lower, upper)]
    samples = BoundedPredictions(places, *values)
    folds = names(table, "fold")
    groups = None if group is None else names(table, group)
    if len(set(folds)) == 1:
        raise PackError(
            f"all {len(folds)} samples are in the fold {folds[0]}, but a cross-validation has several folds."
            " Withhold some blocks at a time, predict their samples, and give each sample its fold"
        )
    z = float(norm.ppf(upper_level))
    reach = usual_reach(places, folds) if max_metres is None else max_metres
    # Nugget and range do not affect single errors.
    single = ErrorModel(z, systematic, nugget=0, range_m=1)
    errors, without_width = _make_pairs(samples, folds, groups, single, reach)
    ratios = _standardise_errors(samples, single)
    fitted = fit_errors(errors, replicates)
    declared = fitted["declared"]
    spread = fitted["standardised_sd"]
    close_m = max(CLOSE_M, CLOSE_RANGES * fitted["fit"]["range_m"])
    model = ErrorModel(z, systematic, declared["nugget"], declared["range_m"], spread)
    inside = (samples.observed >= samples.lower) & (samples.observed <= samples.upper)
    return {
        "error": {
            "lower": lower,
            "upper": upper,
            "correlation": {
                "model": "exponential",
                "nugget": declared["nugget"],
                "range_m": declared["range_m"],
            },
            "systematic_relative_sd": systematic,
            **({"standardised_sd": spread} if spread > 1 else {}),
            "how": f"{fitted['pairs']} pairs of samples less than {reach:.0f} m apart that were withheld"
            " together; standard deviation, nugget and integral at their one-sided 80 % bounds",
            "command": command,
        },
        **fitted,
        "samples": len(folds),
        "close_m": close_m,
        "close_pairs": int((errors.metres < close_m).sum()),
        "without_width": without_width,
        "level": 2 * upper_level - 1,
        "inside": estimate_share(inside),
        # If the bounds are right, these have mean 0 and sd 1.
        "standardised_errors": {"mean": float(ratios.mean()), "sd": float(ratios.std())},
        "group_means": None
        if groups is None
        else _compare_group_means(samples, folds, groups, model),
    }


def _upper_level(lower: str, upper: str) -> float | None:
    """Returns the level of the upper bound; None unless both names are quantiles whose levels add up to 1."""
    levels = [_named_level(name) for name in (lower, upper)]
    if None in levels or not math.isclose(sum(levels), 1, abs_tol=1e-9):
        return None
    return max(levels)


def _named_level(column: str) -> float | None:
    """Returns the level in a column's name; None if it has no level, or an ambiguous one such as q5 (0.5 or 0.05)."""
    digits = re.fullmatch(r"[pq](\d+)", column)
    if digits is None:
        return None
    levels = {float(f"0.{digits[1]}"), int(digits[1]) / 100} - {0.0}
    possible = [level for level in levels if level < 1]
    return possible[0] if len(possible) == 1 else None


def usual_reach(places: np.ndarray, folds: np.ndarray) -> float:
    """Returns a third of the diagonal of the samples' extent, as in gstat's `variogram`, but at most the diagonal of the
    most extensive fold."""
    diagonal = lambda some: float(metres_between(some.min(axis=0), some.max(axis=0)))
    farthest = max(diagonal(places[fold]) for fold in index_groups(folds).values())
    third = diagonal(places) / 3
    return third if farthest == 0 else min(third, farthest)


def _make_pairs(
    samples: BoundedPredictions,
    folds: np.ndarray,
    groups: np.ndarray | None,
    model: ErrorModel,
    reach: float,
) -> tuple[Errors, int]:
    """Computes errors with the standard deviations that their bounds imply, and pairs the errors at different places that
    were withheld together. Also returns the number of errors left out, because their bounds imply the standard deviation 0.

    If each error were divided by the half-width on its own side, skewed errors would not have the mean 0, which would
    create a spurious correlation. A model that saw one sample of a pair predicts the other sample better, which hides
    the correlation.
    """
    errors = samples.observed - samples.mean
    widths = own_sd(samples, model)
    kept = widths > 0
    errors, widths = errors[kept], widths[kept]
    # Each place occurs once in each repeat of a cross-validation.
    _, place = np.unique(samples.places, axis=0, return_inverse=True)
    place = place.ravel()
    units = _number_keys(place if groups is None else groups)[kept]
    place, where = place[kept], samples.places[kept]
    pairs = []
    for together in index_groups(folds[kept]).values():
        first, second = (together[i] for i in np.tril_indices(len(together), -1))
        metres = metres_between(where[first], where[second])
        near = (metres < reach) & (place[first] != place[second])
        pairs.append(np.column_stack([first, second])[near])
    first, second = np.concatenate(pairs).T
    if len(first) > MOST_PAIRS:
        raise PackError(
            f"more than {MOST_PAIRS:,} pairs are closer than {reach:.0f} m: pass a smaller --max-metres"
        )
    ends = np.sort([place[first], place[second]], axis=0)
    found = Errors(
        max_metres=reach,
        squares=errors**2,
        variances=widths**2,
        units=units,
        first=units[first],
        second=units[second],
        metres=metres_between(where[first], where[second]),
        products=errors[first] * errors[second],
        weights=widths[first] * widths[second],
        places=ends[0] * (place.max() + 1) + ends[1],
    )
    return found, int((~kept).sum())


def _standardise_errors(samples: BoundedPredictions, model: ErrorModel) -> np.ndarray:
    """Divides errors by the standard deviation that the bounds imply, and leaves out errors with the standard deviation 0."""
    widths = own_sd(samples, model)
    kept = widths > 0
    return (samples.observed - samples.mean)[kept] / widths[kept]


def _number_keys(keys: np.ndarray) -> np.ndarray:
    numbers = {key: at for at, key in enumerate(dict.fromkeys(keys.tolist()))}
    return np.array([numbers[key] for key in keys.tolist()])


def _compare_group_means(
    samples: BoundedPredictions, folds: np.ndarray, groups: np.ndarray, model: ErrorModel
) -> dict[str, Any] | None:
    """Counts how often the declared interval of a group's mean contains the mean of its measurements.

    Only groups of at least two samples that were withheld whole count; None if there is no such group.
    """
    every = list(index_groups(groups).values())
    whole = [one for one in every if len(one) >= LEAST_OF_GROUP and len(set(folds[one])) == 1]
    if not whole:
        return None
    inside = [contains_mean(samples.select(one), model) for one in whole]
    return {"inside": estimate_share(inside), "left_out": len(every) - len(whole)}


def report_lines(found: dict[str, Any]) -> Iterator[str]:
    without, spread = found["without_width"], found["standardised_errors"]
    note = (
        f" (left out, because their bounds are equal or show only the systematic error: {without})"
        if without
        else ""
    )
    yield f"{found['samples']} samples{note}"
    yield (
        "errors ÷ the standard deviation that the bounds imply: mean"
        f" {format_figure(spread['mean'])} (ideally 0), sd {format_figure(spread['sd'])} (ideally 1),"
        f" at most {format_figure(found['spread_bound'])} (one-sided 80 % bound)"
    )
    yield f"{found['pairs']} pairs less than {format_figure(found['max_m'])} m apart that were withheld together:"
    for lag in found["lags"]:
        correlation = "–" if lag["correlation"] is None else format_figure(lag["correlation"])
        ends = f"{format_figure(lag['from_m'])} to {format_figure(lag['to_m'])} m"
        yield f"  {ends}: {lag['pairs']} pairs, correlation {correlation}"
    yield f"fit: {_correlation_text(found['fit'])}"
    yield f"declared, at one-sided 80 % bounds: {_correlation_text(found['declared'])}"
    yield f"pairs less than {format_figure(found['close_m'])} m apart: {found['close_pairs']}; the nugget needs about {USUAL_CLOSE}"
    yield "half-width of the interval of an area's mean ÷ that of a cell, with the fitted and with the declared correlation:"
    for hectares in (1, 10, 100, 1_000):
        ratios = [format_figure(area_ratio(found[of], hectares)) for of in ("fit", "declared")]
        yield f"  {hectares:,} ha: {' and '.join(ratios)}"
    means = found["group_means"]
    if means is not None:
        left = means["left_out"]
        note = (
            f" (groups left out, because they were not withheld whole or have a single sample: {left})"
            if left
            else ""
        )
        yield f"means of groups in their declared interval: {share_text(means['inside'])}{note}"


def _correlation_text(correlation: dict[str, float]) -> str:
    range_m, integral = (
        format_figure(correlation["range_m"]),
        format_figure(correlation["integral_ha"]),
    )
    return f"nugget {correlation['nugget']:.2f}, range {range_m} m, integral {integral} ha"


def area_ratio(correlation: dict[str, float], hectares: float) -> float:
    """Computes the half-width of the interval of a square's mean ÷ that of a cell, for cells so small that nuggets average out.

    The ratio is the root of the mean correlation between two random places in the square. Ghosh (1951) gives the density
    of their distance.
    """
    edge = 100 * np.sqrt(hectares)
    share, range_m = 1 - correlation["nugget"], correlation["range_m"]

    def density(h: float) -> float:
        t = h / edge
        if t <= 1:
            return 2 * t * (np.pi - 4 * t + t**2) / edge
        return (
            2
            * t
            * (2 * np.arcsin(1 / t) - 2 * np.arccos(1 / t) + 4 * np.sqrt(t**2 - 1) - 2 - t**2)
            / edge
        )

    ends = [0, edge, np.sqrt(2) * edge]
    parts = [
        quad(lambda h: density(h) * np.exp(-h / range_m), a, b, points=[min(max(range_m, a), b)])[0]
        for a, b in pairwise(ends)
    ]
    return float(np.sqrt(share * sum(parts)))


def error_warnings(found: dict[str, Any]) -> Iterator[str]:
    if found["close_pairs"] < USUAL_CLOSE:
        yield (
            f"few pairs are closer than {format_figure(found['close_m'])} m: {found['close_pairs']}, but estimating the nugget takes"
            f" about {USUAL_CLOSE}. Take more samples close together"
        )
    sd, (least, most) = found["standardised_errors"]["sd"], RIGHT_SPREAD
    # Rare large errors, such as in unmapped peat, increase the spread although no more values than claimed lie outside.
    is_rare = sd > most and found["inside"]["upper"] >= found["level"]
    if least <= sd <= most or is_rare:
        return
    hint = (
        "these bounds are too wide, or the model was trained on these samples"
        if sd < least
        else "these bounds are too narrow for samples that the model did not see"
    )
    yield (
        f"errors ÷ the standard deviation that the bounds imply have an sd of {format_figure(sd)};"
        f" it is about 1 ({least} to {most}) if the bounds are right: {hint}"
    )


def _parser() -> argparse.ArgumentParser:
    parser = commands.create_parser("pack-errors", HELP, CODES)
    option = parser.add_argument
    option("file", metavar="withheld.csv")
    option("--target", required=True, metavar="COLUMN", help="column of the measured values")
    option(
        "--group",
        metavar="COLUMN",
        help="column of groups with similar samples (a field, a spatial block): resamples whole groups, and"
        " checks the intervals of the means of groups that were withheld whole",
    )
    option(
        "--lower",
        default="q05",
        metavar="COLUMN",
        help="column of the lower bound, named like its band (default: q05)",
    )
    option(
        "--upper", default="q95", metavar="COLUMN", help="column of the upper bound (default: q95)"
    )
    option(
        "--systematic",
        default=0,
        type=_parse_non_negative,
        metavar="SHARE",
        help="standard deviation of the error that all cells share, ÷ value (default: 0)",
    )
    option(
        "--max-metres",
        type=_parse_non_negative,
        metavar="METRES",
        help="largest distance between the two samples of a pair (default: a third of the diagonal of the samples' extent, but at"
        " most the diagonal of the most extensive fold)",
    )
    option("--json", action="store_true", help="print JSON")
    return parser


def _parse_non_negative(text: str) -> float:
    value = float(text)
    if value >= 0 and math.isfinite(value):
        return value
    raise argparse.ArgumentTypeError(f"must be a number of at least 0; got {text}")
