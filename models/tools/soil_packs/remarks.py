"""What a manifest, the headers of covariates and predicted places show of a pack. A right pack has no warning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .commands import PackError
from .limits import plain_unit
from .resampling import figure
from .service import Prediction
from .validation import quantile_bands

#: Layers in cm that reports of stocks use lie between; a decimal or a unit is easily lost.
USUAL_THICKNESS = 5, 200
#: Half-widths of a skewed error give its standard deviation from this level onwards (docs/manifest.md).
LEAST_LEVEL = 0.9
#: A lower correlation of neighbouring cells is none.
LEAST_CORRELATION = 0.001
#: In fewer places, chance may make the values equal.
FEWEST_PLACES = 10
#: The share of the training data's range by which values of the same kind may exceed it.
FAR_OUTSIDE = 0.05

WITHHELD = "Estimate it from pairs of samples that were withheld together"
EXTRAPOLATES = (
    "Check its file, scale and nodata, and whether the model was trained on its values; otherwise the map"
    " extrapolates there"
)
OTHER_UNIT = "Check the unit, and whether a logarithm was turned back"

#: Values that soil rarely has: a pattern of the property's name, the value, the factors from units to it.
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
    #: For the reader, such as the stock of the median cell.
    figures: list[str] = field(default_factory=list)
    #: What a correct pack rarely has.
    warnings: list[str] = field(default_factory=list)
    #: Why the pack is not usable.
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
    """What a manifest lacks or declares that makes its maps look better than they are, and doubtful files."""
    yield from _doubtful_property(pack)
    yield from _missing_training(pack)
    yield from _doubtful_errors(pack)
    rasters = [one for one in pack["covariates"] if one["header"] is not None]
    for one in rasters:
        if one["header"]["offset"] is not None:
            columns, rows = one["header"]["offset"]
            yield (
                f"{one['name']} has the grid's cell size, but lies {columns:.2f} columns and {rows:.2f}"
                f" rows off it: {one['resampling']} resampling moves or blurs it. Is its origin the"
                " centre of a cell instead of a corner?"
            )
    for one in rasters:
        yield from _doubtful_encoding(pack, one)


def _doubtful_property(pack: Mapping[str, Any]) -> Iterator[str]:
    name, unit, (top, bottom) = (pack["property"][key] for key in ("name", "unit", "depth_cm"))
    if pack["tonnes_per_hectare"] is None:
        if re.search(r"\b(stock|density)\b", name, re.IGNORECASE | re.ASCII):
            yield (
                f"the property is called {name}, but {unit} is neither kg/m3 nor t/ha: fields have no"
                " stock. Check the unit"
            )
    elif not USUAL_THICKNESS[0] <= bottom - top <= USUAL_THICKNESS[1]:
        yield (
            f"the layer from {top} to {bottom} cm is {figure(bottom - top)} cm thick, and stocks depend"
            " on it: depth_cm is in centimetres"
        )


def _missing_training(pack: Mapping[str, Any]) -> Iterator[str]:
    # A published map was trained elsewhere, on other covariates.
    if "graph" not in pack:
        return
    silent = [one["name"] for one in pack["covariates"] if _trained(one) is None]
    missing = [] if "trained_range" in pack else ["the property"]
    missing += [f"the covariates {', '.join(silent)}"] if silent else []
    if missing:
        yield (
            f"the manifest has no trained_range of {' and of '.join(missing)}: jobs cannot warn where"
            " the map extrapolates. Write it with python -m soil_packs.trained_values"
        )


def _doubtful_errors(pack: Mapping[str, Any]) -> Iterator[str]:
    """Bounds that are too narrow, and errors that are independent from cell to cell or alike on the whole grid."""
    level = pack["error_level"]
    if level is None:
        return
    error, metres, diagonal = pack["error"], pack["neighbours_m"], pack["diagonal_m"]
    if level < LEAST_LEVEL:
        yield (
            f"error: {error['lower']} to {error['upper']} contain {level} of all values. Below"
            f" {LEAST_LEVEL}, bounds do not show how far skewed errors reach, and the intervals of areas"
            " are too narrow. Give q05 and q95"
        )
    nugget, range_m = error["correlation"]["nugget"], error["correlation"]["range_m"]
    declared = f"error.correlation (nugget {nugget}, range_m {range_m})"
    if range_m > diagonal:
        yield (
            f"{declared} reaches beyond the whole grid, whose diagonal is {figure(diagonal)} m: the mean"
            f" of an area is then barely more certain than one cell. {WITHHELD}"
        )
    elif (1 - nugget) * np.exp(-metres / range_m) <= LEAST_CORRELATION:
        yield (
            f"{declared} declares the errors of neighbouring cells, {figure(metres)} m apart, independent:"
            f" the interval of an area then shrinks with its number of cells. {WITHHELD}"
        )


def _doubtful_encoding(pack: Mapping[str, Any], covariate: Mapping[str, Any]) -> Iterator[str]:
    """Tags that the manifest overrules; and of a published map, which no training compares with its values,
    what neither states."""
    name, stated, used = (
        covariate["name"],
        covariate["header"]["stated"],
        covariate["header"]["used"],
    )
    for key in ("scale", "offset", "nodata"):
        if key in stated:
            if stated[key] != used[key]:
                yield (
                    f"the manifest's {key} of {name}, {used[key]}, wins over the file's, {stated[key]}:"
                    " check both"
                )
        elif key not in covariate and "graph" not in pack and key != "offset":
            yield (
                f"neither the file nor the manifest states the {key} of {name}: its stored numbers are"
                f" taken as they are. Give its {key} in the manifest"
            )


# ---- Predicted places, which are called `places` in texts: cells or samples.


def outside_remarks(found: Prediction, places: str) -> Iterator[tuple[bool, str]]:
    """Values outside those of the training data, and whether that is a warning."""
    pack = found.pack

    def remark(
        name: str, values: np.ndarray, outside: np.ndarray, trained: Trained, *, hint: str
    ) -> tuple[bool, str]:
        distance = trained.distance(values[outside])
        text = (
            f"{name} lies outside the range of the training data, {trained.text}, in"
            f" {_count(outside, places)}, such as"
            f" {_exact(values[outside][distance.argmax()])}"
        )
        # A value that is further away than the training values are apart is of another kind, such as nodata.
        is_far = distance.max() > trained.most - trained.least
        is_warning = is_far or outside.mean() > pack["tolerated_outside_share"]
        return is_warning, f"{text}. {hint}" if is_warning else text

    for covariate, values, outside in zip(pack["covariates"], found.covariates.T, found.outside.T):
        trained = _trained(covariate)
        if trained is None or not outside.any():
            continue
        lost = _lost_nodata(values[outside], trained)
        if lost is None:
            yield remark(covariate["name"], values, outside, trained, hint=EXTRAPOLATES)
        else:
            yield (
                True,
                f"{covariate['name']} is {_exact(lost)}, far outside the range of the training data,"
                f" {trained.text}, in"
                f" {_count(values == lost, places)}. Is it nodata that its file and the manifest do not"
                " state?",
            )
    if pack["mean"] is not None and "trained_range" in pack:
        band, values = pack["bands"][pack["mean"]], found.bands[:, pack["mean"]]
        least, most = np.array(pack["trained_range"], np.float32).astype(float)
        outside = (values < least) | (values > most)
        if outside.any():
            trained = Trained(*pack["trained_range"])
            yield remark(band["name"], values, outside, trained, hint=OTHER_UNIT)


@dataclass(frozen=True)
class Trained:
    """The training values."""

    least: float
    most: float
    classes: tuple[float, ...] = ()

    @property
    def text(self) -> str:
        if self.classes:
            return f"classes {', '.join(map(str, self.classes))}"
        return f"{_exact(self.least)} to {_exact(self.most)}"

    def distance(self, values: np.ndarray) -> np.ndarray:
        return np.maximum(self.least - values, values - self.most)


def _trained(covariate: Mapping[str, Any]) -> Trained | None:
    if "trained_range" in covariate:
        return Trained(*covariate["trained_range"])
    classes = covariate.get("trained_classes")
    return None if classes is None else Trained(min(classes), max(classes), tuple(classes))


def _lost_nodata(outside: np.ndarray, trained: Trained) -> float | None:
    """The value that most of the places outside have, where measured values differ."""
    values, counts = np.unique(outside, return_counts=True)
    value, count = values[counts.argmax()], counts.max()
    if count < 2 or 2 * count <= len(outside):
        return None
    # A class that the model does not know differs by little; 0 is a usual nodata.
    far = trained.distance(value) > FAR_OUTSIDE * (trained.most - trained.least)
    return value if (value == 0 if trained.classes else far) else None


def implausible_bands(found: Prediction, places: str) -> Iterator[str]:
    """What no right pack predicts."""
    pack = found.pack
    bands = list(zip(pack["bands"], found.bands.T))
    hint = "Check the order of the covariates, and whether the model was trained on scaled values"
    beyond = found.outside.any(axis=1)
    if beyond.sum() > pack["tolerated_outside_share"] * len(beyond):
        hint = (
            "The covariates lie outside the range of the training data there. Check their files, scale and"
            " nodata; if they are right, the model extrapolates"
        )
    for band, values in bands:
        alike = len(values) >= FEWEST_PLACES and (values == values[0]).all()
        if alike and band["overviews"] == "average":
            yield f"{band['name']} is {figure(values[0])} in all {len(values)} {places}. {hint}"
    for band, values in bands:
        if band["support"] is None:
            continue
        lower, upper = _ends(band["support"])
        beyond = (values < lower) | (values > upper)
        if beyond.any():
            yield (
                f"{band['name']} has values that {pack['property']['name']} cannot have in"
                f" {_count(beyond, places)}, such as {figure(values[beyond][0])}"
                f" {pack['property']['unit']}: it is {_range(lower, upper)}"
            )


def mean_remark(found: Prediction) -> Iterator[tuple[bool, str]]:
    """Means outside the lowest and the highest quantile, which skewed distributions have in few cells."""
    names = [band["name"] for band in found.pack["bands"]]
    quantiles = quantile_bands(found.pack)
    if "mean" not in names or len(quantiles) < 2:
        return
    lower, upper = quantiles[0], quantiles[-1]
    mean = found.bands[:, names.index("mean")]
    outside = (mean < found.bands[:, lower.at]) | (mean > found.bands[:, upper.at])
    text = f"mean lies outside {lower.name} to {upper.name} in {_count(outside, 'cells')}"
    is_warning = outside.sum() > found.pack["tolerated_outside_share"] * len(outside)
    yield is_warning, f"{text}. Check the order of the targets" if is_warning else text


def crossed_quantiles(found: Prediction) -> Iterator[str]:
    """Why a lower quantile that is above a higher one in any of the cells is refused."""
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
    """Of positions that would lie on the grid if they were swapped."""
    if swapped:
        yield (
            f"{swapped} of {count} samples lie outside the grid, but would lie on it if lon and lat were swapped."
            " Swap them in these rows"
        )


def sample_remarks(
    found: Prediction, observed: np.ndarray, positions: np.ndarray
) -> Iterator[tuple[bool, str]]:
    """What the samples themselves show, whatever is predicted, and whether that is a warning."""
    pack = found.pack
    name, unit = pack["property"]["name"], pack["property"]["unit"]
    lower, upper = _ends(pack["limits"])
    beyond = (observed < lower) | (observed > upper)
    if beyond.any():
        yield (
            True,
            f"{_count(beyond, 'measurements')} are values that {name} cannot have, such as"
            f" {observed[beyond][0]:.9g}: it is {_range(lower, upper)}. Remove the rows of missing"
            " values; if the values are right, state the property's limits in the manifest",
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
                f"{_count(above, 'measurements')} are above {figure(largest / factor)} {unit}, such as"
                f" {observed[above].max():.9g}: {source}. Check the unit and the laboratory method",
            )
    count = len(observed)
    repeated = count - len(np.unique(np.column_stack([positions, observed]), axis=0))
    if repeated:
        yield (
            True,
            f"{repeated} of {count} rows repeat the position and the value of another: they count as"
            " independent, and make the intervals too narrow",
        )
    for is_warning, text in outside_remarks(found, "samples"):
        if is_warning:
            yield True, text


def _beyond_training(pack: Mapping[str, Any], observed: np.ndarray) -> Iterator[tuple[bool, str]]:
    """A value far beyond the training's may be right, such as peat: it should be checked, never left out."""
    if "trained_range" not in pack:
        return
    trained = Trained(*pack["trained_range"])
    spread = trained.most - trained.least
    distance = trained.distance(observed)
    far = distance > spread / 2
    if far.any():
        yield (
            bool(distance.max() > spread),
            f"{_count(far, 'measurements')} lie far outside the training measurements,"
            f" {trained.text}, such as {observed[distance.argmax()]:.9g}. Check them: if they are right,"
            " keep them, and train with such samples, because the map cannot predict their values",
        )


def median_stock(pack: Mapping[str, Any], of: str, values: np.ndarray) -> Iterator[str]:
    """The stock of a typical place, in which an author sees a wrong unit or depth; nothing of other units."""
    tonnes, layer = pack["tonnes_per_hectare"], pack["property"]
    if tonnes is None or len(values) == 0:
        return
    median = np.sort(values)[len(values) // 2]
    substance = f" of {layer['substance']}" if "substance" in layer else ""
    top, bottom = layer["depth_cm"]
    yield f"stock of {of}: {figure(median * tonnes)} t/ha{substance} in {top} to {bottom} cm"


# ---- Texts.


def _ends(support: Mapping[str, float | None]) -> tuple[float, float]:
    lower, upper = support["lower"], support["upper"]
    return -np.inf if lower is None else lower, np.inf if upper is None else upper


def _range(lower: float, upper: float) -> str:
    if upper == np.inf:
        return f"at least {figure(lower)}"
    if lower == -np.inf:
        return f"at most {figure(upper)}"
    return f"from {figure(lower)} to {figure(upper)}"


def _count(chosen: np.ndarray, places: str) -> str:
    """Such as "3 of 60 cells (5.0 %)"."""
    return f"{chosen.sum()} of {len(chosen)} {places} ({100 * chosen.mean():.1f} %)"


def _exact(value: float) -> str:
    """The digits of a coordinate in metres, and no more."""
    return figure(value, 7)
