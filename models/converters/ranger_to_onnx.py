"""Makes an ONNX graph of a forest that ranger_to_json.R wrote.

    pip install numpy onnx
    Rscript ranger_to_json.R forest.rds forest.json
    python ranger_to_onnx.py forest.json forest.onnx

The graph takes the features in the order that `features` of the JSON gives.
"""

import json
import sys

import tree_ensemble


def tree_of(rows):
    """ranger's rows: node 0 is the root, so a child 0 means there is none."""
    leaf = [left == 0 and right == 0 for left, right in zip(rows["left"], rows["right"])]
    # ranger knows no missing value where it predicts from numbers.
    return {**rows, "leaf": leaf, "missing_left": [0] * len(leaf)}


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python ranger_to_onnx.py forest.json forest.onnx")
    with open(sys.argv[1], encoding="utf-8") as file:
        forest = json.load(file)
    trees = [tree_of(rows) for rows in forest["trees"]]
    made = tree_ensemble.model_of(trees, len(forest["features"]), "AVERAGE", "ranger")
    with open(sys.argv[2], "wb") as file:
        file.write(made.SerializeToString())
