"""Converts a forest written by ranger_to_json.R to an ONNX graph.

    pip install numpy onnx
    Rscript ranger_to_json.R forest.rds forest.json [training.csv target]
    python -m soil_packs.ranger_to_onnx forest.json forest.onnx [manifest.json] --predicted rows.csv

The graph takes the features in the order of `features` in the JSON. With a manifest, and a JSON that was written with
the training table, the graph's targets are the mean and P(Y <= t) for the thresholds of the manifest's `distribution`, and
the command prints the `probability` of the lower bound of a 90 % interval.
"""

import json

import numpy as np

from . import command_line, distribution, tree_ensemble
from .commands import PackError


def tree_of(rows):
    """Converts ranger's rows: node 0 is the root, so 0 as a child means that there is no child."""
    leaf = [left == 0 and right == 0 for left, right in zip(rows["left"], rows["right"])]
    # The JSON does not state where missing values go, but the service predicts only cells that have all covariates.
    return {**rows, "leaf": leaf, "missing_left": [0] * len(leaf)}


def bags_of(samples):
    bags = zip(samples["leaves"], samples["counts"])
    return [(np.asarray(leaves), np.asarray(counts)) for leaves, counts in bags]


def add_targets(tree, bag, values):
    leaf = np.asarray(tree["leaf"])
    means = distribution.leaf_means(bag, len(leaf), values)
    distribution.require_same_means(means[leaf, 0], np.asarray(tree["value"])[leaf])
    return {**tree, "targets": means}


def model_of(forest, thresholds=None):
    trees = [tree_of(rows) for rows in forest["trees"]]
    if thresholds is not None:
        if not forest.get("samples"):
            raise PackError(
                "the JSON contains no samples: pass the training table to ranger_to_json.R"
            )
        values = distribution.values_of(forest["samples"]["y"], thresholds)
        bags = bags_of(forest["samples"])
        trees = [add_targets(tree, bag, values) for tree, bag in zip(trees, bags)]
    return tree_ensemble.model_of(trees, len(forest["features"]), "AVERAGE", "ranger")


def main(options):
    with open(options.source, encoding="utf-8") as file:
        forest = json.load(file)
    declared = None
    if options.manifest is not None:
        with open(options.manifest, encoding="utf-8") as file:
            declared = json.load(file)["distribution"]
    made = model_of(forest, declared and declared["thresholds"])
    if declared is not None:
        samples = forest["samples"]
        print(distribution.calibrated_probability(bags_of(samples), samples["y"], declared))
    return made, forest["features"]


if __name__ == "__main__":
    command_line.convert("ranger_to_onnx", __doc__, "forest.json", main, with_manifest=True)
