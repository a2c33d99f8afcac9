"""Step 5: measures the map's accuracy by cross-validation, in ten repeats of two designs.

    .local/venv/bin/python models/meuse-soc/training/evaluate.py

prints the manifest's figures and those of the whole map. For most packs, `pack.validate(held_out)`
uses samples that the model did not see; 153 samples are too few to hold out some permanently.
"""

from __future__ import annotations

import json
import sys

import numpy as np
import pandas
from scipy.spatial import cKDTree
from scipy.stats import beta, norm
from sklearn.cluster import KMeans
from sklearn.model_selection import KFold

import forest
from covariates import cell_centres, resample_classes
from draft import Training, draft_pack, read_samples
from soil_packs.distribution import calibrated_probability, values_of
from soil_packs.group_means import BoundedPredictions, ErrorModel, contains_mean
from target import SHARED_VARIANCE

REPEATS, FOLDS = 10, 10
COMMAND = "python models/meuse-soc/training/evaluate.py"
# A disc with fewer than `LEAST_OF_DISC` samples says little about a mean.
DISC_METRES, LEAST_OF_DISC, DRAWS = 250, 5, 100


def draw_random_folds(training: Training, repeat: int) -> np.ndarray:
    folds = np.zeros(len(training.y), int)
    parts = KFold(FOLDS, shuffle=True, random_state=repeat).split(training.x)
    for fold, (_, held_out) in enumerate(parts):
        folds[held_out] = fold
    return folds


def form_block_folds(training: Training, repeat: int) -> np.ndarray:
    """Assigns samples to compact blocks, so that most neighbours are held out together."""
    return KMeans(FOLDS, n_init=10, random_state=repeat).fit_predict(training.places)


DESIGNS = {
    "": ("10 × 10-fold cross-validation", draw_random_folds),
    "spatial ": ("10 × 10 k-means blocks held out", form_block_folds),
}
ERROR = "predicted − observed of derived targets"
WITH_ERROR = "share of targets with the bulk density's error"
FIGURES = {
    "R2": "of derived targets",
    "RMSE (kg/m3)": "of derived targets",
    "bias (kg/m3)": ERROR,
    "bias, lowest third (kg/m3)": f"{ERROR} where the prediction is in its lowest third",
    "bias, highest third (kg/m3)": f"{ERROR} where the prediction is in its highest third",
    "coverage, forest only": "share of derived targets inside the forest's own interval",
    "coverage, q05 to q95": f"{WITH_ERROR} inside the interval as published",
    "share below q05": f"{WITH_ERROR} below q05 as published, where 0.05 is claimed",
    "share above q95": f"{WITH_ERROR} above q95 as published, where 0.05 is claimed",
    "width, q05 to q95 (kg/m3)": "mean",
}
# Figures of the whole map, in which each sample is weighted by the area that it represents. They are only in the card,
# each after the unweighted figure, because the manifest of version 1.0.0 must not change.
FIGURES_OF_MAP = {
    "R2": "R2, weighted by area",
    "coverage, q05 to q95": "coverage, weighted by area",
}


def count_represented_cells(training: Training) -> np.ndarray:
    """Counts the cells to which each sample is the nearest one. Near the river, samples are denser and represent fewer cells."""
    inside = resample_classes("soil") > 0
    centres = np.column_stack([values[inside] for values in cell_centres()])
    nearest = cKDTree(training.places).query(centres)[1]
    return np.bincount(nearest, minlength=len(training.y))


def measure_accuracy(training: Training, folds: np.ndarray) -> dict[str, float]:
    """Measures the accuracy, predicting each sample with a model that was trained and calibrated without its fold."""
    x, y, sd = training.x, training.y, training.sd
    predicted, published, own = np.zeros(len(y)), np.zeros((2, len(y))), np.zeros((2, len(y)))
    for fold in range(FOLDS):
        seen, unseen = folds != fold, folds == fold
        with_error = forest.probabilities_with_error(y[seen], sd[seen])
        without = values_of(y[seen], forest.THRESHOLDS)[:, 1:]
        trained = forest.train(x[seen], y[seen], with_error, without)
        p = forest.calibrate_probability(trained, y[seen], sd[seen])
        own_p = calibrated_probability(trained.bags, y[seen], forest.DISTRIBUTION, forest.COVERAGE)
        mean, *cdfs = np.split(trained.predict(x[unseen]), [1, 1 + len(forest.THRESHOLDS)], axis=1)
        predicted[unseen] = mean[:, 0]
        published[:, unseen], own[:, unseen] = (
            forest.interpolate_bounds(cdf, probability)
            for cdf, probability in zip(cdfs, (p, own_p))
        )
    error = predicted - y
    areas = count_represented_cells(training)
    squares = areas * (y - np.average(y, weights=areas)) ** 2
    covered = forest.probability_inside(published, y, sd)
    low, high = np.quantile(predicted, (1 / 3, 2 / 3))
    return {
        "R2": 1 - np.sum(error**2) / np.sum((y - y.mean()) ** 2),
        "RMSE (kg/m3)": np.sqrt(np.mean(error**2)),
        "bias (kg/m3)": error.mean(),
        "bias, lowest third (kg/m3)": error[predicted <= low].mean(),
        "bias, highest third (kg/m3)": error[predicted >= high].mean(),
        "coverage, forest only": np.mean((own[0] <= y) & (y <= own[1])),
        "coverage, q05 to q95": covered.mean(),
        "share below q05": norm.cdf((published[0] - y) / sd).mean(),
        "share above q95": norm.sf((published[1] - y) / sd).mean(),
        "width, q05 to q95 (kg/m3)": np.mean(published[1] - published[0]),
        "R2, weighted by area": 1 - np.sum(areas * error**2) / squares.sum(),
        "coverage, weighted by area": np.average(covered, weights=areas),
    }


def measure_disc_means(training: Training, error: dict, probability: float) -> tuple[float, int]:
    """Returns the share of discs whose interval contains the mean of their samples, and the number of discs.

    All samples of a disc are withheld together. The bulk density's errors are simulated `DRAWS` times and added to the
    targets: without them, means would lie inside too often.
    """
    x, y, sd = training.x, training.y, training.sd
    with_error = forest.probabilities_with_error(y, sd)
    correlation, systematic = error["correlation"], error["systematic_relative_sd"]
    model = ErrorModel(forest.Z, systematic, correlation["nugget"], correlation["range_m"])
    random = np.random.default_rng(forest.SEED)
    inside = []
    for centre in training.places:
        disc = np.hypot(*(training.places - centre).T) <= DISC_METRES
        if disc.sum() < LEAST_OF_DISC:
            continue
        found = forest.train(x[~disc], y[~disc], with_error[~disc]).predict(x[disc])
        bounds = forest.interpolate_bounds(found[:, 1:], probability)
        errors = sd[disc] * np.sqrt(1 - SHARED_VARIANCE) * random.normal(size=(DRAWS, disc.sum()))
        errors += sd[disc].mean() * np.sqrt(SHARED_VARIANCE) * random.normal(size=(DRAWS, 1))
        inside += [
            contains_mean(
                BoundedPredictions(training.lon_lat[disc], y[disc] + one, found[:, 0], *bounds),
                model,
            )
            for one in errors
        ]
    return round(float(np.mean(inside)), 3), len(inside) // DRAWS


def format_exact_bounds(share: float, n: int) -> str:
    """Formats the 95 % interval of Clopper & Pearson (1934); `share * n` may be fractional."""
    low = beta.ppf(0.025, share * n, n - share * n + 1)
    high = beta.ppf(0.975, share * n + 1, n - share * n)
    return f"n {n}, 95 % interval {low:.3f}–{high:.3f}"


def evaluate(training: Training) -> tuple[list[dict], pandas.DataFrame]:
    accuracy, of_map = [], {}
    for design, (how, folds_of) in DESIGNS.items():
        runs = []
        for repeat in range(REPEATS):
            runs.append(measure_accuracy(training, folds_of(training, repeat)))
            print(f"{how}: {repeat + 1} of {REPEATS}", file=sys.stderr)
        means = pandas.DataFrame(runs).mean().round(3)
        for metric, what in FIGURES.items():
            value = float(means[metric])
            text = f"{what}, {how}"
            if "share" in what:
                text += f"; {format_exact_bounds(value, len(training.y))}"
            figure = {"metric": f"{design}{metric}", "value": value, "how": text}
            accuracy.append({**figure, "command": COMMAND})
        of_map[design] = means[[*FIGURES_OF_MAP.values()]]
    return accuracy, pandas.DataFrame(of_map)


if __name__ == "__main__":
    figures, of_map = evaluate(read_samples(draft_pack()))
    print(json.dumps(figures, indent=2, ensure_ascii=False))
    print(of_map)
