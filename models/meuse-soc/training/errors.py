"""Step 4: how the map's errors are correlated, which decides the interval of a field's mean.

    .local/venv/bin/python models/meuse-soc/training/errors.py

prints the manifest's `error`. `pack.errors(withheld)` estimates it from samples withheld in folds. Here there
are so few that each pair is withheld separately, and the others train.
"""

from __future__ import annotations

import json

import numpy as np

import forest
from covariates import PACK
from draft import Training, draft_pack, sample
from soil_packs.correlation import Errors, fitted_errors
from soil_packs.group_means import Bounded, ErrorModel, own_sd
from target import SHARED_VARIANCE, systematic_relative_sd

# Both samples of a pair are out of bag in 0.135 of the trees: about 500 for each pair.
TREES = 4_000
MAX_METRES = 500.0


def near_pairs(training: Training) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First and second sample, and the metres between them."""
    first, second = np.triu_indices(len(training.places), k=1)
    metres = np.hypot(*(training.places[first] - training.places[second]).T)
    near = (metres > 0) & (metres < MAX_METRES)
    return first[near], second[near], metres[near]


def estimate_errors(training: Training, probability: float) -> dict:
    """From pairs of standardised errors, both predicted by the trees that saw neither sample.

    A bootstrap sample without two samples is one of the others, so those trees are a forest trained without
    both. An ordinary cross-validation keeps one while it predicts the other, which hides their correlation.
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

    def standardised(sample: int, trees: np.ndarray) -> tuple[float, float]:
        """Its error, and the sd of its bulk density's own error, ÷ the sd that its bounds claim."""
        predicted = leaves[trees, sample].mean(axis=0, dtype=float)
        mean, bounds = predicted[:1], forest.interval(predicted[None, 1:], probability)
        (width,) = own_sd(Bounded(np.zeros((1, 2)), mean, mean, *bounds), one_cell)
        return (y[sample] - mean[0]) / width, sd[sample] * np.sqrt(1 - SHARED_VARIANCE) / width

    def product(i: int, j: int) -> float:
        both = unseen[:, i] & unseen[:, j]
        return standardised(i, both)[0] * standardised(j, both)[0]

    first, second, metres = near_pairs(training)
    products = np.array([product(i, j) for i, j in zip(first, second)])
    single = np.array([standardised(i, unseen[:, i]) for i in range(len(y))])
    found = fitted_errors(
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
    found = estimate_errors(sample(draft_pack()), bands[1]["from"]["probability"])
    print(json.dumps(found, indent=2, ensure_ascii=False))
