"""Step 4: estimates the correlation of the map's errors, which determines the interval of a field's mean.

    .local/venv/bin/python models/meuse-soc/training/errors.py

prints the manifest's `error`. For most packs, `pack.errors(withheld)` estimates it from samples withheld in folds. Here
there are so few samples that each pair is withheld separately, and all other samples train the model.
"""

from __future__ import annotations

import json

import numpy as np

import forest
from covariates import PACK
from draft import Training, draft_pack, read_samples
from soil_packs.correlation import Errors, fit_errors
from soil_packs.group_means import BoundedPredictions, ErrorModel, own_sd
from target import SHARED_VARIANCE, systematic_relative_sd

# Both samples of a pair are out of bag in a share of 0.135 (e⁻²) of the trees: about 540 trees for each pair.
TREES = 4_000
MAX_METRES = 500.0


def find_near_pairs(training: Training) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns the indexes of both samples of each pair, and their distance: more than 0 and less than `MAX_METRES`."""
    first, second = np.triu_indices(len(training.places), k=1)
    metres = np.hypot(*(training.places[first] - training.places[second]).T)
    near = (metres > 0) & (metres < MAX_METRES)
    return first[near], second[near], metres[near]


def estimate_errors(training: Training, probability: float) -> dict:
    """Estimates the correlation from the standardised errors of pairs of samples.

    Each pair is predicted by the trees whose bootstrap sample lacks both samples: a forest that was trained without the
    pair. In ordinary cross-validation, the model that predicts one sample has seen the other, which hides the
    correlation of their errors.
    """
    y, sd = training.y, training.sd
    systematic = systematic_relative_sd(training.om)
    with_error = forest.probabilities_with_error(y, sd)
    trained = forest.train(training.x, y, with_error, trees=TREES)
    unseen = np.array([counts == 0 for _, counts in trained.bags])
    leaves = np.array(
        [
            means[leaves].astype(np.float32)
            for means, (leaves, _) in zip(trained.leaf_means(), trained.bags)
        ]
    )
    one_cell = ErrorModel(forest.Z, systematic, nugget=0, range_m=1)

    def standardise(sample: int, trees: np.ndarray) -> tuple[float, float]:
        """Returns the prediction's error, and the sd of the target's unshared error, both divided by the sd of unshared errors
        that the bounds imply."""
        predicted = leaves[trees, sample].mean(axis=0, dtype=float)
        mean, bounds = predicted[:1], forest.interpolate_bounds(predicted[None, 1:], probability)
        (width,) = own_sd(BoundedPredictions(np.zeros((1, 2)), mean, mean, *bounds), one_cell)
        return (y[sample] - mean[0]) / width, sd[sample] * np.sqrt(1 - SHARED_VARIANCE) / width

    def product(i: int, j: int) -> float:
        both = unseen[:, i] & unseen[:, j]
        return standardise(i, both)[0] * standardise(j, both)[0]

    first, second, metres = find_near_pairs(training)
    products = np.array([product(i, j) for i, j in zip(first, second)])
    single = np.array([standardise(i, unseen[:, i]) for i in range(len(y))])
    found = fit_errors(
        Errors(
            max_metres=MAX_METRES,
            squares=np.sum(single**2, axis=1),
            variances=np.ones(len(y)),
            units=np.arange(len(y)),
            first=first,
            second=second,
            metres=metres,
            products=products,
            weights=np.ones(len(products)),
            places=first * len(y) + second,
        )
    )
    declared = found["declared"]
    return {
        "lower": "q05",
        "upper": "q95",
        "correlation": {
            "model": "exponential",
            "nugget": declared["nugget"],
            "range_m": declared["range_m"],
        },
        "systematic_relative_sd": round(systematic, 3),
        "how": f"leave-pair-out, {found['pairs']} pairs of samples under {MAX_METRES:.0f} m; nugget and"
        " integral at their one-sided 80 % bounds; half of the bulk density's variance is taken as shared by"
        " all cells",
        "command": "python models/meuse-soc/training/errors.py",
    }


if __name__ == "__main__":
    bands = json.loads((PACK / "manifest.json").read_text("utf-8"))["bands"]
    found = estimate_errors(read_samples(draft_pack()), bands[1]["from"]["probability"])
    print(json.dumps(found, indent=2, ensure_ascii=False))
