"""Builds the default model, as an example for your own pack: covariates, samples, model,
errors, validation, folder. docs/model-packs.md explains each step.

    .local/venv/bin/python models/meuse-soc/training/build.py
"""

from __future__ import annotations

import onnx

import card
import forest
from covariates import PACK, write_covariates
from draft import draft_pack, read_samples
from errors import estimate_errors
from evaluate import evaluate, measure_disc_means

MODEL = PACK / "build" / "model.onnx"


def main() -> None:
    write_covariates()

    pack = draft_pack()
    training = read_samples(pack)

    with_error = forest.probabilities_with_error(training.y, training.sd)
    trained = forest.train(training.x, training.y, with_error)
    probability = round(forest.calibrate_probability(trained, training.y, training.sd), 6)
    onnx.save(trained.graph(), MODEL)
    # If the target had no errors, this would suffice: pack.model(forest, x, y, intervals="distribution").
    pack.model(
        onnx=MODEL,
        x=training.x,
        y=training.y,
        predicted=trained.predict(training.x),
        coverage=forest.COVERAGE,
        distribution=forest.DISTRIBUTION,
        probability=probability,
    )
    for band, other in (("q05", "q95"), ("q95", "q05")):
        (bound,) = [one for one in pack.bands if one["name"] == band]
        bound["description"] += f": with {other} a 90 % prediction interval of one 15 × 15 m sample"
    pack.applicability()

    pack.error = estimate_errors(training, probability)
    pack.accuracy, of_map = evaluate(training)
    discs = measure_disc_means(training, pack.error, probability)
    card.write_table(pack.accuracy, of_map, discs)
    pack.save(PACK)


if __name__ == "__main__":
    main()
