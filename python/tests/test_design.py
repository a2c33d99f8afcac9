from __future__ import annotations

import dataclasses
import os
import shutil
from typing import Any

import geopandas
import numpy
import pandas
import pytest
import shapely
from scipy.spatial import distance

import soil_batch as sb
from commands import Command
from soil_batch.correction.allocation import (
    allocate_samples,
    expected_error_sd,
    expected_half_width,
)
from soil_batch.correction.change import estimate_mean_change
from soil_batch.correction.maps import CellErrorModel, Places, read_run_maps
from soil_batch.correction.mean_error import Stratum, estimate_mean_error
from soil_batch.correction.randomness import find_patterns
from soil_batch.correction.visit import Plot, Visit, compare_samples
from soil_batch.fields import shape_of
from soil_batch.folder import Folder

IS_NIGHT = bool(os.environ.get("EVERY_RUN"))


def codes(found) -> set[str]:
    return {one.code for one in found}


def test_samples_are_allocated_by_size_but_each_stratum_gets_at_least_two():
    assert allocate_samples(60, [3.0, 2.0, 1.0]) == [30, 20, 10]
    assert allocate_samples(10, [100.0, 1.0, 1.0]) == [6, 2, 2]
    assert allocate_samples(6, [5.0, 0.0, 1.0]) == [2, 2, 2]
    assert allocate_samples(9, [0.0, 0.0]) == [5, 4]
    assert sum(allocate_samples(101, [0.3, 0.3, 0.4, 0.1, 7.0])) == 101


class Ground:
    """A square of 10 m cells, divided into square strata. Errors have a nugget and an exponential correlation."""

    SIDE, NUGGET, RANGE_M = 30, 0.3, 150.0

    def __init__(self, random, strata_per_side: int = 3) -> None:
        count, self._per_side = self.SIDE, strata_per_side
        self.row, self.col = (one.ravel() for one in numpy.mgrid[:count, :count])
        xy = 10.0 * numpy.column_stack([self.col, self.row])
        rho = (1 - self.NUGGET) * numpy.exp(-distance.cdist(xy, xy) / self.RANGE_M)
        numpy.fill_diagonal(rho, 1)
        self._factor = numpy.linalg.cholesky(rho)
        self._random = random
        edge = count // self._per_side
        self.stratum = self.row // edge * self._per_side + self.col // edge

    def errors(self, repeats: int | None = None):
        size = self.SIDE**2 if repeats is None else (self.SIDE**2, repeats)
        return self._factor @ self._random.standard_normal(size)

    def places(self, chosen, sd: float = 1.0, mapped=0.0) -> Places:
        lon, lat = self.col[chosen] / 11_132, self.row[chosen] / 11_132
        size = len(lon)
        mean = numpy.broadcast_to(mapped, self.SIDE**2)[chosen].astype(float)
        return Places(numpy.zeros(size, int), lon, lat, mean, numpy.full(size, sd))

    def draw(self, stratum: int, count):
        return self._random.choice(numpy.flatnonzero(self.stratum == stratum), count)

    @property
    def strata(self) -> range:
        return range(self._per_side**2)


MODEL = CellErrorModel(1.645, 2, 3, 0.0, 1.0, Ground.NUGGET, Ground.RANGE_M)


def test_the_expected_standard_error_equals_that_of_simulated_samples():
    """σ alone, without the correlation within strata, would give an interval that is more than a fifth too wide."""
    random = numpy.random.default_rng(1)
    ground = Ground(random)
    sds = [expected_error_sd(ground.places(ground.draw(one, 500)), MODEL) for one in ground.strata]
    repeats, each = (4_000, 4) if IS_NIGHT else (1_000, 4)
    errors = ground.errors(repeats)
    means = [
        errors[ground.draw(one, (repeats, each)), numpy.arange(repeats)[:, None]].mean(axis=1)
        for one in ground.strata
    ]
    misses = numpy.mean(means, axis=0) - errors.mean(axis=0)
    samples = each * len(sds)
    expected = numpy.sqrt(numpy.mean(numpy.square(sds)) / samples)
    assert expected == pytest.approx(misses.std(), rel=0.03 if IS_NIGHT else 0.06)
    assert 1 / numpy.sqrt(samples) > 1.2 * misses.std()


def test_the_expected_half_width_equals_that_of_the_interval():
    weights, sds, counts = [0.5, 0.3, 0.2], [2.0, 1.0, 4.0], [6, 3, 5]
    strata = []
    for weight, sd, count in zip(weights, sds, counts):
        errors = numpy.arange(count) * sd / numpy.arange(count).std(ddof=1)
        strata.append(Stratum("", weight, tuple(errors)))
    found = estimate_mean_error(strata).half_width(0.9)
    assert expected_half_width(counts, weights, sds, 0.9) == pytest.approx(found)


def test_the_standardised_sd_and_a_shared_error_increase_the_expected_sd():
    random = numpy.random.default_rng(1)
    ground = Ground(random)
    mapped = random.uniform(10, 30, ground.SIDE**2)
    chosen = ground.draw(0, 500)
    plain = expected_error_sd(ground.places(chosen, mapped=mapped), MODEL)
    twice = CellErrorModel(**{**vars(MODEL), "standardised_sd": 2.0})
    bounds = (mapped[chosen], mapped[chosen] - 1.645, mapped[chosen] + 1.645)
    assert twice.own_sd(*bounds) == pytest.approx(2 * MODEL.own_sd(*bounds))
    shared = CellErrorModel(**{**vars(MODEL), "systematic": 0.1})
    wider = expected_error_sd(ground.places(chosen, mapped=mapped), shared)
    assert wider**2 - plain**2 == pytest.approx(0.01 * mapped[chosen].var())


def chosen_places(ground: Ground, kind: str, soil, random):
    cells = numpy.arange(ground.SIDE**2)
    found = []
    for one in ground.strata:
        own = cells[ground.stratum == one]
        if kind == "transect":
            found.append(own[own // 30 == 14][2:27])
        elif kind == "dark soil":
            found.append(random.choice(own[numpy.argsort(soil[own])[-30:]], 5, replace=False))
        elif kind == "one side":
            found.append(random.choice(own[(own % 30) % 10 < 4], 5, replace=False))
        elif kind == "grid":
            found.append(own[[11, 18, 44, 81, 88]])
        else:
            found.append(random.choice(own, 5))
    return numpy.concatenate(found)


def simulate_samples(kind: str, repeats: int) -> tuple[list[set[str]], float]:
    """Simulates many samples. Returns the warnings of each, and the share of intervals that contain the truth.

    The map explains half of the variance of the soil.
    """
    random = numpy.random.default_rng(5)
    ground = Ground(random, 1 if kind == "transect" else 3)

    def draw(one: int, count: int) -> Places:
        return ground.places(ground.draw(one, count), mapped=mapped)

    found, inside = [], []
    for _ in range(repeats):
        mapped, errors = 20 + 3 * ground.errors(), 3 * ground.errors()
        chosen = chosen_places(ground, kind, mapped + errors, random)
        stratum = ground.stratum[chosen]
        found.append(codes(find_patterns(ground.places(chosen, mapped=mapped), stratum, draw)))
        strata = [Stratum("", 1.0, tuple(errors[chosen[stratum == one]])) for one in ground.strata]
        error = estimate_mean_error(strata)
        inside.append(abs(error.value - errors.mean()) <= error.half_width(0.9))
    return found, float(numpy.mean(inside))


@pytest.mark.parametrize(
    ("kind", "code", "least", "most"),
    [
        ("transect", "clustered_places", 0.4, 0.8),
        ("one side", "off_centre", 0.6, 0.9),
        ("dark soil", "preferred_values", 0.0, 0.05),
        ("grid", "regular_places", 0.9, 1.0),
    ],
)
def test_places_that_were_not_drawn_at_random_are_detected(kind, code, least, most):
    repeats = 400 if IS_NIGHT else 20
    found, covered = simulate_samples(kind, repeats)
    assert sum(code in one for one in found) >= 0.9 * repeats
    assert least <= covered <= most


def test_random_places_rarely_give_a_warning():
    repeats = 1_000 if IS_NIGHT else 60
    found, covered = simulate_samples("random", repeats)
    assert sum(map(bool, found)) <= 0.02 * repeats
    assert 0.85 <= covered <= 0.95


@pytest.fixture(scope="module")
def whole(service, session_proxy, fields, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "maps"
    with sb.Client(session_proxy.url, service.api_key) as client:
        client.predict(fields, year=2021, name="id", dir=folder, progress=False)
    return folder


@pytest.fixture
def run(client, whole, tmp_path):
    return client.open(shutil.copytree(whole, tmp_path / "maps"))


class World:
    """The soil of a run's fields: the map plus a skewed error per cell and an error per field."""

    def __init__(self, run: sb.Run, random, log_sd: float) -> None:
        self.maps, self._random, self._log_sd = read_run_maps(Folder(run.dir), None), random, log_sd
        self._cells = [self.maps.read_cells(at) for at in range(len(self.maps.maps))]
        self._areas = [ground_areas(*one) for one in zip(self._cells, self.maps.maps)]
        self.renew()

    def renew(self) -> None:
        draw = self._random
        self._errors = [
            draw.normal(0, 2) + 4 * numpy.exp(self._log_sd * draw.standard_normal(one.shape))
            for one in self._areas
        ]
        # The service weights cells by their ground area within the field, and fields by their area with values.
        means = [(w * e).sum() / w.sum() for w, e in zip(self._areas, self._errors)]
        self.mean_error = float(self.maps.areas_ha @ means / self.maps.area_ha)

    def values(self, design) -> dict[int, float]:
        found = {}
        for at, cells in enumerate(self._cells):
            own = [one for one in design.places if one.field == at]
            places = ([one.lon for one in own], [one.lat for one in own])
            errors, _ = dataclasses.replace(cells, mean=self._errors[at]).values_at(*places)
            found |= zip([one.number for one in own], cells.values_at(*places)[0] + errors)
        return found


def ground_areas(cells, field_map):
    shape, size = cells.mean.shape, cells.transform.a
    row, col = (size * field_map.ravel() for field_map in numpy.mgrid[: shape[0], : shape[1]])
    west, north = cells.transform.c + col, cells.transform.f - row
    squares = shapely.box(west, north - size, west + size, north)
    outline = geopandas.GeoSeries([shape_of(field_map.outline)], crs="EPSG:4326").to_crs(cells.crs)[
        0
    ]
    areas = shapely.area(shapely.intersection(squares, outline)).reshape(shape)
    return numpy.where(numpy.isnan(cells.mean), 0, areas)


def simulate_field_work(design, world: World, random, unreachable: float = 0.0) -> pandas.DataFrame:
    """Returns a table of the places tried: a value for each sampled place, and a reason for each unreachable place.

    Spare places are tried in order until each stratum has all its samples.
    """
    lost = {one.number for one in design.places if random.random() < unreachable}
    values, rows = world.values(design), []
    for stratum in range(len(design.strata)):
        own = [one for one in design.places if one.stratum == stratum]
        left = sum(one.spare is None for one in own)
        for one in own:
            if left > 0:
                left -= one.number not in lost
                value = None if one.number in lost else values[one.number]
                rows.append((one.number, value, "flooded" if one.number in lost else None))
    return pandas.DataFrame(rows, columns=["number", "soc", "unreachable"])


def test_a_repeated_design_is_identical_and_its_places_have_values(run):
    first = run.design(60, strata=6, seed=3)
    chosen = [one for one in first.places if one.spare is None]
    assert [one.number for one in first.places] == list(range(1, 60 + 6 * 5 + 1))
    assert len(chosen) == 60
    counts = [sum(one.stratum == at for one in chosen) for at in range(6)]
    assert min(counts) >= 2
    order = [one.spare for one in first.places if one.stratum == 0 and one.spare]
    assert order == [1, 2, 3, 4, 5]
    assert run.design(60, strata=6, seed=3) == first
    maps = read_run_maps(Folder(run.dir), None)
    for one in first.places:
        (mean,), _ = maps.read_cells(one.field).values_at([one.lon], [one.lat])
        assert mean > 0
        assert maps.maps[one.field].polygon.contains(shapely.Point(one.lon, one.lat))
    assert [one.samples for one in first.expected] == [12, 30, 60, 120, 240]
    widths = [one.half_width for one in first.expected]
    assert widths == sorted(widths, reverse=True)


def test_a_design_is_written_for_gis_and_spreadsheets(run, fields):
    design = run.design(30, stratum="crop", seed=2)
    table = pandas.read_csv(run.dir / "design.csv", encoding="utf-8-sig")
    points = geopandas.read_file(run.dir / "design.gpkg")
    assert points.crs == fields.crs
    assert list(table["number"]) == list(points["number"]) == [one.number for one in design.places]
    assert set(table["stratum"]) == {str(one) for one in fields["crop"]}
    moved = points.to_crs("EPSG:4326").geometry
    assert numpy.allclose(moved.x, table["lon"], atol=1e-7)
    assert numpy.allclose(moved.y, table["lat"], atol=1e-7)
    with pytest.raises(sb.SoilError, match="already has a design"):
        run.design(30, stratum="crop", seed=4)
    assert run.design(30, stratum="crop", seed=4, replace=True) != design
    table.assign(soc=1.0).to_csv(run.dir / "design.csv", index=False)
    with pytest.raises(sb.SoilError, match="edited"):
        run.design(30, stratum="crop", seed=5, replace=True)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"samples": 15}, "16"),
        ({"samples": 15, "strata": 8}, "16"),
        ({"samples": 0}, "10,000"),
        ({"samples": 40, "strata": 0}, "500"),
        ({"samples": 40, "strata": 4, "stratum": "crop"}, "not both"),
        ({"samples": 40, "stratum": "farm"}, "no column"),
        ({"samples": 40, "year": 1999}, "2021"),
    ],
)
def test_an_impossible_design_is_rejected_with_the_reason(run, options, named):
    with pytest.raises(sb.InvalidRequest, match=named):
        run.design(**options)


def test_places_are_not_drawn_in_fields_without_predicted_area(run):
    maps = read_run_maps(Folder(run.dir), None)
    summary = dataclasses.replace(maps.maps[1].summary, predicted_area_ha=0.0)
    empty = dataclasses.replace(maps.maps[1], summary=summary)
    maps = dataclasses.replace(maps, maps=[maps.maps[0], empty])
    random = numpy.random.default_rng(1)
    assert set(maps.draw_places(random, numpy.arange(2), 20).map) == {0}
    with pytest.raises(sb.InvalidRequest) as refused:
        maps.draw_places(random, numpy.array([1]), 1)
    assert empty.label in str(refused.value)


def test_intervals_of_a_project_from_design_to_change_contain_the_truth(
    run, client, fields, capsys, monkeypatch, service, tmp_path
):
    command = Command(capsys, monkeypatch, tmp_path, "http://127.0.0.1:9", service.api_key)
    after_run = client.open(shutil.copytree(run.dir, tmp_path / "after"))
    done = command("design", run.dir, "--samples", 60, "--strata", 6, "--json")
    assert (done.code, done.events[0]["samples"]) == (0, 60)
    random = numpy.random.default_rng(11)
    design = run.design(60, strata=6)
    worlds = [World(one, random, 0.6) for one in (run, after_run)]
    tables = [simulate_field_work(design, world, random, 0.05) for world in worlds]
    for name, table in zip(("before.csv", "after.csv"), tables):
        table.to_csv(tmp_path / name, index=False)
    done = command("correct", run.dir, "before.csv", "--value", "soc", "--json")
    assert done.code == 0, done.err
    one = done.events[0]
    assert one["follows_design"]
    assert one["mean"] == pytest.approx(run.correct(tables[0], "soc").mean)
    visits = ("--before", "before.csv", "--after", "after.csv", "--after-run", after_run.dir)
    two = command("correct", run.dir, *visits, "--value", "soc", "--json").events[0]
    assert (two["strata_paired"], two["depth_cm"]) == (6, [0, 20])
    assert command("correct", run.dir, *visits, "--value", "soc").out.startswith(
        "Change in the mean of "
    )

    repeats, means, changes = 1_000 if IS_NIGHT else 200, [], []
    first, second = (one.maps for one in worlds)
    for seed in range(repeats):
        if seed % 10 == 0:
            design = run.design(60, strata=6, seed=seed, replace=True)
        for world in worlds:
            world.renew()
        before, after = (simulate_field_work(design, one, random, 0.05) for one in worlds)
        visits = (
            compare_samples(first, before, "soc", None, design),
            compare_samples(second, after, "soc", None, design, first),
        )
        error, (change, _) = estimate_mean_error(visits[0].strata), estimate_mean_change(*visits)
        truth = [one.mean_error for one in worlds]
        means.append(abs(error.value - truth[0]) <= error.half_width(0.9))
        changes.append(abs(change.value - (truth[1] - truth[0])) <= change.half_width(0.9))
    assert 0.87 <= numpy.mean(means) <= 0.94, numpy.mean(means)
    assert 0.87 <= numpy.mean(changes) <= 0.94, numpy.mean(changes)


@pytest.fixture
def designed(run):
    table = design_table(run, 24, strata=4)
    table.loc[table["use"] == "spare", "soc"] = None
    return run, run.design(24, strata=4), table


def design_table(run: sb.Run, samples: int, **options) -> pandas.DataFrame:
    """Designs samples. Returns the table of all places, including spare places, each with a value."""
    run.design(samples, **options)
    texts = {"stratum": str, "unreachable": object}
    table = pandas.read_csv(run.dir / "design.csv", encoding="utf-8-sig", dtype=texts)
    return table.assign(soc=45.0)


def points(table) -> geopandas.GeoDataFrame:
    places = geopandas.points_from_xy(table["lon"], table["lat"], crs="EPSG:4326")
    return geopandas.GeoDataFrame(table, geometry=places)


def set_values(table, place: int, /, **values) -> pandas.DataFrame:
    changed, row = table.copy(), table["number"] == place
    for name, value in values.items():
        changed.loc[row, name] = value
    return changed


def test_samples_that_follow_the_design_need_no_coordinates(designed):
    run, _, table = designed
    found = run.correct(table[["number", "soc"]], "soc")
    assert found == run.correct(points(table), "soc")
    assert (found.follows_design, found.samples, found.strata) == (True, 24, 4)
    assert (found.unreachable, found.warnings) == (0, ())


def test_spare_places_must_be_used_in_order(designed):
    run, design, table = designed
    spares = [one.number for one in design.places if one.stratum == 1 and one.spare]
    chosen = [one.number for one in design.places if one.stratum == 1 and not one.spare]
    lost = set_values(set_values(table, chosen[0], soc=None), spares[1], soc=50.0)
    with pytest.raises(sb.InvalidRequest, match=f"{spares[1]} has a value.* {spares[0]} "):
        run.correct(lost, "soc")
    tried = set_values(lost, spares[0], unreachable="flooded")
    found = run.correct(tried, "soc")
    assert (found.samples, found.unreachable, found.warnings) == (24, 2, ())
    for number in chosen[:2]:
        tried = set_values(tried, number, soc=None)
    assert codes(run.correct(tried, "soc").warnings) == {"unreachable_places"}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda table: set_values(table, 3, number=999), "999.* 1 to 44"),
        (lambda table: set_values(table, 3, number=4), "number 4"),
        (lambda table: set_values(table, 3, number=3.5), "3.5"),
        (lambda table: set_values(table, 3, number=None), "sample 3 has no number"),
        (lambda table: set_values(table, 3, stratum="9"), "'9'"),
        (lambda table: set_values(table, 3, soc="4,5"), "'soc' is not a number"),
        (lambda table: table.assign(soc=None), "no sample of the design"),
        (lambda table: table.assign(number=table["number"][::-1].to_numpy()), "stratum"),
        (lambda table: table.assign(lon=[table["lon"][1], table["lon"][0], *table["lon"][2:]],
                                    lat=[table["lat"][1], table["lat"][0], *table["lat"][2:]]),
         "at place 2"),
        (lambda table: table.assign(lon=table["lat"], lat=table["lon"]), "km"),
    ],
    ids=[
        "unknown number", "same number", "half a number", "no number", "other stratum",
        "decimal comma", "no value", "numbers sorted alone", "places mixed up", "axes swapped",
    ],
)  # fmt: skip
def test_a_table_that_contradicts_the_design_is_rejected_with_the_reason(designed, change, named):
    run, _, table = designed
    with pytest.raises(sb.InvalidRequest, match=named):
        run.correct(points(change(table.astype({"soc": object, "number": object}))), "soc")


def test_a_place_moved_by_more_than_a_cell_is_reported_by_its_number(designed):
    run, design, table = designed
    number = design.places[0].number
    near = set_values(table, number, lat=design.places[0].lat + 4 / 111_320)
    assert run.correct(points(near), "soc").warnings == ()
    # Towards the middle of its field, where the map has values.
    middle = read_run_maps(Folder(run.dir), None).maps[design.places[0].field].polygon.centroid
    (warning,) = run.correct(
        points(set_values(table, number, lon=middle.x, lat=middle.y)), "soc"
    ).warnings
    assert warning.code == "moved_places"
    assert f" {number} by " in warning.message


def test_values_in_another_unit_give_a_warning(designed):
    run, _, table = designed
    found = run.correct(table.assign(soc=table["soc"] / 10), "soc")
    assert codes(found.warnings) == {"other_unit"}


@pytest.mark.parametrize(("value", "names"), [(-9999, True), (450, True), (60, False)])
def test_codes_and_typing_errors_give_a_warning_but_high_values_do_not(designed, value, names):
    run, design, table = designed
    random = numpy.random.default_rng(5)
    measured = table.assign(soc=table["soc"] + random.normal(0, 4, len(table)))
    found = run.correct(set_values(measured, design.places[2].number, soc=value), "soc")
    assert codes(found.warnings) == ({"far_values"} if names else set())
    if names:
        assert f"sample 3 is {value}" in found.warnings[0].message


def test_the_word_no_is_not_a_reason_to_skip_a_place(designed):
    run, design, table = designed
    chosen = [one.number for one in design.places if one.stratum == 0]
    spares = [number for number in chosen if number > 24]
    table = set_values(set_values(table, chosen[0], soc=None), spares[1], soc=50.0)
    with pytest.raises(sb.InvalidRequest, match=f"{spares[1]} has a value.* {spares[0]} "):
        run.correct(set_values(table, spares[0], unreachable="no"), "soc")


def test_exchanged_or_identical_visits_are_rejected(client, fields, tmp_path):
    options = {"dir": tmp_path / "two", "same_maps": True, "progress": False}
    client.predict(fields.iloc[:2], year=[2021, 2022], **options)
    run = client.open(tmp_path / "two")
    design = run.design(10, year=2021)
    numbers = [one.number for one in design.places if one.spare is None]
    before = pandas.DataFrame({"number": numbers, "soc": [40.0 + one for one in numbers]})
    after = before.assign(soc=before["soc"] * 1.1)
    assert run.change(before, after, "soc", year=2021, after_year=2022).plots_paired == 10
    with pytest.raises(sb.InvalidRequest, match="exchange the visits"):
        run.change(before, after, "soc", year=2022, after_year=2021)
    with pytest.raises(sb.InvalidRequest, match="identical"):
        run.change(before, before, "soc", year=2021, after_year=2022)


def test_samples_without_numbers_use_the_strata_of_the_fields(run):
    table = design_table(run, 24, stratum="crop")
    found = run.correct(points(table.drop(columns=["number", "stratum"])), "soc", stratum="crop")
    assert (found.follows_design, found.strata, found.samples) == (False, 5, 49)
    assert codes(found.warnings) <= {"off_centre", "preferred_values"}
    with pytest.raises(sb.InvalidRequest, match="numbers of a design"):
        run.correct(table, "soc", stratum="id")


def test_a_run_that_changed_after_the_design_is_rejected_and_a_lost_field_is_named(
    designed, client, fields
):
    run, _, table = designed
    client.predict(fields.iloc[1:], year=2021, name="id", dir=run.dir, progress=False)
    with pytest.raises(sb.InvalidRequest, match=f"without a map: {fields['id'][0]}"):
        client.open(run.dir).correct(table, "soc")
    with pytest.raises(sb.SoilError, match="already has a design"):
        client.open(run.dir).design(24, strata=4)


def test_a_design_edited_by_hand_is_rejected(designed):
    run, _, table = designed
    path = run.dir / ".soil-batch" / "design.json"
    path.write_text(path.read_text().replace('"spare":2', '"spare":1'))
    with pytest.raises(sb.SoilError, match="was edited"):
        run.correct(table, "soc")


def test_unreachable_places_reduce_the_coverage_of_intervals():
    """Unreachable places differ from the others by half a standard deviation."""
    random = numpy.random.default_rng(2)
    for share, least, most in ((0.2, 0.78, 0.84), (0.1, 0.85, 0.9)):
        inside = []
        for errors in random.standard_normal((4_000 if IS_NIGHT else 1_000, 12, 5)):
            strata = [Stratum("", 1.0, tuple(one)) for one in errors.tolist()]
            found = estimate_mean_error(strata)
            inside.append(abs(found.value - 0.5 * share) <= found.half_width(0.9))
        assert least <= numpy.mean(inside) <= most


def visit(errors: list[dict[int, float]]) -> Visit:
    plots = [
        Plot(stratum, 5.0, 51.0, number, error)
        for stratum, ones in enumerate(errors)
        for number, error in ones.items()
    ]
    names = [str(one) for one in range(len(errors))]
    followed: Any = object()
    nothing: Any = None
    return Visit(nothing, names, [1.0] * len(errors), plots, followed, 0, 0, [])


def test_where_two_plots_were_visited_twice_only_their_differences_count():
    before = visit([{1: 3.0, 2: 9.0, 3: 100.0}, {4: 1.0, 5: 3.0}])
    after = visit([{1: 4.0, 2: 12.0, 9: -50.0}, {5: 7.0, 6: 5.0}])
    found, pairs = estimate_mean_change(before, after)
    assert pairs == {0: [1.0, 3.0]}
    assert found.value == pytest.approx((2.0 + 6.0 - 2.0) / 2)
    parts = [(2.0 / 2 / 4, 1), (2.0 / 2 / 4, 1), (2.0 / 2 / 4, 1)]
    assert found.standard_error == pytest.approx(sum(part for part, _ in parts) ** 0.5)
    freedom = sum(part for part, _ in parts) ** 2 / sum(part**2 / n for part, n in parts)
    assert found.degrees_of_freedom == pytest.approx(freedom)


@pytest.mark.parametrize(
    "after", [[{1: 4.0, 2: 1.0}, {3: 2.0}], [{1: 4.0, 2: 1.0}, {}], [{1: 4.0}, {3: 2.0, 4: 1.0}]]
)
def test_a_stratum_with_unknown_variance_of_the_change_is_rejected(after):
    before = visit([{1: 3.0, 2: 9.0}, {3: 1.0, 4: 2.0}])
    with pytest.raises(sb.InvalidRequest, match="visited"):
        estimate_mean_change(before, visit(after))


@pytest.mark.parametrize("paired", [True, False], ids=["paired", "unpaired"])
@pytest.mark.parametrize("log_sd", [0.3, 0.6])
def test_about_nine_of_ten_intervals_contain_the_true_change(paired, log_sd):
    random = numpy.random.default_rng(4)
    repeats, strata, each = 4_000 if IS_NIGHT else 1_000, 8, 6
    inside = []
    for _ in range(repeats):
        plots = numpy.exp(log_sd * random.standard_normal((strata, 2 * each)))
        # The same plots have similar errors at both visits; the changes are skewed as well.
        gains = numpy.exp(log_sd * random.standard_normal((strata, 2 * each)))
        second = range(each) if paired else range(each, 2 * each)
        before = visit([{100 * at + k: plots[at][k] for k in range(each)} for at in range(strata)])
        after = visit(
            [{100 * at + k: plots[at][k] + gains[at][k] for k in second} for at in range(strata)]
        )
        found, _ = estimate_mean_change(before, after)
        inside.append(abs(found.value - numpy.exp(log_sd**2 / 2)) <= found.half_width(0.9))
    assert 0.87 <= numpy.mean(inside) <= 0.94


def test_plots_are_paired_by_place_and_their_numbers_must_agree_with_it(run, client, tmp_path):
    table = points(design_table(run, 24, stratum="crop")).drop(columns=["stratum"])
    moved = table.assign(soc=[46.0 + 0.1 * at for at in range(len(table))])
    moved.geometry = moved.geometry.translate(3 / 70_000)
    plain = [one.drop(columns="number") for one in (table, moved)]
    found = run.change(*plain, "soc", stratum="crop")
    assert (found.follows_design, found.plots_paired) == (False, len(table))
    assert found.change == pytest.approx(1 + 0.05 * (len(table) - 1), rel=0.2)
    (tmp_path / "maps" / ".soil-batch" / "design.json").unlink()
    assert run.change(table, moved, "soc", stratum="crop") == found
    mixed = moved.assign(number=moved["number"].to_numpy()[::-1])
    with pytest.raises(sb.InvalidRequest, match="m apart"):
        run.change(table, mixed, "soc", stratum="crop")


def test_both_visits_must_cover_the_same_fields(designed, client, fields, tmp_path):
    run, _, table = designed
    other = tmp_path / "other"
    client.predict(fields.iloc[:3], year=2021, name="id", dir=other, progress=False)
    with pytest.raises(sb.InvalidRequest, match="same fields"):
        run.change(table, table, "soc", after_run=client.open(other))
    with pytest.raises(sb.InvalidRequest, match="one visit"):
        run.change(table, points(table.drop(columns="number").dropna(subset="soc")), "soc")
