from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from stock_pack import (
    CLAY,
    COLUMNS,
    ELEVATION,
    NODATA,
    ROWS,
    SEA,
    TENFOLD,
    layer,
    measure_stock,
    target,
    write_pack,
    write_raster,
)

from soil_packs import PackError, trained_values
from soil_packs.__main__ import main as soil_packs_main
from soil_packs.commands import ROOT
from soil_packs.limits import find_limits
from soil_packs.pack_check import check
from soil_packs.pack_validate import validate_pack
from soil_packs.remarks import Remarks, format_median_stock, pack_warnings, sample_remarks
from soil_packs.service import Prediction, predict

Run = Callable[..., tuple[int, str, str]]


def check_spoiled_pack(folder: Path, cells: int | None = 200, **spoiled: Any) -> Remarks:
    return check(write_pack(folder, **spoiled), cells=cells)[1]


@pytest.mark.parametrize("clay_file", [{}, {"clay": TENFOLD, "scale": 0.1}])
def test_a_correct_pack_has_no_warning_even_with_a_scale_in_its_file(tmp_path, clay_file):
    found = check_spoiled_pack(tmp_path, **clay_file)
    assert found.warnings == found.refusals == []
    assert "mean lies outside q05 to q95 in 0 of 200 cells (0.0 %)" in found.figures


def set_property(name: str, unit: str) -> Any:
    return lambda right: right["property"].update(name=name, unit=unit)


def set_correlation(nugget: float, range_m: float) -> Any:
    return lambda right: right["error"]["correlation"].update(nugget=nugget, range_m=range_m)


def use_narrow_bounds(right: dict[str, Any]) -> None:
    right["bands"][1:] = target("p16", 1, 0.16), target("p84", 2, 0.84)
    right["error"].update(lower="p16", upper="p84")


def drop_trained_ranges(right: dict[str, Any]) -> None:
    for one in [right, *right["covariates"]]:
        del one["trained_range"]


def change_trained_ranges(right: dict[str, Any]) -> None:
    for one in right["covariates"]:
        one["trained_range"] = [3, 4]


def use_shallow_layer(right: dict[str, Any]) -> None:
    right["property"]["depth_cm"] = [0, 3]


def predict_one_value(values: np.ndarray) -> np.ndarray:
    return np.broadcast_to([[88.1], [70], [100]], values.shape)


@pytest.mark.parametrize(
    ("spoiled", "reason"),
    [
        pytest.param(
            {"trained_on": lambda x: (x - [30, 250]) / [15, 177]},
            r"clay lies outside the range of the training data, -2 to 2, .*trained on its values",
            id="a model trained on standardised covariates",
        ),
        pytest.param(
            {"told": lambda v: [np.log(v[0]), np.log1p(v[1]), np.log(v[2])]},
            r"mean lies outside the range of the training data, 10 to 130, .*logarithm",
            id="a logarithm that is not back-transformed",
        ),
        pytest.param(
            {"clay": TENFOLD},
            r"clay lies outside the range of the training data, 0 to 60, .*scale",
            id="a covariate whose scale is lost",
        ),
        pytest.param(
            {"nodata": None},
            r"clay is -9999, far outside the range of the training data, 0 to 60, in .*nodata",
            id="a covariate whose nodata is lost",
        ),
        pytest.param(
            {"manifest": use_shallow_layer},
            r"the layer from 0 to 3 cm is 3 cm thick",
            id="a depth in metres",
        ),
        pytest.param(
            {"told": lambda v: v - 60},
            r"carbon stock must be at least 0, but the band mean has other values in .*such as -",
            id="negative stocks",
        ),
        pytest.param(
            {"told": predict_one_value},
            r"mean is 88\.1 in all 200 cells.*order of the covariates.*scaled",
            id="the same value everywhere",
        ),
        pytest.param(
            {"told": predict_one_value, "manifest": change_trained_ranges},
            r"mean is 88\.1 in all 200 cells.*extrapolates",
            id="a model that extrapolates to a single value",
        ),
        pytest.param(
            {"manifest": set_property("pH in water", "1")},
            r"pH in water must be from 0 to 14, but the band mean has other values in ",
            id="an impossible pH",
        ),
        pytest.param(
            {"manifest": set_property("carbon stock", "mg/kg")},
            r"the property is called carbon stock, but mg/kg is neither",
            id="a stock in a unit of concentration",
        ),
        pytest.param(
            {"shift": 5},
            r"clay has the grid's cell size, but is shifted by -?0\.50 columns and -?0\.00 rows",
            id="a covariate shifted by half a cell",
        ),
        pytest.param(
            {"manifest": set_correlation(1, 0.001)},
            r"error\.correlation \(nugget 1, range_m 0\.001\)",
            id="errors declared as independent",
        ),
        pytest.param(
            {"manifest": set_correlation(0, 1e7)},
            r"error\.correlation \(nugget 0, range_m 10000000\).*whole grid",
            id="errors declared as equal over the whole map",
        ),
        pytest.param(
            {"manifest": use_narrow_bounds},
            r"error: p16 to p84 contain 0\.68 of all values",
            id="bounds that contain two thirds of the errors",
        ),
        pytest.param(
            {"manifest": drop_trained_ranges},
            r"the manifest has no trained_range of the property and of the covariates clay, elevation",
            id="a manifest without training ranges",
        ),
        pytest.param(
            {"told": lambda v: v[[0, 1, 1]]},
            r"mean lies outside q05 to q95 in 200 of 200 cells \(100\.0 %\)",
            id="means outside their quantiles",
        ),
    ],
)
def test_pack_check_names_the_fault(tmp_path: Path, spoiled: dict[str, Any], reason: str):
    warnings = check_spoiled_pack(tmp_path, **spoiled).warnings
    assert any(re.match(reason, text) for text in warnings), warnings


def test_a_covariate_shifted_by_a_whole_cell_is_not_called_shifted(tmp_path):
    found = check_spoiled_pack(tmp_path, shift=10)
    assert [text for text in found.warnings if "is shifted by" in text] == []


# ---- Values far outside the training data, in a few of 200 cells.


def warnings_of_elevations(folder: Path, values: list[float], **known: Any) -> list[str]:
    elevation = np.linspace(110, 309, 200)
    elevation[: len(values)] = values

    def change(right: dict[str, Any]) -> None:
        right["error"]["correlation"]["range_m"] = 100
        del right["covariates"][1]["trained_range"]
        right["covariates"][1].update(known or {"trained_range": [100, 500]})

    clay = np.random.default_rng(1).uniform(5, 55, (10, 20))
    found = check_spoiled_pack(
        folder, clay=clay, elevation=elevation.reshape(10, 20), manifest=change
    )
    return found.warnings


@pytest.mark.parametrize("value", [0, -9999, 65_535, -32_768])
def test_a_repeated_value_far_outside_the_training_data_gives_a_warning(tmp_path, value):
    (warning,) = warnings_of_elevations(tmp_path, [value, value, 520])
    assert re.match(rf"elevation is {value}, far outside .* in 2 of 200 cells", warning)


@pytest.mark.parametrize("values", [[540, 560, 580], [510, 510]])
def test_different_or_slightly_higher_values_give_no_warning(tmp_path, values):
    assert warnings_of_elevations(tmp_path, values) == []


@pytest.mark.parametrize(("value", "warnings"), [(0, 1), (311, 0)])
def test_the_unknown_class_0_gives_a_warning_but_another_unknown_class_does_not(
    tmp_path, value, warnings
):
    found = warnings_of_elevations(tmp_path, [value, value], trained_classes=[*range(1, 311)])
    assert len(found) == warnings


# ---- Quantiles and cells of `pack-check`.


def without_levels(right: dict[str, Any]) -> None:
    right["bands"][1:] = target("q05", 1), target("q95", 2)


@pytest.fixture
def run(monkeypatch, capsys) -> Run:
    def run(main: Callable[[], None], *arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["soil_packs", *map(str, arguments)])
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code
        return code, *capsys.readouterr()

    return run


@pytest.mark.parametrize("manifest", [lambda right: None, without_levels])
def test_a_lower_quantile_above_a_higher_quantile_is_refused(tmp_path, run: Run, manifest):
    folder = write_pack(tmp_path, told=lambda v: v[[0, 2, 1]], manifest=manifest)
    code, output, errors = run(soil_packs_main, "pack-check", folder, "--cells=10")
    assert code == 1
    assert re.search(r"q05 \([\d.]+\) is above q95 \([\d.]+\) .* cross in 10 of 10 cells", errors)
    assert len(output.splitlines()) == 1 + 10


def test_a_pack_that_is_only_used_by_name_is_accepted(tmp_path):
    found = check_spoiled_pack(tmp_path, 5, manifest=lambda right: right.update(by_name_only=True))
    assert any("can be deployed" in text for text in found.figures)
    assert found.refusals == []


def test_fewer_cells_than_requested_are_reported(tmp_path):
    assert len(check(write_pack(tmp_path / "usual"))[0]) == 100
    island = np.where((COLUMNS < SEA + 5) & (ROWS < 3), CLAY, NODATA)[:10, :20]
    folder = write_pack(tmp_path / "island", clay=island, elevation=ELEVATION[:10, :20])
    cells, remarks = check(folder, cells=20)
    assert len(cells) == 15
    assert any("found 15 of 20 cells" in text for text in remarks.figures)


def test_a_covariate_without_values_is_refused_and_other_faults_still_give_warnings(tmp_path):
    found = check_spoiled_pack(
        tmp_path, clay=np.full_like(CLAY, NODATA), manifest=use_shallow_layer
    )
    assert re.search("no cell has all covariates .*: clay", found.refusals[0])
    assert any("3 cm thick" in text for text in found.warnings)


@pytest.mark.parametrize(
    ("option", "exit_code", "says"),
    [("--cells=0", 2, "at cells"), ("--near=50.55,3.001", 1, "swapped")],
)
def test_invalid_options_are_rejected_with_the_reason(tmp_path, run: Run, option, exit_code, says):
    code, output, errors = run(soil_packs_main, "pack-check", write_pack(tmp_path), option)
    assert (code, output) == (exit_code, "")
    assert says in errors


# ---- Published maps.


def warnings_of_published_map(folder: Path, **encoding: float) -> list[str]:
    def without_graph(right: dict[str, Any]) -> None:
        del right["graph"], right["error"], right["trained_range"]
        right["covariates"] = [layer(name, **encoding) for name in ("mean", "p16", "p84")]
        right["bands"] = [target("mean", 0), target("p16", 1, 0.16), target("p84", 2, 0.84)]

    write_pack(folder, manifest=without_graph)
    for name, factor in {"mean": 1, "p16": 0.5, "p84": 2}.items():
        write_raster(folder / f"{name}.tif", factor * (1 + ELEVATION))
    return [*pack_warnings(predict(folder, cells=5).pack)]


def test_each_undeclared_scale_and_nodata_of_a_published_map_gives_a_warning(tmp_path):
    assert warnings_of_published_map(tmp_path / "stated", scale=0.1, nodata=65_535) == []
    found = warnings_of_published_map(tmp_path / "silent")
    assert len(found) == 6
    assert "scale of mean" in found[0]


def test_a_tag_that_the_manifest_overrides_gives_a_warning(tmp_path):
    folder = write_pack(
        tmp_path, scale=0.5, manifest=lambda right: right["covariates"][0].update(scale=0.1)
    )
    (found,) = pack_warnings(predict(folder, cells=5).pack)
    assert re.search(r"scale of clay, 0\.1.*0\.5", found)


# ---- Samples.


@pytest.fixture(scope="module")
def right(tmp_path_factory) -> Path:
    return write_pack(tmp_path_factory.mktemp("right"))


@pytest.fixture(scope="module")
def two_predictions(right) -> tuple[Prediction, np.ndarray]:
    _, positions = measure_stock(2)
    return predict(right, positions=positions), positions


def warnings_of_samples(folder: Path, observed: np.ndarray, positions: np.ndarray) -> list[str]:
    found = Remarks()
    found.add(sample_remarks(predict(folder, positions=positions), observed, positions))
    return found.warnings


def test_samples_of_a_correct_pack_give_no_warning(right):
    assert warnings_of_samples(right, *measure_stock(60)) == []


def test_repeated_rows_and_impossible_measurements_give_warnings(right):
    observed, positions = measure_stock(60)
    again = np.r_[:60, :5]
    (repeated,) = warnings_of_samples(right, observed[again], positions[again])
    assert " are repeated in 5 of 65 rows" in repeated
    observed[:3] = -9999
    (impossible,) = warnings_of_samples(right, observed, positions)
    assert re.match(
        r"carbon stock must be at least 0, but lies outside this range in 3 of 60 .*such as -9999\. Remove",
        impossible,
    )


def test_a_covariate_that_lost_its_scale_gives_a_warning_at_the_samples(tmp_path):
    warnings = warnings_of_samples(write_pack(tmp_path, clay=TENFOLD), *measure_stock(60))
    says = r"clay lies outside the range of the training data, 0 to 60, in \d+ of 60 samples.*scale"
    assert any(re.match(says, text) for text in warnings)


def table(observed: np.ndarray, positions: np.ndarray) -> pandas.DataFrame:
    lon, lat = positions.T
    return pandas.DataFrame({"lon": lon, "lat": lat, "stock": observed})


def test_samples_in_the_same_cell_as_a_training_sample_are_found(right):
    observed, positions = measure_stock(60)
    moved = np.vstack([positions[:6] + np.array([1e-5, 0]), [1, 2]])
    training = table(np.zeros(7), moved)
    _, _, remarks = validate_pack(
        right, table(observed, positions), target="stock", training=training
    )
    assert any(
        re.match("the model saw the grid cells of [67] of 60 samples", one)
        for one in remarks.warnings
    )


def test_impossible_predictions_at_samples_are_refused(tmp_path):
    folder = write_pack(tmp_path, told=predict_one_value)
    found, _, _ = validate_pack(folder, table(*measure_stock(60)), target="stock")
    assert found["refusals"][0].startswith("mean is 88.1 in all 60 samples")


def test_samples_with_swapped_coordinates_are_rejected(right):
    observed, positions = measure_stock(60)
    with pytest.raises(PackError, match="60 of 60"):
        validate_pack(right, table(observed, positions[:, ::-1]), target="stock")


def test_a_few_samples_with_swapped_coordinates_give_a_warning(right):
    observed, positions = measure_stock(60)
    positions[:12] = positions[:12, ::-1]
    found, _, remarks = validate_pack(right, table(observed, positions), target="stock")
    assert found["samples"]["outside_grid"] == 12
    assert any("swapped in 12 of 60 samples" in one for one in remarks.warnings)


def test_a_possible_measurement_is_not_called_impossible(tmp_path):
    def use_low_range(manifest: dict[str, Any]) -> None:
        manifest["trained_range"] = [2, 30]
        manifest["property"]["unit"] = "kg/m3"

    folder = write_pack(tmp_path, manifest=use_low_range)
    observed, positions = measure_stock(60)
    observed[0] = 60
    warnings = warnings_of_samples(folder, observed, positions)
    assert not any("at least 0" in one for one in warnings)


def test_a_measurement_far_outside_the_training_data_gives_a_remark_but_no_warning(right):
    observed, positions = measure_stock(60)
    observed[:2] = 210
    _, _, remarks = validate_pack(right, table(observed, positions), target="stock")
    assert [one for one in remarks.figures if "in 2 of 60 measurements" in one]
    assert not any("2 of 60" in one for one in remarks.warnings)


@pytest.mark.parametrize(
    ("name", "unit", "value", "warnings"),
    [
        ("soil organic carbon", "g/kg", 640, 1),
        ("soil organic carbon", "%", 58, 0),
        ("soil organic carbon", "%", 64, 1),
        ("bulk density", "g/cm3", 2.8, 1),
        ("clay", "%", 104, 1),
        ("deviation of pH", "1", -0.4, 0),
        ("pH in water", "1", -0.4, 1),
    ],
)
def test_measurements_are_checked_against_physical_limits(
    two_predictions, name, unit, value, warnings
):
    found, positions = two_predictions
    limits = dict(zip(("lower", "upper"), find_limits({"name": name, "unit": unit})))
    pack = {key: part for key, part in found.pack.items() if key != "trained_range"}
    described = {**pack, "property": {**pack["property"], "name": name, "unit": unit}}
    remarks = Remarks()
    remarks.add(
        sample_remarks(
            dataclasses.replace(found, pack={**described, "limits": limits}),
            np.array([1, value]),
            positions,
        )
    )
    assert len(remarks.warnings) == warnings


# ---- The stock of the median.


def test_the_median_stock_is_printed_in_tonnes_per_hectare():
    def stock_in(unit_per_t_ha: float | None, *values: float) -> list[str]:
        layer = {"depth_cm": [0, 30], "substance": "carbon"}
        pack = {"tonnes_per_hectare": unit_per_t_ha, "property": layer}
        return [*format_median_stock(pack, "the median cell", np.array(values))]

    right = ["stock of the median cell: 81 t/ha of carbon in 0 to 30 cm"]
    assert stock_in(1, 75, 81, 900) == right
    assert stock_in(3, 27, 25, 300) == right
    assert "243 t/ha" in stock_in(3, 75, 81, 900)[0]
    assert stock_in(None, 3) == stock_in(1) == []


# ---- Training values.


def test_a_manifest_has_no_warning_after_its_training_values_were_written(tmp_path, run: Run):
    folder = write_pack(tmp_path, manifest=drop_trained_ranges)
    training = folder / "training.csv"
    training.write_text("stock,clay,elevation\n31.5,0.123456789,2\n12.25,,7\n80,3,4\n")
    files = folder / "manifest.json", training, "stock", "--classes"
    code, _, _ = run(trained_values.main, *files, "soil")
    assert "soil" in str(code)
    assert run(trained_values.main, *files, "elevation")[0] == 0
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["trained_range"] == [31.5, 80]
    assert manifest["covariates"][0]["trained_range"] == [0.123456, 3]
    assert manifest["covariates"][1]["trained_classes"] == [2, 4]
    assert [*pack_warnings(predict(folder, cells=5).pack)] == []


def test_the_manifest_of_the_default_pack_gives_no_warning():
    assert [*pack_warnings(predict(ROOT / "models/meuse-soc", cells=5).pack)] == []
