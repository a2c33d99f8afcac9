"""Remarks on a pack's manifest, covariate headers and predictions. Correct packs rarely have a warning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .commands import PackError
from .limits import plain_unit
from .resampling import format_figure
from .service import Prediction
from .validation import quantile_bands

#: The usual thickness of layers in cm: outside this range, a wrong unit or decimal is likely.
USUAL_THICKNESS = 5, 200
#: Bounds with at least this level determine the standard deviation of skewed errors (docs/intervals.md).
LEAST_LEVEL = 0.9
#: Errors of neighbouring cells with at most this correlation count as independent.
LEAST_CORRELATION = 0.001
#: In fewer places, values may be equal by chance.
FEWEST_PLACES = 10
#: Plausible values exceed the range of the training data by at most this share of its width.
FAR_OUTSIDE = 0.05

WITHHELD = "Estimate the correlation from pairs of samples that were withheld together"
EXTRAPOLATES = (
    "Check its file, scale and nodata, and whether the model was trained on its values; if all are right, the map"
    " extrapolates in these places"
)
OTHER_UNIT = "Check the unit, and whether a logarithm was back-transformed"

#: Values that soil rarely exceeds: a pattern for the property's name, the value, the factor from each unit to that
#: of the value, and the reason.
RARELY_ABOVE = (
    (
        r"organic carbon|\bsoc\b",
        600,
        {"g/kg": 1, "g kg-1": 1, "%": 10, "mg/kg": 1e-3, "mg kg-1": 1e-3},
        "organic matter rarely has more than 60 % carbon (Pribyl 2010, Geoderma 156, 75-83)",
    ),
    (
        r"bulk density",
        2.65,
        {"g/cm3": 1, "g cm-3": 1, "Mg/m3": 1, "Mg m-3": 1, "t/m3": 1, "kg/dm3": 1, "kg/m3": 1e-3}
        | {"kg m-3": 1e-3},
        "quartz without pores has a density of 2.65 g/cm3",
    ),
)


@dataclass
class Remarks:
    figures: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    #: Reasons why the pack is not usable.
    refusals: list[str] = field(default_factory=list)

    def add(self, remarks: Iterable[tuple[bool, str]]) -> None:
        for is_warning, text in remarks:
            (self.warnings if is_warning else self.figures).append(text)

    def lines(self) -> list[str]:
        return [*self.figures, *(f"warning: {text}" for text in self.warnings)]

    def require_none_refused(self) -> None:
        if self.refusals:
            raise PackError("\n".join(self.refusals))


# ---- The manifest and the headers of the covariates.


def pack_warnings(pack: Mapping[str, Any]) -> Iterator[str]:
    yield from _warn_of_property(pack)
    yield from _warn_of_missing_training(pack)
    yield from _warn_of_errors(pack)
    rasters = [one for one in pack["covariates"] if one["header"] is not None]
    for one in rasters:
        if one["header"]["offset"] is not None:
            columns, rows = one["header"]["offset"]
            yield (
                f"{one['name']} has the grid's cell size, but is shifted by {columns:.2f} columns and"
                f" {rows:.2f} rows: {one['resampling']} resampling moves or blurs it. Is its origin the"
                " centre of a cell instead of a corner?"
            )
    for one in rasters:
        yield from _warn_of_encoding(pack, one)


def _warn_of_property(pack: Mapping[str, Any]) -> Iterator[str]:
    name, unit, (top, bottom) = (pack["property"][key] for key in ("name", "unit", "depth_cm"))
    if pack["tonnes_per_hectare"] is None:
        if re.search(r"\b(stock|density)\b", name, re.IGNORECASE | re.ASCII):
            yield (
                f"the property is called {name}, but {unit} is neither kg/m3 nor t/ha: fields have no"
                " stock. Check the unit"
            )
    elif not USUAL_THICKNESS[0] <= bottom - top <= USUAL_THICKNESS[1]:
        yield (
            f"the layer from {top} to {bottom} cm is {format_figure(bottom - top)} cm thick. Stocks depend on the"
            " thickness: check that depth_cm is in centimetres"
        )


def _warn_of_missing_training(pack: Mapping[str, Any]) -> Iterator[str]:
    # A published map was trained elsewhere, on other covariates.
    if "graph" not in pack:
        return
    silent = [one["name"] for one in pack["covariates"] if _read_trained(one) is None]
    missing = [] if "trained_range" in pack else ["the property"]
    plural = "s" if len(silent) > 1 else ""
    missing += [f"the covariate{plural} {', '.join(silent)}"] if silent else []
    if missing:
        yield (
            f"the manifest has no trained_range of {' and of '.join(missing)}: jobs cannot warn where"
            " the map extrapolates. Write it with python -m soil_packs.trained_values"
        )


def _warn_of_errors(pack: Mapping[str, Any]) -> Iterator[str]:
    """Warns of bounds with too low a level, and of errors declared as independent or as correlated beyond the whole grid."""
    level = pack["error_level"]
    if level is None:
        return
    error, metres, diagonal = pack["error"], pack["neighbours_m"], pack["diagonal_m"]
    if level < LEAST_LEVEL:
        yield (
            f"error: {error['lower']} to {error['upper']} contain {level} of all values. Below"
            f" {LEAST_LEVEL}, bounds do not show how far skewed errors extend, so the intervals of areas"
            " are too narrow. Declare q05 and q95"
        )
    nugget, range_m = error["correlation"]["nugget"], error["correlation"]["range_m"]
    declared = f"error.correlation (nugget {nugget}, range_m {range_m})"
    if range_m > diagonal:
        yield (
            f"{declared} reaches beyond the whole grid, whose diagonal is {format_figure(diagonal)} m: the mean"
            f" of an area is then hardly more certain than a single cell. {WITHHELD}"
        )
    elif (1 - nugget) * np.exp(-metres / range_m) <= LEAST_CORRELATION:
        yield (
            f"{declared} declares that errors of neighbouring cells, {format_figure(metres)} m apart, are independent:"
            f" the interval of an area then becomes too narrow with many cells. {WITHHELD}"
        )


def _warn_of_encoding(pack: Mapping[str, Any], covariate: Mapping[str, Any]) -> Iterator[str]:
    """Warns of file tags that the manifest overrides, and of each scale or nodata of a published map that is declared nowhere:
    such a map has no training data to compare with."""
    name, stated, used = (
        covariate["name"],
        covariate["header"]["stated"],
        covariate["header"]["used"],
    )
    for key in ("scale", "offset", "nodata"):
        if key in stated:
            if stated[key] != used[key]:
                yield (
                    f"the manifest's {key} of {name}, {used[key]}, overrides the file's {key}, {stated[key]}:"
                    " check both"
                )
        elif key not in covariate and "graph" not in pack and key != "offset":
            yield (
                f"neither the file nor the manifest declares the {key} of {name}: its stored numbers are"
                f" used unchanged. Declare its {key} in the manifest"
            )


# ---- Predictions. `places` is the word for predicted places in messages: cells or samples.


def outside_remarks(found: Prediction, places: str) -> Iterator[tuple[bool, str]]:
    """Yields remarks on values outside the training data, each with a flag: whether it is a warning."""
    pack = found.pack

    def remark(
        name: str, values: np.ndarray, outside: np.ndarray, trained: TrainingValues, *, hint: str
    ) -> tuple[bool, str]:
        distance = trained.distance(values[outside])
        text = (
            f"{name} lies outside the range of the training data, {trained.text}, in"
            f" {_format_share(outside, places)}, such as"
            f" {_format_exact(values[outside][distance.argmax()])}"
        )
        # A value whose distance from the training range exceeds the width of the range is probably not a measurement,
        # but for example nodata.
        is_far = distance.max() > trained.most - trained.least
        is_warning = is_far or outside.mean() > pack["tolerated_outside_share"]
        return is_warning, f"{text}. {hint}" if is_warning else text

    for covariate, values, outside in zip(pack["covariates"], found.covariates.T, found.outside.T):
        trained = _read_trained(covariate)
        if trained is None or not outside.any():
            continue
        lost = _find_lost_nodata(values[outside], trained)
        if lost is None:
            yield remark(covariate["name"], values, outside, trained, hint=EXTRAPOLATES)
        else:
            yield (
                True,
                f"{covariate['name']} is {_format_exact(lost)}, far outside the range of the training data,"
                f" {trained.text}, in"
                f" {_format_share(values == lost, places)}. Is it nodata that the file and the manifest do not"
                " state?",
            )
    if pack["mean"] is not None and "trained_range" in pack:
        band, values = pack["bands"][pack["mean"]], found.bands[:, pack["mean"]]
        least, most = np.array(pack["trained_range"], np.float32).astype(float)
        outside = (values < least) | (values > most)
        if outside.any():
            trained = TrainingValues(*pack["trained_range"])
            yield remark(band["name"], values, outside, trained, hint=OTHER_UNIT)


@dataclass(frozen=True)
class TrainingValues:
    """The training values of a covariate or the property: their range, and the classes of a covariate of classes."""

    least: float
    most: float
    classes: tuple[float, ...] = ()

    @property
    def text(self) -> str:
        if self.classes:
            return f"classes {', '.join(map(str, self.classes))}"
        return f"{_format_exact(self.least)} to {_format_exact(self.most)}"

    def distance(self, values: np.ndarray) -> np.ndarray:
        return np.maximum(self.least - values, values - self.most)


def _read_trained(covariate: Mapping[str, Any]) -> TrainingValues | None:
    if "trained_range" in covariate:
        return TrainingValues(*covariate["trained_range"])
    classes = covariate.get("trained_classes")
    return None if classes is None else TrainingValues(min(classes), max(classes), tuple(classes))


def _find_lost_nodata(outside: np.ndarray, trained: TrainingValues) -> float | None:
    """Finds a value far outside the training data that most of the places outside share: it is probably nodata, because
    measured values differ."""
    values, counts = np.unique(outside, return_counts=True)
    value, count = values[counts.argmax()], counts.max()
    if count < 2 or 2 * count <= len(outside):
        return None
    # Unknown classes differ little from known classes; 0 is a common nodata value.
    far = trained.distance(value) > FAR_OUTSIDE * (trained.most - trained.least)
    return value if (value == 0 if trained.classes else far) else None


def implausible_bands(found: Prediction, places: str) -> Iterator[str]:
    """Yields findings that correct packs do not have: the same value in all places, and impossible values."""
    pack = found.pack
    bands = list(zip(pack["bands"], found.bands.T))
    hint = "Check the order of the covariates, and whether the model was trained on scaled values"
    beyond = found.outside.any(axis=1)
    if beyond.sum() > pack["tolerated_outside_share"] * len(beyond):
        hint = (
            "In these places, the covariates lie outside the range of the training data. Check their files, scale and"
            " nodata; if they are right, the model extrapolates"
        )
    for band, values in bands:
        alike = len(values) >= FEWEST_PLACES and (values == values[0]).all()
        if alike and band["overviews"] == "average":
            yield f"{band['name']} is {format_figure(values[0])} in all {len(values)} {places}. {hint}"
    for band, values in bands:
        if band["support"] is None:
            continue
        lower, upper = _ends(band["support"])
        beyond = (values < lower) | (values > upper)
        if beyond.any():
            yield (
                f"{pack['property']['name']} must be {_format_range(lower, upper)}, but the band {band['name']} has other values in"
                f" {_format_share(beyond, places)}, such as {format_figure(values[beyond][0])}"
                f" {pack['property']['unit']}"
            )


def mean_remark(found: Prediction) -> Iterator[tuple[bool, str]]:
    """Remarks on means below the lowest or above the highest quantile, which some cells with skewed values may have."""
    names = [band["name"] for band in found.pack["bands"]]
    quantiles = quantile_bands(found.pack)
    if "mean" not in names or len(quantiles) < 2:
        return
    lower, upper = quantiles[0], quantiles[-1]
    mean = found.bands[:, names.index("mean")]
    outside = (mean < found.bands[:, lower.at]) | (mean > found.bands[:, upper.at])
    text = f"mean lies outside {lower.name} to {upper.name} in {_format_share(outside, 'cells')}"
    is_warning = outside.sum() > found.pack["tolerated_outside_share"] * len(outside)
    yield is_warning, f"{text}. Check the order of the targets" if is_warning else text


def crossed_quantiles(found: Prediction) -> Iterator[str]:
    crossed = [cell for cell in found.cells if cell["crossed"] is not None]
    if not crossed:
        return
    first = crossed[0]
    lower, upper = (
        f"{found.pack['bands'][at]['name']} ({first['bands'][at]:.9g})" for at in first["crossed"]
    )
    position = ", ".join(f"{degrees:.6f}" for degrees in first["lon_lat"])
    yield (
        f"{lower} is above {upper} at {position}: quantiles cross in {len(crossed)} of"
        f" {len(found.cells)} cells. Check the bands' targets and levels"
    )


def swapped_warning(swapped: int, count: int) -> Iterator[str]:
    if swapped:
        they_lie = "it lies" if swapped == 1 else "they lie"
        yield (
            f"lon and lat are probably swapped in {swapped} of {count} samples: {they_lie} outside the grid, but"
            " would lie on it after a swap. Swap lon and lat there"
        )


def sample_remarks(
    found: Prediction, observed: np.ndarray, positions: np.ndarray
) -> Iterator[tuple[bool, str]]:
    """Yields remarks on the samples, and warnings about values outside the training data in their cells. Each remark
    has a flag: whether it is a warning."""
    pack = found.pack
    name, unit = pack["property"]["name"], pack["property"]["unit"]
    lower, upper = _ends(pack["limits"])
    beyond = (observed < lower) | (observed > upper)
    if beyond.any():
        yield (
            True,
            f"{name} must be {_format_range(lower, upper)}, but lies outside this range in {_format_share(beyond, 'measurements')}, such as"
            f" {observed[beyond][0]:.9g}. Remove rows with codes for missing"
            " values; if the values are right, declare the property's limits in the manifest",
        )
    yield from _beyond_training(pack, observed[~beyond])
    for pattern, largest, in_unit, source in RARELY_ABOVE:
        factor = in_unit.get(plain_unit(unit))
        if factor is None or not re.search(pattern, name, re.IGNORECASE):
            continue
        above = (observed * factor > largest) & ~beyond
        if above.any():
            yield (
                True,
                f"values above {format_figure(largest / factor)} {unit} in {_format_share(above, 'measurements')}, such as"
                f" {observed[above].max():.9g}: {source}. Check the unit and the laboratory method",
            )
    count = len(observed)
    repeated = count - len(np.unique(np.column_stack([positions, observed]), axis=0))
    if repeated:
        yield (
            True,
            f"the position and value of another row are repeated in {repeated} of {count} rows: repetitions count as"
            " independent samples, which makes the intervals too narrow",
        )
    for is_warning, text in outside_remarks(found, "samples"):
        if is_warning:
            yield True, text


def _beyond_training(pack: Mapping[str, Any], observed: np.ndarray) -> Iterator[tuple[bool, str]]:
    """Remarks on measurements far outside the training data. They may be right, for example in peat, and should be
    checked, not removed."""
    if "trained_range" not in pack:
        return
    trained = TrainingValues(*pack["trained_range"])
    spread = trained.most - trained.least
    distance = trained.distance(observed)
    far = distance > spread / 2
    if far.any():
        yield (
            bool(distance.max() > spread),
            f"values far outside the training measurements, {trained.text}, in"
            f" {_format_share(far, 'measurements')}, such as {observed[distance.argmax()]:.9g}. Check them: if they are"
            " right, keep them, and train with such samples, because the map cannot predict such values",
        )


def format_median_stock(pack: Mapping[str, Any], place: str, values: np.ndarray) -> Iterator[str]:
    """Formats a typical stock, which reveals a wrong unit or depth. Yields nothing unless the property is a stock or density."""
    tonnes, layer = pack["tonnes_per_hectare"], pack["property"]
    if tonnes is None or len(values) == 0:
        return
    median = np.sort(values)[len(values) // 2]
    substance = f" of {layer['substance']}" if "substance" in layer else ""
    top, bottom = layer["depth_cm"]
    yield f"stock of {place}: {format_figure(median * tonnes)} t/ha{substance} in {top} to {bottom} cm"


# ---- Formatting.


def _ends(support: Mapping[str, float | None]) -> tuple[float, float]:
    lower, upper = support["lower"], support["upper"]
    return -np.inf if lower is None else lower, np.inf if upper is None else upper


def _format_range(lower: float, upper: float) -> str:
    if upper == np.inf:
        return f"at least {format_figure(lower)}"
    if lower == -np.inf:
        return f"at most {format_figure(upper)}"
    return f"from {format_figure(lower)} to {format_figure(upper)}"


def _format_share(chosen: np.ndarray, places: str) -> str:
    return f"{chosen.sum()} of {len(chosen)} {places} ({100 * chosen.mean():.1f} %)"


def _format_exact(value: float) -> str:
    """Formats a number with seven significant digits, as many as a coordinate in metres needs."""
    return format_figure(value, 7)
