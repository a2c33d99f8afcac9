"""Validates a pack with held-out samples: accuracy, coverage, and contradictions beyond chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import KDTree
from scipy.stats import norm

from .commands import PackError
from .group_means import (
    LEAST_OF_GROUP,
    BoundedPredictions,
    ErrorModel,
    contains_mean,
    metres_between,
    own_sd,
    whole_sd,
)
from .resampling import (
    bootstrap_interval,
    estimate_share,
    estimate_text,
    format_figure,
    index_groups,
    share_text,
)

LEVEL = 0.95
#: Fewer samples are not judged, because chance could explain large differences.
FEWEST_SAMPLES = 10
#: A difference is not attributed to chance if the whole interval of this level is beyond the tolerated values.
CERTAIN = 0.99
TOLERATED_COVERAGE = 0.03
TOLERATED_CORRELATION = 0.1
#: Half a power of ten: a ratio above this, or below its inverse, is closer to a tenfold error than to 1.
TOLERATED_RATIO = np.sqrt(10)
#: The tolerated range of the mean prediction ÷ the mean measurement. It is narrow, because stocks inherit the whole bias.
TOLERATED_BIAS = 0.9, 1.1
#: With fewer units (groups, or samples without groups), bootstrap intervals are too narrow to refuse a bias, or to doubt a
#: coverage.
FEWEST_UNITS = 10
#: With a higher R², a soil model has probably seen the samples.
MOST_R2 = 0.9
#: Wrong covariates or targets also make intervals wrong, so they must be checked first.
CALIBRATE = (
    "If the covariates' files and order, the datum and the order of the targets are right,"
    " calibrate the bounds on samples that the model did not see"
)
NO_SKILL = "these samples cannot show skill: the 95 % interval of R² is not wholly above 0, the R² of a map that has the measurements' mean everywhere"
ESTIMATE = "Estimate error.correlation from pairs of samples that were withheld together"


@dataclass(frozen=True)
class Measurements:
    """Measurements with the predictions in their cells, in the property's unit."""

    observed: np.ndarray
    #: The predictions: a column for each band of the manifest.
    bands: np.ndarray
    #: lon and lat of the cells' centres.
    places: np.ndarray
    groups: np.ndarray | None

    def select(self, chosen: np.ndarray) -> Measurements:
        groups = None if self.groups is None else self.groups[chosen]
        return Measurements(self.observed[chosen], self.bands[chosen], self.places[chosen], groups)

    def estimate_interval(self, statistic: Any, level: float) -> dict[str, float]:
        return bootstrap_interval(statistic, len(self.observed), self.groups, level)


def compare_samples(
    manifest: Mapping[str, Any],
    samples: Measurements,
    *,
    outside: int = 0,
    without_data: int = 0,
    wrong_bands: tuple[str, ...] = (),
    classes: Mapping[str, np.ndarray] | None = None,
) -> dict[str, Any]:
    """Computes the figures of a validation, the `refusals` (reasons why the samples contradict the pack) and `warnings`.

    :param manifest: the manifest as described by the service (`Prediction.pack`)
    :param wrong_bands: refusals because of the predictions themselves
    :param classes: the class of each sample, by covariate
    :raises PackError: if the pack does not predict a quantity, or too few samples have a prediction
    """
    model = f"{manifest['id']}@{manifest['version']}"
    mean = manifest["mean"]
    if mean is None:
        raise PackError(f"{model} has no band with the mean of a quantity")
    count = len(samples.observed)
    if count < FEWEST_SAMPLES:
        raise PackError(
            f"too few samples have a prediction: {count}; left out: {outside} outside the grid,"
            f" {without_data} that lack a covariate; at least {FEWEST_SAMPLES} are needed"
        )
    observed, predicted = samples.observed, samples.bands[:, mean]
    moments = _moments(observed, predicted)
    r2 = samples.estimate_interval(lambda i: _r2(observed[i], predicted[i]), LEVEL)
    intervals = claimed_intervals(manifest)

    def part(name: str, chosen: np.ndarray) -> dict[str, Any]:
        inside = _inside(samples.select(chosen), intervals[0]) if intervals else None
        accuracy = _moments(observed[chosen], predicted[chosen])
        return {
            "name": name,
            "accuracy": accuracy,
            "inside": None if inside is None else estimate_share(inside),
        }

    # Thirds of the predictions, because thirds of the measurements would show regression to the mean for any model.
    order = np.argsort(predicted, kind="stable")
    thirds = [order[round(count * i / 3) : round(count * (i + 1) / 3)] for i in range(3)]
    groups = {} if samples.groups is None else index_groups(samples.groups)
    return {
        "model": model,
        "unit": manifest["property"]["unit"],
        "samples": {
            "predicted": count,
            "outside_grid": outside,
            "without_covariates": without_data,
        },
        "accuracy": {
            "n": count,
            "r2": r2,
            "bias_interval": samples.estimate_interval(
                lambda i: float((predicted[i] - observed[i]).mean()), LEVEL
            ),
            **{name: moments[name] for name in ("rmse", "bias", "slope")},
        },
        "coverage": [_coverage(manifest, samples, interval) for interval in intervals],
        "thirds": [
            part(" to ".join(format_figure(predicted[third[end]]) for end in (0, -1)), third)
            for third in thirds
        ],
        "groups": [part(name, chosen) for name, chosen in groups.items()],
        "classes": [
            part(f"{name} {one:g}", np.flatnonzero(values == one))
            for name, values in (classes or {}).items()
            for one in np.unique(values)
        ],
        "group_means": means_coverage(manifest, samples, LEVEL),
        "ratio_of_means": ratio_of_means(manifest, samples),
        "refusals": find_refusals(manifest, samples, wrong_bands),
        "warnings": list(find_doubts(manifest, samples)),
        "shows_skill": bool(r2["lower"] > 0),
    }


# ---- The claims of the bands.


@dataclass(frozen=True)
class Quantile:
    name: str
    at: int
    level: float


def quantile_bands(manifest: Mapping[str, Any]) -> list[Quantile]:
    bands = enumerate(manifest["bands"])
    found = [
        Quantile(one["name"], at, one["level"]) for at, one in bands if one["level"] is not None
    ]
    return sorted(found, key=lambda one: one.level)


Interval = tuple[Quantile, Quantile]


def claimed_intervals(manifest: Mapping[str, Any]) -> list[Interval]:
    """Pairs the quantile bands from the outermost inwards: for example q05 and q95, then q25 and q75."""
    quantiles = quantile_bands(manifest)
    return [(quantiles[i], quantiles[-1 - i]) for i in range(len(quantiles) // 2)]


def _round_level(level: float) -> float:
    """Rounds a level: in floating point, 0.95 − 0.05 is 0.8999999999999999."""
    return float(f"{level:.12g}")


def _claimed_shares(
    manifest: Mapping[str, Any], samples: Measurements, interval: Interval
) -> tuple[float, float]:
    """Computes the range of shares that correct bounds contain if values may equal the property's minimum or maximum.

    If the lower bound is the minimum, no value lies below it: 90 % bounds then contain 95 %. If the upper bound is the
    minimum as well, they contain between 95 % and 100 % of values.
    """
    lower, upper = interval
    ends = manifest["bands"][lower.at].get("support") or {}
    least = -np.inf if ends.get("lower") is None else ends["lower"]
    most = np.inf if ends.get("upper") is None else ends["upper"]
    low, high = samples.bands[:, lower.at], samples.bands[:, upper.at]
    below = np.where(low > least, lower.level, 0)
    above = np.where(high < most, 1 - upper.level, 0)
    is_one_value = (high <= least) | (low >= most)
    claimed = 1 - below - above
    most_claimed = np.where(is_one_value, 1, claimed)
    return _round_level(claimed.mean()), _round_level(most_claimed.mean())


# ---- The figures of the samples.


def _moments(observed: np.ndarray, predicted: np.ndarray) -> dict[str, Any]:
    """Computes error figures. The slope is of observed on predicted (Piñeiro et al. 2008); None if all predictions are equal."""
    errors = predicted - observed
    spread = predicted.var()
    products = ((predicted - predicted.mean()) * (observed - observed.mean())).mean()
    return {
        "n": len(observed),
        "rmse": float(np.sqrt((errors**2).mean())),
        "bias": float(errors.mean()),
        "slope": None if spread == 0 else float(products / spread),
    }


def _r2(observed: np.ndarray, predicted: np.ndarray) -> float:
    spread = ((observed - observed.mean()) ** 2).sum()
    return np.nan if spread == 0 else float(1 - ((observed - predicted) ** 2).sum() / spread)


def _inside(samples: Measurements, interval: Interval) -> np.ndarray:
    """Whether each measurement lies inside the interval, ends included."""
    lower, upper = (samples.bands[:, one.at] for one in interval)
    return (samples.observed >= lower) & (samples.observed <= upper)


def _coverage(
    manifest: Mapping[str, Any], samples: Measurements, interval: Interval
) -> dict[str, Any]:
    lower, upper = interval
    inside = _inside(samples, interval)
    by_groups = (
        None
        if samples.groups is None
        else samples.estimate_interval(lambda i: inside[i].mean(), LEVEL)
    )
    return {
        "lower": lower.name,
        "upper": upper.name,
        "levels": [lower.level, upper.level],
        "claimed": _claimed_shares(manifest, samples, interval)[0],
        "inside": estimate_share(inside),
        "below": estimate_share(samples.observed < samples.bands[:, lower.at]),
        "above": estimate_share(samples.observed > samples.bands[:, upper.at]),
        "insideByGroups": by_groups,
    }


def means_coverage(
    manifest: Mapping[str, Any], samples: Measurements, level: float
) -> dict[str, Any] | None:
    """Counts how often the interval of a group's mean, by the manifest's `error`, contains the mean of its measurements. None
    without `error.correlation`, or without groups of at least two samples."""
    declared = _read_declared_errors(manifest, samples)
    if declared is None or samples.groups is None:
        return None
    bounded, model, claimed = declared
    groups = [one for one in index_groups(samples.groups).values() if len(one) >= LEAST_OF_GROUP]
    if not groups:
        return None
    inside = [contains_mean(bounded.select(group), model) for group in groups]
    return {"claimed": claimed, "inside": estimate_share(inside, level)}


def _read_declared_errors(
    manifest: Mapping[str, Any], samples: Measurements
) -> tuple[BoundedPredictions, ErrorModel, float] | None:
    """Returns the samples with the bounds of the manifest's `error`, the error model, and the share that the bounds claim to
    contain. None without `error.correlation`, a mean, or a level of the upper bound."""
    mean, error = manifest["mean"], manifest.get("error", {})
    if mean is None or "correlation" not in error:
        return None
    bands = {band["name"]: at for at, band in enumerate(manifest["bands"])}
    lower, upper = bands[error["lower"]], bands[error["upper"]]
    upper_level = manifest["bands"][upper]["level"]
    if upper_level is None:
        return None
    correlation = error["correlation"]
    model = ErrorModel(
        z=float(norm.ppf(upper_level)),
        systematic=error["systematic_relative_sd"],
        nugget=correlation["nugget"],
        range_m=correlation["range_m"],
        standardised=error.get("standardised_sd", 1),
    )
    bounded = BoundedPredictions(
        samples.places, samples.observed, *samples.bands[:, [mean, lower, upper]].T
    )
    return bounded, model, _round_level(2 * upper_level - 1)


# ---- Contradictions beyond chance.


def find_refusals(
    manifest: Mapping[str, Any], samples: Measurements, wrong_bands: tuple[str, ...] = ()
) -> list[str]:
    mean = manifest["mean"]
    predicted = samples.bands[:, mean]
    worse = [
        *wrong_bands,
        *(
            list(_refuse_magnitude(samples, predicted))
            or _judge_bias(manifest, samples, refused=True)
        ),
        *_refuse_skill(samples, predicted),
    ]
    advice = "First correct the faults named above" if worse else CALIBRATE
    bounds = [
        _refuse_coverage(manifest, samples, interval) for interval in claimed_intervals(manifest)
    ]
    bounds += [_refuse_level(samples, band) for band in quantile_bands(manifest)]
    wrong = [f"{text}. {advice}" for text in bounds if text is not None]
    areas = list(_refuse_narrow_areas(manifest, samples)) or _refuse_correlation(manifest, samples)
    return [*worse, *wrong, *areas]


def _refuse_magnitude(samples: Measurements, predicted: np.ndarray) -> Iterator[str]:
    """Compares the means of absolute values, because medians of many zeros are zero."""
    observed = samples.observed

    def ratio(i: np.ndarray) -> float:
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.abs(predicted[i]).mean() / np.abs(observed[i]).mean())

    if _has_magnitude(*[ratio(np.arange(len(observed)))] * 2):
        return
    found = samples.estimate_interval(ratio, CERTAIN)
    value, lower, upper = found["value"], found["lower"], found["upper"]
    if not _has_magnitude(lower, upper):
        yield (
            f"the predictions are {format_figure(value)} times the measurements (means of absolute values; 99 % interval"
            f" {format_figure(lower)} to {format_figure(upper)}). Check the units, the scale of each covariate,"
            " and whether a logarithm was back-transformed"
        )


def ratio_of_means(manifest: Mapping[str, Any], samples: Measurements) -> dict[str, float] | None:
    """Computes mean of predictions ÷ mean of measurements, with a 99 % interval.

    None if ratios are meaningless: for a property without a true zero (pH, a temperature), or if the mean of the
    measurements is not positive.
    """
    if not manifest["true_zero"] or samples.observed.mean() <= 0:
        return None
    observed, predicted = samples.observed, samples.bands[:, manifest["mean"]]
    with np.errstate(divide="ignore", invalid="ignore"):
        return samples.estimate_interval(
            lambda i: float(predicted[i].mean() / observed[i].mean()), CERTAIN
        )


def _judge_bias(
    manifest: Mapping[str, Any], samples: Measurements, *, refused: bool
) -> Iterator[str]:
    """Yields the bias of the mean if it is a reason to refuse the pack (`refused`), or only to doubt it (not `refused`)."""
    found = ratio_of_means(manifest, samples)
    if found is None:
        return
    lower, upper = found["lower"], found["upper"]
    units = len(samples.observed if samples.groups is None else index_groups(samples.groups))
    is_far = upper < TOLERATED_BIAS[0] or lower > TOLERATED_BIAS[1]
    is_refused = is_far and units >= FEWEST_UNITS
    if is_refused is not refused or lower <= 1 <= upper:
        return
    few = (
        ""
        if units >= FEWEST_UNITS
        else f"; with fewer than {FEWEST_UNITS} groups, this is only a warning"
    )
    yield (
        f"the mean of the predictions is {estimate_text(found)} times the mean of the measurements"
        f" (99 % interval{few}): every stock has this bias. Compare how the training samples and these samples"
        " were measured and chosen, and check whether a logarithm was back-transformed without its factor"
    )


def find_doubts(manifest: Mapping[str, Any], samples: Measurements) -> Iterator[str]:
    """Yields findings that correct packs may have, but wrong packs have more often."""
    yield from _judge_bias(manifest, samples, refused=False)
    for interval in claimed_intervals(manifest):
        if _refuse_coverage(manifest, samples, interval) is None:
            yield from _doubt_coverage(manifest, samples, interval)
    r2 = _r2(samples.observed, samples.bands[:, manifest["mean"]])
    if r2 > MOST_R2:
        yield (
            f"R² is {format_figure(r2)}: soil maps rarely reach {MOST_R2}. Does a covariate contain the"
            " property, or did the model see these samples?"
        )


def _has_magnitude(lower: float, upper: float) -> bool:
    return bool(lower <= TOLERATED_RATIO and upper >= 1 / TOLERATED_RATIO)


def _refuse_skill(samples: Measurements, predicted: np.ndarray) -> Iterator[str]:
    observed = samples.observed
    if not _r2(observed, predicted) < 0:
        return
    found = samples.estimate_interval(lambda i: _r2(observed[i], predicted[i]), CERTAIN)
    value, lower, upper = found["value"], found["lower"], found["upper"]
    if upper < 0:
        yield (
            f"R² is {format_figure(value)} (99 % interval {format_figure(lower)} to {format_figure(upper)}): the mean of"
            " the measurements predicts better. Check the covariates' files, order, scale and nodata"
        )


def _refuse_coverage(
    manifest: Mapping[str, Any], samples: Measurements, interval: Interval
) -> str | None:
    claimed = _claimed_shares(manifest, samples, interval)
    found = _refuse_share(samples, _inside(samples, interval), *claimed)
    if found is None:
        return None
    lower, upper = (one.name for one in interval)
    return f"{lower} to {upper} claim to contain {format_figure(claimed[0])} of all values, but contain {found}"


def _doubt_coverage(
    manifest: Mapping[str, Any], samples: Measurements, interval: Interval
) -> Iterator[str]:
    """Yields a doubt if the whole 95 % interval of a coverage is too far from the claim."""
    claimed = _claimed_shares(manifest, samples, interval)
    inside = _inside(samples, interval)
    units = len(inside) if samples.groups is None else len(index_groups(samples.groups))
    if units < FEWEST_UNITS:
        return
    found = _wider_share(samples, inside, LEVEL)
    if (
        found["upper"] < claimed[0] - TOLERATED_COVERAGE
        or found["lower"] > claimed[1] + TOLERATED_COVERAGE
    ):
        lower, upper = (one.name for one in interval)
        yield (
            f"{lower} to {upper} claim to contain {format_figure(claimed[0])} of all values, but contain"
            f" {estimate_text(found)} (95 % interval). {CALIBRATE}"
        )


def _refuse_level(samples: Measurements, band: Quantile) -> str | None:
    """Checks a single bound, because an interval with the right coverage may lie too high or too low."""
    below, at_most = (
        samples.observed < samples.bands[:, band.at],
        samples.observed <= samples.bands[:, band.at],
    )
    # If many values are equal, such as 0, the level of a correct quantile lies between the share of values below it and
    # the share of values below or equal to it.
    is_too_high = below.mean() > band.level
    if not is_too_high and at_most.mean() >= band.level:
        return None
    hits, is_upper = below if is_too_high else at_most, band.level > 0.5
    claimed = _round_level(1 - band.level if is_upper else band.level)
    found = _refuse_share(samples, ~hits if is_upper else hits, claimed)
    if found is None:
        return None
    side = "above" if is_upper else "below"
    return f"{band.name} claims that {claimed} of all values lie {side} it, but {found} do"


def _refuse_share(
    samples: Measurements, hits: np.ndarray, claimed: float, most_claimed: float | None = None
) -> str | None:
    """Formats the share if its whole interval is too far from the claim, or from the claimed range; otherwise returns
    None."""
    least = claimed - TOLERATED_COVERAGE
    most = (claimed if most_claimed is None else most_claimed) + TOLERATED_COVERAGE
    if least <= hits.mean() <= most:
        return None
    found = _wider_share(samples, hits, CERTAIN)
    if found["lower"] <= most and found["upper"] >= least:
        return None
    return _certain_text(found)


def _wider_share(samples: Measurements, hits: np.ndarray, level: float) -> dict[str, Any]:
    """Returns the share with an interval that contains both the exact interval and that of resampled groups: if all
    samples are inside, there is no spread to resample."""
    found = estimate_share(hits, level)
    if samples.groups is not None:
        by_groups = samples.estimate_interval(lambda i: hits[i].mean(), level)
        found["lower"] = min(found["lower"], by_groups["lower"])
        found["upper"] = max(found["upper"], by_groups["upper"])
    return found


def _certain_text(found: dict[str, Any], suffix: str = "") -> str:
    ends = f"{found['lower']:.3f} to {found['upper']:.3f}"
    return f"{found['value']:.3f} of {found['n']}{suffix} (99 % interval {ends})"


def _refuse_narrow_areas(manifest: Mapping[str, Any], samples: Measurements) -> Iterator[str]:
    """Refuses intervals of areas that are too narrow. Wide intervals are accepted, because the declared correlation is conservative."""
    means = means_coverage(manifest, samples, CERTAIN)
    if means is not None and means["inside"]["upper"] < means["claimed"] - TOLERATED_COVERAGE:
        contained = _certain_text(means["inside"], " groups' means")
        yield (
            f"the intervals of areas claim to contain {means['claimed']} of all means, but contain"
            f" {contained}. {ESTIMATE}"
        )


def _refuse_correlation(manifest: Mapping[str, Any], samples: Measurements) -> Iterator[str]:
    """Refuses a declared correlation of neighbours' errors that is too low. One that is too high is accepted: it is
    conservative."""
    declared = _read_declared_errors(manifest, samples)
    if declared is None:
        return
    cells, model, _ = declared
    sd = whole_sd(cells, model)
    if (sd <= 0).any():
        return
    errors = (cells.observed - cells.mean) / sd
    scale = [np.cos(np.radians(cells.places[:, 1].mean())), 1]
    other = KDTree(cells.places * scale).query(cells.places * scale, k=2)[1][:, 1]
    metres = metres_between(cells.places, cells.places[other])
    own_sds, shared = own_sd(cells, model) / sd, model.systematic * cells.mean / sd
    rho = np.where(metres == 0, 1, (1 - model.nugget) * np.exp(-metres / model.range_m))
    claimed = float((own_sds * own_sds[other] * rho + shared * shared[other]).mean())
    products = errors * errors[other]
    found = samples.estimate_interval(
        lambda i: float(products[i].mean() / (errors[i] ** 2).mean()), CERTAIN
    )
    if found["lower"] > claimed + TOLERATED_CORRELATION:
        yield (
            f"the errors of nearest neighbours, at a median distance of {format_figure(np.median(metres))} m, have a correlation"
            f" of {estimate_text(found)} (99 % interval), but error.correlation claims {claimed:.2f}:"
            f" intervals of areas are too narrow. {ESTIMATE}"
        )


# ---- Formatting the figures.


def report_lines(found: dict[str, Any]) -> Iterator[str]:
    unit, counts, accuracy = found["unit"], found["samples"], found["accuracy"]
    yield (
        f"{found['model']}: {accuracy['n']} samples; left out: {counts['outside_grid']} outside the grid,"
        f" {counts['without_covariates']} that lack a covariate"
    )
    bias = accuracy["bias_interval"]
    lower, upper, half = bias["lower"], bias["upper"], (bias["upper"] - bias["lower"]) / 2
    yield f"R² {estimate_text(accuracy['r2'])}, {_moments_text(accuracy, unit)}"
    if not found["shows_skill"]:
        yield NO_SKILL
    yield f"bias: 95 % interval {format_figure(lower)} to {format_figure(upper)}, ± {format_figure(half)}"
    ratio = found["ratio_of_means"]
    if ratio is not None:
        half = 100 * (ratio["upper"] - ratio["lower"]) / 2
        yield (
            f"mean of the predictions ÷ mean of the measurements: {estimate_text(ratio)}, 99 % interval;"
            f" these samples cannot show a bias smaller than about {format_figure(half)} %"
        )
    for one in found["coverage"]:
        lower, upper, levels = one["lower"], one["upper"], one["levels"]
        groups = one["insideByGroups"]
        over = "" if groups is None else f"; over groups {estimate_text(groups)}"
        yield f"{lower} to {upper}, claimed {one['claimed']}: inside {share_text(one['inside'])}{over}"
        yield (
            f"  below {lower}, claimed {levels[0]}: {share_text(one['below'])};"
            f" above {upper}, claimed {_round_level(1 - levels[1])}: {share_text(one['above'])}"
        )
    means = found["group_means"]
    if means is not None:
        yield f"means of groups, claimed {means['claimed']}: inside {share_text(means['inside'])}"
    for title, parts in (
        ("by thirds of the prediction", "thirds"),
        ("by group", "groups"),
        ("by class", "classes"),
    ):
        if found[parts]:
            yield f"{title}:"
        for part in found[parts]:
            moments, inside = part["accuracy"], part["inside"]
            within = "" if inside is None else f", inside {share_text(inside)}"
            yield f"  {part['name']}: n {moments['n']}, {_moments_text(moments, unit)}{within}"


def _moments_text(moments: dict[str, Any], unit: str) -> str:
    suffix = "" if unit == "1" else f" {unit}"
    # There is no slope if all predictions are equal.
    slope = "–" if moments["slope"] is None else format_figure(moments["slope"])
    rmse, bias = (format_figure(moments[name]) + suffix for name in ("rmse", "bias"))
    return f"RMSE {rmse}, bias {bias}, slope {slope}"
