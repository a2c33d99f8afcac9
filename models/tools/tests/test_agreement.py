from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import onnx
import pandas
import pytest
import xgboost
from lightgbm import LGBMRegressor
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import (
    BaggingRegressor,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingRegressor,
    VotingRegressor,
)
from sklearn.feature_selection import RFECV, SelectKBest, f_regression
from sklearn.linear_model import GammaRegressor, LinearRegression, PoissonRegressor, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
)
from sklearn.svm import SVR
from xgboost import XGBRegressor, XGBRFRegressor

import soil_packs
from soil_packs import PackError, agreement, command_line
from soil_packs.agreement import choose_rows
from soil_packs.commands import ROOT
from soil_packs.graphs import convert_model

NAMES = ["slope", "height", "wetness", "land_use"]
ROWS = 1000
WORLD = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]}


def samples(seed: int, rows: int = ROWS) -> tuple[pandas.DataFrame, np.ndarray]:
    """The target is about 25 on average. A tenth of the slopes are 0, and values of each covariate are repeated."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 4)).round(3).astype(np.float32)
    x[:, 3] = rng.integers(0, 5, rows)
    x[::10, 0] = 0
    noise = rng.normal(size=rows)
    y = 3 * x[:, 0] ** 2 + 2 * np.sin(3 * x[:, 1]) + x[:, 2] * x[:, 3] + noise + 22
    return pandas.DataFrame(x, columns=NAMES), np.maximum(y, 1).astype(np.float64)


X, Y = samples(1)
UNSEEN = samples(2, 300)


def a_pack(names: list[str] = NAMES) -> soil_packs.Pack:
    pack = soil_packs.Pack(
        *("heath-soc", "0.1.0"),
        property={"name": "soil organic carbon stock", "unit": "t/ha", "depth_cm": [0, 30]},
        grid={},
        coverage=WORLD,
    )
    for name in names:
        pack.covariate(name, axis="x")
    return pack


Make = Callable[[], Any]


def train_lightgbm(**options: Any) -> LGBMRegressor:
    return LGBMRegressor(**{"n_estimators": 20, "n_jobs": 1, "verbose": -1, **options})


def train_xgboost(**options: Any) -> XGBRegressor:
    return XGBRegressor(**{"n_estimators": 20, "max_depth": 4, "n_jobs": 1, **options})


def stopped_xgboost() -> XGBRegressor:
    model = train_xgboost(n_estimators=300, learning_rate=0.5, early_stopping_rounds=5)
    return model.fit(X, Y, eval_set=[UNSEEN], verbose=False)


def stopped_lightgbm() -> LGBMRegressor:
    stop = [lightgbm.early_stopping(5, verbose=False)]
    model = train_lightgbm(n_estimators=300, learning_rate=0.5)
    return model.fit(X, Y, eval_set=[UNSEEN], callbacks=stop)


def booster_of_xgboost() -> xgboost.Booster:
    tables = [xgboost.DMatrix(*table) for table in ((X, Y), UNSEEN)]
    stop = {"evals": [(tables[1], "unseen")], "early_stopping_rounds": 5}
    return xgboost.train({"eta": 0.5}, tables[0], 300, **stop, verbose_eval=False)


def sliced_booster() -> xgboost.Booster:
    booster = booster_of_xgboost()
    return booster[: booster.best_iteration + 1]


def train_on_doubles(model: Any) -> Any:
    return model.fit(X.astype(np.float64) * 1.000_000_03, Y)


SMALL = {"n_estimators": 20, "random_state": 1}
ENCODER = ColumnTransformer([("classes", OneHotEncoder(), [3])], remainder="passthrough")
RIGHT: dict[str, Make] = {
    "forest": lambda: RandomForestRegressor(**SMALL),
    "extra trees": lambda: ExtraTreesRegressor(**SMALL),
    "gradient boosting": lambda: GradientBoostingRegressor(**SMALL),
    "histogram": HistGradientBoostingRegressor,
    "histogram of a quantile": lambda: HistGradientBoostingRegressor(loss="quantile", quantile=0.9),
    "histogram in doubles": lambda: train_on_doubles(HistGradientBoostingRegressor()),
    "histogram behind a scaler": lambda: make_pipeline(
        StandardScaler(), HistGradientBoostingRegressor()
    ),
    "forest behind a scaler": lambda: make_pipeline(
        StandardScaler(), RandomForestRegressor(**SMALL)
    ),
    "net behind a scaler": lambda: make_pipeline(
        StandardScaler(), MLPRegressor(max_iter=50, random_state=1)
    ),
    "linear": LinearRegression,
    "Poisson's linear model": PoissonRegressor,
    "gamma's linear model": GammaRegressor,
    "support vectors": SVR,
    "uniform neighbours": KNeighborsRegressor,
    "polynomials": lambda: make_pipeline(PolynomialFeatures(2), Ridge()),
    "classes": lambda: make_pipeline(ENCODER, Ridge()).fit(X.to_numpy(), Y),
    "columns by name": lambda: make_pipeline(
        ColumnTransformer(
            [("numbers", StandardScaler(), NAMES[1:3]), ("classes", OneHotEncoder(), ["land_use"])],
            remainder="passthrough",
        ),
        Ridge(),
    ),
    "columns by name in a search": lambda: GridSearchCV(
        make_pipeline(
            ColumnTransformer([("classes", OneHotEncoder(), ["land_use"])], remainder="drop"),
            Ridge(),
        ),
        {"ridge__alpha": [1.0]},
        cv=2,
    ),
    **{
        f"votes weighted by {type(weights).__name__}": lambda weights=weights: VotingRegressor(
            [("linear", LinearRegression()), ("trees", RandomForestRegressor(**SMALL))],
            weights=weights,
        )
        for weights in ([3, 1], np.array([3, 1]))
    },
    "chosen covariates": lambda: make_pipeline(
        SelectKBest(f_regression, k=2), RandomForestRegressor(**SMALL)
    ),
    "bags of some covariates": lambda: BaggingRegressor(**SMALL, max_features=0.5),
    "a stack": lambda: StackingRegressor(
        [("linear", LinearRegression()), ("trees", RandomForestRegressor(**SMALL))]
    ),
    "XGBoost": train_xgboost,
    "XGBoost in doubles": lambda: train_on_doubles(train_xgboost()),
    "XGBoost on integers": lambda: train_xgboost().fit((X * 10).astype(int), Y),
    "XGBoost stopped early": stopped_xgboost,
    "Booster without the trees after its best": sliced_booster,
    "XGBoost's forest": lambda: XGBRFRegressor(n_estimators=20, max_depth=5),
    "XGBoost of several trees": lambda: train_xgboost(num_parallel_tree=3, subsample=0.5),
    "XGBoost from a base score": lambda: train_xgboost(base_score=3),
    "XGBoost from margins": lambda: train_xgboost().fit(X, Y, base_margin=Y / 2),
    "XGBoost with weights": lambda: train_xgboost().fit(X, Y, sample_weight=Y),
    "monotone XGBoost": lambda: train_xgboost(monotone_constraints=(1, 0, 0, 0)),
    "XGBoost of a quantile": lambda: train_xgboost(
        objective="reg:quantileerror", quantile_alpha=0.9
    ),
    "XGBoost of absolute errors": lambda: train_xgboost(objective="reg:absoluteerror"),
    "XGBoost without the missing value": lambda: train_xgboost(missing=-9999),
    "LightGBM": train_lightgbm,
    "LightGBM in doubles": lambda: train_on_doubles(train_lightgbm()),
    "LightGBM stopped early": stopped_lightgbm,
    "LightGBM's forest": lambda: train_lightgbm(
        boosting_type="rf", bagging_freq=1, bagging_fraction=0.6, random_state=1
    ),
    "LightGBM with dropped trees": lambda: train_lightgbm(boosting_type="dart"),
    "LightGBM of a quantile": lambda: train_lightgbm(objective="quantile", alpha=0.9),
    "LightGBM of absolute errors": lambda: train_lightgbm(objective="regression_l1"),
    "LightGBM without an average": lambda: train_lightgbm(boost_from_average=False),
    "LightGBM from scores": lambda: train_lightgbm().fit(X, Y, init_score=Y / 2),
    "Booster of LightGBM": lambda: train_lightgbm().fit(X, Y).booster_,
}


def train_model(make: Make) -> Any:
    model = make()
    trained = isinstance(model, xgboost.Booster | lightgbm.Booster) or any(
        hasattr(model, name) for name in ("n_features_in_", "feature_names_in_")
    )
    return model if trained else model.fit(X, Y)


@pytest.mark.parametrize("kind", RIGHT)
def test_a_supported_model_is_accepted_without_a_warning(kind: str):
    model = train_model(RIGHT[kind])
    pack = a_pack()
    pack.model(model, X, Y)
    assert pack.warnings == []


CATEGORIES = X.assign(land_use=X["land_use"].astype(int).astype("category"))
# Models that are rejected, and a pattern of the message.
WRONG: dict[str, tuple[str, Make]] = {
    "XGBoost with a missing value": ("missing", lambda: train_xgboost(missing=0)),
    "XGBoost with vectors in its leaves": (
        "multi_output_tree",
        lambda: train_xgboost(
            multi_strategy="multi_output_tree",
            objective="reg:quantileerror",
            quantile_alpha=[0.05, 0.95],
        ),
    ),
    "XGBoost with two quantiles instead of the mean": (
        "2 targets",
        lambda: train_xgboost(objective="reg:quantileerror", quantile_alpha=[0.05, 0.95]),
    ),
    "Booster that stopped early": ("stopped early", booster_of_xgboost),
    "XGBoost with dropped trees": ("dart", lambda: train_xgboost(booster="dart", rate_drop=0.3)),
    "linear XGBoost": ("gblinear", lambda: train_xgboost(booster="gblinear")),
    **{
        f"XGBoost with {objective}": (
            objective,
            lambda objective=objective: train_xgboost(objective=objective),
        )
        for objective in ("reg:tweedie", "reg:gamma", "count:poisson", "reg:squaredlogerror")
    },
    "XGBoost with reg:logistic": (
        "reg:logistic",
        lambda: train_xgboost(objective="reg:logistic").fit(X, Y / Y.max()),
    ),
    "XGBoost with categorical covariates": (
        "categorical",
        lambda: train_xgboost(enable_categorical=True).fit(CATEGORIES, Y),
    ),
    "LightGBM with linear leaves": ("linear_tree", lambda: train_lightgbm(linear_tree=True)),
    "LightGBM of square roots": ("reg_sqrt", lambda: train_lightgbm(reg_sqrt=True)),
    "LightGBM with zeros as missing values": (
        "zero_as_missing",
        lambda: train_lightgbm(zero_as_missing=True),
    ),
    "LightGBM with categorical covariates": (
        "categorical",
        lambda: train_lightgbm().fit(X, Y, categorical_feature=["land_use"]),
    ),
    **{
        f"LightGBM with {objective}": (
            objective,
            lambda objective=objective: train_lightgbm(objective=objective),
        )
        for objective in ("poisson", "tweedie", "gamma")
    },
    "LightGBM with cross_entropy": (
        "cross_entropy",
        lambda: train_lightgbm(objective="cross_entropy").fit(X, Y / Y.max()),
    ),
    "a custom objective": (
        "objective",
        lambda: train_lightgbm(objective=lambda y, p: (p - y, np.ones_like(y))),
    ),
    "neighbours weighted by distance": (
        "distance",
        lambda: KNeighborsRegressor(weights="distance"),
    ),
    "neighbours weighted by distance, behind a scaler": (
        "distance",
        lambda: make_pipeline(StandardScaler(), KNeighborsRegressor(weights="distance")),
    ),
    "bags of neighbours weighted by distance": (
        "distance",
        lambda: BaggingRegressor(KNeighborsRegressor(weights="distance"), n_estimators=3),
    ),
    "neighbours weighted by distance, found by a search": (
        "distance",
        lambda: GridSearchCV(KNeighborsRegressor(), {"weights": ["distance"]}, cv=2),
    ),
    **{
        f"histogram with {loss} loss": (
            loss,
            lambda loss=loss: HistGradientBoostingRegressor(loss=loss),
        )
        for loss in ("poisson", "gamma")
    },
    "histogram with categorical covariates": (
        "categorical",
        lambda: HistGradientBoostingRegressor(categorical_features=[3]),
    ),
    "a custom target transformation": (
        "TransformedTargetRegressor",
        lambda: TransformedTargetRegressor(LinearRegression(), func=np.log, inverse_func=np.exp),
    ),
    "a custom function": (
        "FunctionTransformer",
        lambda: make_pipeline(FunctionTransformer(np.abs), Ridge()),
    ),
    "another library behind a scaler": (
        "XGBRegressor of xgboost",
        lambda: make_pipeline(StandardScaler(), train_xgboost()),
    ),
    "another library found by a search": (
        "LGBMRegressor of lightgbm",
        lambda: GridSearchCV(train_lightgbm(), {"n_estimators": [2]}, cv=2),
    ),
    "a classifier": (
        "RandomForestClassifier",
        lambda: RandomForestClassifier(**SMALL).fit(X, Y > 26),
    ),
    # skl2onnx converts this model incorrectly, which only the comparison detects.
    "eliminated covariates": ("differs", lambda: RFECV(LinearRegression())),
    "covariates in another order": ("order", lambda: train_lightgbm().fit(X[NAMES[::-1]], Y)),
    "XGBoost in another order": ("order", lambda: train_xgboost().fit(X[NAMES[::-1]], Y)),
    "forest in another order": ("order", lambda: RandomForestRegressor(3).fit(X[NAMES[::-1]], Y)),
}


MORE, FEWER = X.assign(extra=X["slope"] * 2), X[NAMES[:3]]
OTHER_COVARIATES: dict[str, Callable[[pandas.DataFrame], Any]] = {
    "forest": lambda x: RandomForestRegressor(3, min_samples_leaf=5).fit(x, Y),
    "forest trained on an array": lambda x: RandomForestRegressor(3).fit(x.to_numpy(), Y),
    "XGBoost": lambda x: train_xgboost().fit(x, Y),
    "XGBoost trained on an array": lambda x: train_xgboost().fit(x.to_numpy(), Y),
    "Booster of XGBoost": lambda x: xgboost.train({}, xgboost.DMatrix(x, Y), 3),
    "Booster of XGBoost, trained on an array": lambda x: xgboost.train(
        {}, xgboost.DMatrix(x.to_numpy(), Y), 3
    ),
    "LightGBM": lambda x: train_lightgbm().fit(x, Y),
    "LightGBM trained on an array": lambda x: train_lightgbm().fit(x.to_numpy(), Y),
    "Booster of LightGBM": lambda x: train_lightgbm().fit(x, Y).booster_,
}


@pytest.mark.parametrize("kind", OTHER_COVARIATES)
def test_a_model_with_another_number_of_covariates_is_rejected_with_both_numbers(kind: str):
    for table in (MORE, FEWER):
        model = OTHER_COVARIATES[kind](table)
        with pytest.raises(PackError, match=f"{table.shape[1]} .*4 "):
            a_pack().model(model, X, Y)
    with pytest.raises(PackError, match=r"4 .*3 "):
        a_pack(NAMES[:3]).model(
            RandomForestRegressor(3).fit(X, Y), FEWER, Y, intervals="distribution"
        )


@pytest.mark.parametrize("kind", WRONG)
def test_a_model_that_cannot_be_converted_is_rejected_with_the_reason(kind: str):
    name, make = WRONG[kind]
    with pytest.raises(PackError, match=name):
        a_pack().model(train_model(make), X, Y)


def test_a_distribution_needs_a_forest_with_the_covariates_in_the_order_of_the_pack():
    forest = RandomForestRegressor(**SMALL, min_samples_leaf=5).fit(X, Y)
    pack = a_pack()
    pack.model(forest, X, Y, intervals="distribution")
    assert pack.warnings == []
    bags = BaggingRegressor(**SMALL).fit(X, Y)
    with pytest.raises(PackError, match="BaggingRegressor"):
        pack.model(bags, X, Y, intervals="distribution")
    other = RandomForestRegressor(**SMALL).fit(X[NAMES[::-1]], Y)
    with pytest.raises(PackError, match="order"):
        pack.model(other, X, Y, intervals="distribution")


def test_the_graph_of_a_model_that_stopped_early_has_the_trees_up_to_its_best_iteration():
    for model in (stopped_xgboost(), stopped_lightgbm()):
        graph = convert_model(model, X.to_numpy(), NAMES)
        trees = next(
            one.ints for one in graph.graph.node[0].attribute if one.name == "nodes_treeids"
        )
        best = getattr(model, "best_iteration_", None) or model.best_iteration + 1
        assert max(trees) + 1 == best < 300


class TestBounds:
    @staticmethod
    def models() -> list[Any]:
        return [
            train_lightgbm(),
            *(train_lightgbm(objective="quantile", alpha=alpha) for alpha in (0.05, 0.95)),
        ]

    def test_widened_bounds_agree_with_their_models(self):
        mean, *bounds = [model.fit(X, Y) for model in self.models()]
        pack = a_pack()
        pack.model(mean, X, Y, quantiles=bounds, held_out=UNSEEN)
        both = train_xgboost(objective="reg:quantileerror", quantile_alpha=[0.05, 0.95]).fit(X, Y)
        pack.model(mean, X, Y, quantiles=[both], held_out=UNSEEN)
        booster = both.get_booster()
        pack.model(mean, X, Y, quantiles=[booster], held_out=UNSEEN)
        assert pack.warnings == []

    @pytest.mark.parametrize("wrong", range(3))
    def test_models_are_rejected_if_one_of_them_differs_from_its_graph(self, wrong: int):
        models = [model.fit(X, Y) for model in self.models()]
        predict = models[wrong].predict
        models[wrong].predict = lambda x: predict(x) + 1
        mean, *bounds = models
        with pytest.raises(PackError, match=f"target {wrong}"):
            a_pack().model(mean, X, Y, quantiles=bounds, held_out=UNSEEN)


class TestRowsThatDiffer:
    @staticmethod
    def model(rows: int, by: float) -> LGBMRegressor:
        model = train_lightgbm().fit(X, Y)
        predict = model.predict
        model.predict = lambda x: predict(x) + by * (np.arange(len(x)) < rows)
        return model

    def test_up_to_a_twentieth_of_the_rows_may_differ_with_a_warning(self):
        pack = a_pack()
        pack.model(self.model(ROWS // 20, 5.5), X, Y)
        (warning,) = pack.warnings
        assert f"{ROWS // 20} of {ROWS}" in warning
        assert "5.5" in warning
        with pytest.raises(PackError, match=f"{ROWS // 20 + 1} of {ROWS}"):
            pack.model(self.model(ROWS // 20 + 1, 5.5), X, Y)

    def test_a_difference_of_more_than_a_thousandth_of_the_standard_deviation_counts(self):
        pack = a_pack()
        pack.model(self.model(ROWS, 0.99e-3 * Y.std()), X, Y)
        assert pack.warnings == []
        with pytest.raises(PackError, match=f"{ROWS} of {ROWS}"):
            pack.model(self.model(ROWS, 1.01e-3 * Y.std() + 1e-6 * Y.max()), X, Y)

    def test_nan_counts_as_a_difference(self):
        with pytest.raises(PackError, match="nan"):
            a_pack().model(self.model(ROWS, np.nan), X, Y)

    def test_at_most_ten_thousand_rows_are_compared(self):
        rows = choose_rows(25_000)
        assert len(np.unique(rows)) == 10_000
        assert rows.max() > 20_000
        assert len(choose_rows(9_999)) == 9_999


def test_the_documentation_states_the_tolerances():
    page = (ROOT / "docs" / "model-packs.md").read_text("utf-8")
    stated = [f"{agreement.MOST_ROWS:,} rows", f"{100 * agreement.MOST_APART:g} % of the rows"]
    stated += [f"{agreement.OF_SD:g} standard deviations", "plus a millionth of"]
    text = " ".join(page.split())
    assert [one for one in stated if one not in text] == []
    assert agreement.OF_VALUE == 1e-6


def test_a_users_graph_is_compared_with_the_given_predictions(tmp_path: Path):
    models = [model.fit(X, Y) for model in TestBounds.models()]
    pack = a_pack()
    pack.model(models[0], X, Y, quantiles=models[1:])
    onnx.save(pack.graph, tmp_path / "own.onnx")
    predicted = np.column_stack([model.predict(X) for model in models])
    for right in (predicted, predicted[:, 0]):
        pack.model(x=X, y=Y, onnx=tmp_path / "own.onnx", predicted=right)
    assert pack.warnings == []
    for wrong in (predicted[:, ::-1], predicted[:, 0] ** 2, np.log(predicted)):
        with pytest.raises(PackError, match="differs"):
            pack.model(x=X, y=Y, onnx=tmp_path / "own.onnx", predicted=wrong)
    with pytest.raises(PackError, match=str(ROWS)):
        pack.model(x=X, y=Y, onnx=tmp_path / "own.onnx", predicted=predicted[:-1])
    for wrong in (["high"] * ROWS, 26.0):
        with pytest.raises(PackError, match="predicted"):
            pack.model(x=X, y=Y, onnx=tmp_path / "own.onnx", predicted=wrong)
    with pytest.raises(PackError, match=r"4 .*3 "):
        a_pack(NAMES[:3]).model(x=X[NAMES[:3]], y=Y, onnx=tmp_path / "own.onnx")
    with pytest.raises(PackError, match="predicted="):
        pack.model(models[0], X, Y, predicted=predicted)
    two = pack.graph
    two.graph.output.append(two.graph.output[0])
    onnx.save(two, tmp_path / "two.onnx")
    with pytest.raises(PackError, match="outputs: 2"):
        pack.model(x=X, y=Y, onnx=tmp_path / "two.onnx", predicted=predicted)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    def run(name: str, *arguments: object) -> str:
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        try:
            runpy.run_module(f"soil_packs.{name}", run_name="__main__")
        except SystemExit as end:
            return str(end.code)
        return ""

    return run


class TestCommands:
    @pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
    def test_converters_compare_predictions_with_a_table(
        self, library: str, command: Callable[..., str], tmp_path: Path
    ):
        model = (train_lightgbm() if library == "lightgbm" else train_xgboost()).fit(X, Y)
        source, graph, rows = (tmp_path / name for name in ("model.json", "model.onnx", "rows.csv"))
        (getattr(model, "booster_", None) or model).save_model(source)
        predicted = model.predict(X)

        def said(table: pandas.DataFrame) -> str:
            table.to_csv(rows, index=False)
            return command(f"{library}_to_onnx", source, graph, "--predicted", rows)

        assert "differs" in said(X.assign(predicted=1.01 * predicted))
        assert "order" in said(X[NAMES[::-1]].assign(predicted=predicted))
        assert "4 columns" in said(X)
        assert not graph.exists()
        assert "observed" in said(X.assign(observed=Y, predicted=predicted))
        assert "no rows" in said(X.assign(predicted=predicted).head(0))
        assert not graph.exists()
        assert said(X.assign(predicted=predicted)) == ""
        assert graph.exists()

    @pytest.mark.parametrize(
        ("name", "make"),
        [
            ("linear_tree", lambda: train_lightgbm(linear_tree=True)),
            ("reg_sqrt", lambda: train_lightgbm(reg_sqrt=True)),
        ],
    )
    def test_the_lightgbm_converter_rejects_unsupported_options(
        self, name: str, make: Make, command: Callable[..., str], tmp_path: Path
    ):
        make().fit(X, Y).booster_.save_model(tmp_path / "model.txt")
        graph = tmp_path / "model.onnx"
        assert name in command("lightgbm_to_onnx", tmp_path / "model.txt", graph)
        assert not graph.exists()

    @pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
    @pytest.mark.parametrize("content", [b'[{"split": 0}]', b"{}", b"\xb5", b"booster[0]:"])
    def test_converters_reject_a_file_that_is_not_a_model_and_say_how_to_save_one(
        self, library: str, content: bytes, command: Callable[..., str], tmp_path: Path
    ):
        source, graph = tmp_path / "dump.json", tmp_path / "model.onnx"
        source.write_bytes(content)
        assert "save_model" in command(f"{library}_to_onnx", source, graph)
        assert not graph.exists()

    def test_a_converter_without_predictions_reports_that_nothing_was_compared(
        self,
        command: Callable[..., str],
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ):
        source, graph = tmp_path / "model.json", tmp_path / "model.onnx"
        train_xgboost(missing=0).fit(X, Y).save_model(source)
        assert command("xgboost_to_onnx", source, graph) == ""
        assert "--predicted" in capsys.readouterr().err

    def test_the_xgboost_converter_rejects_trees_after_the_best_iteration(
        self, command: Callable[..., str], tmp_path: Path
    ):
        source, graph = tmp_path / "model.json", tmp_path / "model.onnx"
        stopped_xgboost().save_model(source)
        assert "stopped early" in command("xgboost_to_onnx", source, graph)
        sliced_booster().save_model(source)
        assert command("xgboost_to_onnx", source, graph) == ""

    def test_a_ranger_forest_is_compared_with_its_predictions(
        self, command: Callable[..., str], tmp_path: Path
    ):
        # The tree predicts 20 if slope <= 0.5, else 30.
        tree = {"left": [1, 0, 0], "right": [2, 0, 0], "feature": [0] * 3, "value": [0.5, 20, 30]}
        source, graph = tmp_path / "forest.json", tmp_path / "forest.onnx"
        source.write_text(json.dumps({"features": NAMES, "trees": [tree]}))
        rows = tmp_path / "rows.csv"
        right = np.where(X["slope"] <= 0.5, 20, 30)
        X.assign(predicted=50 - right).to_csv(rows, index=False)
        assert "differs" in command("ranger_to_onnx", source, graph, "--predicted", rows)
        X.assign(predicted=right).to_csv(rows, index=False)
        assert command("ranger_to_onnx", source, graph, "--predicted", rows) == ""


def test_a_table_may_contain_predictions_of_all_targets(tmp_path: Path):
    both = train_xgboost(objective="reg:quantileerror", quantile_alpha=[0.05, 0.95]).fit(X, Y)
    graph = convert_model(both, X.to_numpy(), NAMES)
    predicted = both.predict(X)
    path = str(tmp_path / "rows.csv")
    for columns, right in ((predicted, True), (predicted[:, ::-1], False)):
        X.assign(lower=columns[:, 0], upper=columns[:, 1]).to_csv(path, index=False)
        if right:
            assert command_line.compare_with_file(graph, NAMES, path) == []
        else:
            with pytest.raises(PackError, match="differs"):
                command_line.compare_with_file(graph, NAMES, path)
