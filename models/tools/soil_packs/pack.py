"""Builds a model pack step by step: covariates, samples, model, validation, folder."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas

from . import (
    agreement,
    applicability,
    bands,
    card,
    covariates,
    pack_errors,
    same_covariates,
    trained_values,
)
from .commands import PackError
from .graphs import count_targets
from .limits import find_limits
from .pack_check import check
from .pack_errors import estimate_errors
from .pack_validate import format_refusals, validate_pack
from .remarks import Remarks, swapped_warning
from .samples import as_table
from .samples import positions as lon_lat
from .service import read_covariates
from .tables import require_training
from .validation import NO_SKILL


class Pack:
    """A model pack. Its folder is written by `save`.

    :param property: `{"name": …, "unit": …, "depth_cm": [top, bottom]}` with a UDUNITS unit; add `limits` of possible
        values, such as `[0, None]`, if the usual limits for this name and unit do not apply
    :param grid: the grid of the results, such as `grid_of(raster)`
    :param coverage: the area in which the model is valid, as a GeoDataFrame, or GeoJSON in WGS 84
    :param data_period: first and last year of the samples; omit it if covariates change by period
    :param sample_support: what a value represents, such as "one core of 8 cm"
    :param not_for: places or uses for which results are not suitable; each completes "It is not for …"
    :param licenses: licenses of the samples, of each covariate's source and of the model: part, license, citation
    :param points_per_second: the speed measured by `npm run pack-speed`
    """

    def __init__(
        self,
        id: str,
        version: str,
        *,
        property: Mapping[str, Any],
        grid: Mapping[str, Any],
        coverage: Any,
        title: str | None = None,
        data_period: Sequence[int] | None = None,
        sample_support: str = "one sample",
        not_for: Sequence[str] = (),
        licenses: Sequence[Mapping[str, str]] = (),
        points_per_second: float = 50_000,
        nodata: float = -9999,
        by_name_only: bool = False,
        graph_href: str = "model.onnx",
    ) -> None:
        self.grid = dict(grid)
        self.graph_href = graph_href
        self.head = {
            "schema": "soil-model-pack/1",
            "id": id,
            "version": version,
            "title": title or f"{property['name']} ({id})",
            "property": dict(property),
            "sample_support": sample_support,
            **({"not_for": [*not_for]} if not_for else {}),
        }
        self.coverage = covariates.convert_coverage(coverage)
        self.data_period = None if data_period is None else [int(year) for year in data_period]
        self.licenses = [dict(one) for one in licenses]
        self.points_per_second, self.nodata = points_per_second, nodata
        self.by_name_only = by_name_only
        self.covariates: list[covariates.Covariate] = []
        self.bands: list[dict[str, Any]] = []
        self.graph: Any = None
        self.targets = 1
        self.distribution: dict[str, Any] | None = None
        self.error: dict[str, Any] | None = None
        self.area: dict[str, Any] | None = None
        self.points = b""
        self.accuracy: list[dict[str, Any]] = []
        self.doubts: list[str] = []
        self.sampled: list[pandas.DataFrame] = []
        self.columns: dict[str, list[float]] | None = None
        self.y: list[float] = []
        self.warnings: list[str] = []

    @property
    def names(self) -> list[str]:
        return [one.name for one in self.covariates]

    def covariate(
        self,
        name: str,
        source: str | PathLike[str] | Mapping[str, str | PathLike[str]] | None = None,
        *,
        unit: str | None = None,
        description: str | None = None,
        classes: bool = False,
        axis: str | None = None,
        band: int = 1,
        native_cell_size: float | None = None,
        href: str | None = None,
    ) -> None:
        """Adds a covariate, which is the next feature of the graph.

        :param source: the path or URL of a raster, or of one raster per period: `{"2015-2019": …}`
        :param classes: whether the values are classes, which must not be averaged
        :param href: the file's name in the pack, to which the years of a period are added; by default `<name>.tif`
        :param axis: "x" or "y" for the coordinate of the cell centre, instead of a source
        """
        self.covariates.append(
            covariates.declare_covariate(
                self.grid,
                name,
                source,
                unit=unit,
                description=description,
                classes=classes,
                axis=axis,
                band=band,
                native_cell_size=native_cell_size,
                href=href,
            )
        )

    def sample(self, samples: Any, *, year: int | None = None) -> Any:
        """Returns the samples with the covariates that the service reads at their places: float32, NaN where missing.

        :param samples: points as a GeoDataFrame in any CRS, or a table with lon and lat (WGS 84)
        """
        table = as_table(samples)
        with self._folder(draft=True) as folder:
            found = read_covariates(folder, positions=lon_lat(table), year=year)
        self._note(Remarks(warnings=[*swapped_warning(found.attrs["swapped"], len(found))]))
        values = {name: found[name].to_numpy() for name in self.names}
        read = pandas.DataFrame({**values, "lon": table["lon"], "lat": table["lat"]}, table.index)
        self.sampled.append(read.assign(year=year))
        return table.drop(columns=self.names, errors="ignore").assign(**values)

    def model(
        self,
        model: Any = None,
        x: Any = None,
        y: Any = None,
        *,
        intervals: str | None = None,
        quantiles: Sequence[Any] = (),
        onnx: str | PathLike[str] | None = None,
        coverage: float = 0.9,
        thresholds: Sequence[float] | None = None,
        held_out: tuple[Any, Any] | None = None,
        distribution: Mapping[str, Any] | None = None,
        probability: float | None = None,
        predicted: Any = None,
        positions: Any = None,
        year: int | None = None,
    ) -> None:
        """Adds the trained model, with its training data `x` and `y`.

        The graph must predict like the model, and the pack's rasters must have the values of `x` at the samples' places.

        :param intervals: "distribution" to derive intervals from the leaves of a scikit-learn forest
        :param quantiles: models of the lower and the upper bound, or one XGBoost model of both
        :param onnx: your own graph: the mean, followed by both bounds if it has three targets
        :param coverage: the coverage of the interval: 0.9 gives the bands q05 and q95
        :param held_out: x and y of samples that trained none of the models; the bounds of `quantiles` are shifted by a
            margin so that they contain at least the share `coverage` of these samples
        :param distribution: the manifest's `distribution`, for an `onnx` with targets P(Y <= t) after the mean;
            `probability` is the probability of the lower bound
        :param predicted: the predictions for `x` of the model from which `onnx` was made: the mean, or a column for each
            target
        :param positions: the positions of the rows of `x`, if they are not from `pack.sample`: points in any CRS, or a
            table with lon and lat; `year` is the year of the pack's period to which they belong
        :raises PackError: if the model cannot be converted, the graph predicts differently, or the rasters have other values
        """
        if predicted is not None and onnx is None:
            raise PackError(
                "pass predicted= only with onnx=: without onnx=, the model itself predicts"
            )
        features, target = require_training(self.names, x, y)
        made = bands.make_model_bands(
            self.names,
            model,
            features,
            target,
            intervals=intervals,
            quantiles=quantiles,
            onnx_path=onnx,
            coverage=coverage,
            thresholds=thresholds,
            held_out=None if held_out is None else require_training(self.names, *held_out),
            distribution=distribution,
            probability=probability,
            limits=find_limits(self.head["property"]),
        )
        self._compare(made, features, target, predicted)
        self._compare_covariates(x, features, positions, year)
        # The shortest decimals that parse to the same float32.
        self.columns = {
            name: [float(str(value)) for value in features[:, at]]
            for at, name in enumerate(self.names)
        }
        self.y = target.tolist()
        self.area = None
        self.graph, self.bands, self.distribution = made.graph, made.bands, made.distribution
        self.targets = count_targets(self.graph)

    def _compare(
        self, made: bands.ModelBands, features: np.ndarray, target: np.ndarray, predicted: Any
    ) -> None:
        rows = agreement.choose_rows(len(features))
        if made.models:
            given = made.predict(features[rows])
        elif predicted is not None:
            given = agreement.as_columns(predicted, len(features))[rows]
        else:
            print(
                "not checked: whether the graph predicts like its model; to check this, pass predicted="
            )
            return
        found = agreement.find_differences(
            made.graph,
            features[rows],
            given,
            names=self.names,
            rows=rows,
            sd=float(target.std()),
            given=not made.models,
        )
        if not made.models and given.shape[1] < count_targets(made.graph):
            print(
                f"not checked: the graph's targets from number {given.shape[1] + 1} on; to check these, pass their"
                " predictions in predicted="
            )
        self._note(Remarks(warnings=found))

    def _compare_covariates(
        self, x: Any, features: np.ndarray, positions: Any, year: int | None
    ) -> None:
        """Checks whether jobs read the values that trained the model. Rows from `pack.sample` need no comparison."""
        places, rounding = None, None
        if positions is not None:
            table = as_table(positions)
            if len(table) != len(features):
                raise PackError(
                    f"positions must have a row for each of the {len(features)} rows of x; got {len(table)} rows"
                )
            places, rounding = lon_lat(table), table.attrs.get("rounding")
        elif self.sampled:
            every = pandas.concat(self.sampled)
            if set(self.names) <= set(every.columns):
                rows = every[self.names].to_numpy(float)
                classes = [one.classes for one in self.covariates]
                if same_covariates.are_rows_of(features, rows, classes):
                    return
                places, year = self._sampled_places(x, features, every)
        if places is None:
            print(
                f"{same_covariates.NOT_CHECKED}; to check this, pass positions=, the lon and lat of each row of x"
            )
            return
        with self._folder(draft=True) as folder:
            found = same_covariates.compare_training(
                *(folder, places, features.astype(float)),
                names=self.names,
                classes=[one.name for one in self.covariates if one.classes],
                rounding=rounding,
                year=year,
            )
        self._note(found)
        found.require_none_refused()

    def _sampled_places(
        self, x: Any, features: np.ndarray, every: pandas.DataFrame
    ) -> tuple[np.ndarray | None, int | None]:
        """Finds the places and the year of rows by their index in tables from `pack.sample`; None if they cannot be matched."""
        index = getattr(x, "index", None)
        if index is None or not every.index.is_unique or not index.isin(every.index).all():
            return None, None
        rows = every.loc[index]
        years = rows["year"].unique()
        if len(years) > 1 or not same_covariates.have_same_order(
            features, rows[self.names].to_numpy()
        ):
            return None, None
        return rows[["lon", "lat"]].to_numpy(), None if years[0] is None else int(years[0])

    def applicability(
        self, *, folds: Sequence[Any] | None = None, band: bool = False
    ) -> dict[str, Any]:
        """Adds the area of applicability, so that jobs count cells that are dissimilar to the training data.

        The pack then contains the covariates of the training samples, including their coordinates if these are
        covariates.

        :param folds: the fold of each training sample in the model's cross-validation; by default ten random folds
        :param band: whether results get a band with 1 inside and 0 outside the area
        """
        self._require_model()
        x = np.array([self.columns[name] for name in self.names], np.float32).T
        classes = [at for at, one in enumerate(self.covariates) if one.classes]
        points, area = applicability.compute_area(self.graph, x, np.array(self.y), classes, folds)
        self.points = points.astype("<f4").tobytes()
        self.area = {"href": self._points_href, **area}
        self.bands = [one for one in self.bands if one != applicability.BAND]
        if band:
            self.bands.append(applicability.BAND)
        return area

    def validate(
        self,
        held_out: Any,
        *,
        target: str,
        group: str | None = None,
        training: Any = None,
        year: int | None = None,
    ) -> dict[str, Any]:
        """Compares predictions with samples that the model did not see, predicting as the service does.

        `save` writes the figures to the manifest and the card.

        :raises PackError: if the samples contradict the pack beyond chance, or the model saw most of their grid cells
        """
        self._require_model()
        with self._folder() as folder:
            found, _, remarks = validate_pack(
                folder,
                as_table(held_out),
                target=target,
                group=group,
                training=None if training is None else as_table(training),
                year=year,
            )
        self._note(remarks)
        if found["refusals"]:
            raise PackError(format_refusals(found))
        self.accuracy = card.summarise_accuracy(found, self.head["property"]["unit"])
        self.doubts = [*found["warnings"], *([] if found["shows_skill"] else [NO_SKILL])]
        return found

    def errors(self, withheld: Any, *, target: str, group: str | None = None) -> dict[str, Any]:
        """Estimates the correlation between the errors of cells, which the intervals of areas need.

        :param withheld: a table of lon, lat, `fold`, the target, mean and both bounds (named as in the pack, such as q05 and
            q95); each row is predicted by a model that was trained without its fold
        """
        bounds = [band["name"] for band in self.bands[1:3] if band != applicability.BAND]
        columns = dict(zip(("lower", "upper"), bounds)) if len(bounds) == 2 else {}
        found = estimate_errors(as_table(withheld), target=target, group=group, **columns)
        self._note(Remarks(warnings=[*pack_errors.error_warnings(found)]))
        self.error = found["error"]
        return found

    def save(self, folder: str | PathLike[str]) -> Path:
        """Writes manifest, graph, covariates and card, and checks the pack as a deployment does."""
        self._require_model()
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        self._write(target, link=False)
        card_file = target / "README.md"
        # A card written by the author is kept.
        if not card_file.exists() or card.is_generated(card_file.read_text("utf-8")):
            card_file.write_text(card.format_card(self.manifest(), self.doubts), "utf-8")
        _, remarks = check(target)
        self._note(remarks)
        remarks.require_none_refused()
        return target

    def manifest(self, draft: bool = False) -> dict[str, Any]:
        """Makes the content of `manifest.json`. A `draft` has no training values, and suffices to read covariates."""
        if not self.covariates:
            raise PackError("the pack has no covariates: add them with pack.covariate(…)")
        licenses = self.licenses or [
            {"part": "samples, covariates and model", "license": "not stated", "citation": "none"}
        ]
        declared: dict[str, Any] = {
            **self.head,
            "grid": self.grid,
            "coverage": self.coverage,
            **({"by_name_only": True} if self.by_name_only else {}),
            "temporal": covariates.declare_years(self.covariates, self.data_period),
            "covariates": [one.declared for one in self.covariates],
            "graph": {"href": self.graph_href, "format": "onnx", "targets": self.targets},
            **({} if self.area is None else {"applicability": self.area}),
            **({} if self.distribution is None else {"distribution": self.distribution}),
            "bands": self.bands or [bands.MEAN],
            **({} if self.error is None else {"error": self.error}),
            "nodata": self.nodata,
            "points_per_second": self.points_per_second,
            "accuracy": self.accuracy,
            "licenses": licenses,
        }
        if draft or self.columns is None:
            return declared
        classes = [one.name for one in self.covariates if one.classes]
        return trained_values.add_training_values(declared, self.columns, self.y, classes)

    @property
    def _points_href(self) -> str:
        return Path(self.graph_href).with_name("training.f32").as_posix()

    def _require_model(self) -> None:
        if self.graph is None:
            raise PackError("the pack has no model: add it with pack.model(model, x, y)")

    @contextmanager
    def _folder(self, draft: bool = False) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="soil-pack-") as name:
            self._write(Path(name), link=True, draft=draft)
            yield Path(name)

    def _write(self, folder: Path, *, link: bool, draft: bool = False) -> None:
        text = json.dumps(self.manifest(draft), indent=2, ensure_ascii=False)
        (folder / "manifest.json").write_text(text + "\n", "utf-8")
        for one in self.covariates:
            one.write(folder, link=link)
        if self.graph is not None:
            graph = folder / self.graph_href
            graph.parent.mkdir(parents=True, exist_ok=True)
            graph.write_bytes(self.graph.SerializeToString())
        if self.area is not None:
            (folder / self._points_href).write_bytes(self.points)

    def _note(self, remarks: Remarks) -> None:
        """Prints remarks, each warning only once, and stores the warnings."""
        new = [text for text in remarks.warnings if text not in self.warnings]
        self.warnings += new
        for line in Remarks(remarks.figures, new).lines():
            print(line)
