"""Merges tree ensembles of the same features into one graph, with their targets in the given order.

    pip install numpy onnx
    python -m soil_packs.merge_targets mean.onnx q05.onnx q95.onnx model.onnx --shift=0,-1.8,1.8

Each graph must be one TreeEnsembleRegressor, as written by the converters here, skl2onnx and CatBoost. `--shift` is
added to the targets, for example the margin from soil_packs.conformal.
"""

import argparse
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

OF_NODES = (
    "nodes_treeids",
    "nodes_nodeids",
    "nodes_modes",
    "nodes_featureids",
    "nodes_values",
    "nodes_truenodeids",
    "nodes_falsenodeids",
)
OF_TARGETS = ("target_treeids", "target_nodeids", "target_ids", "target_weights")


def read_ensemble(model):
    """Returns the attributes of the graph's ensemble, which must be its only operator besides Cast and Identity."""
    nodes = [node for node in model.graph.node if node.op_type not in ("Cast", "Identity")]
    if [node.op_type for node in nodes] != ["TreeEnsembleRegressor"]:
        raise ValueError(
            f"expected a graph of one TreeEnsembleRegressor, got {', '.join(node.op_type for node in nodes)}"
        )
    ensemble = {part.name: helper.get_attribute_value(part) for part in nodes[0].attribute}
    for name in (*OF_NODES, *OF_TARGETS):
        if name not in ensemble:
            raise ValueError(
                f"the ensemble has no attribute {name}: its thresholds and weights must be float32"
            )
    if ensemble.get("post_transform", b"NONE") != b"NONE":
        raise ValueError("a post_transform is not supported: merge the graphs without it")
    if ensemble.get("aggregate_function", b"SUM") not in (b"SUM", b"AVERAGE"):
        raise ValueError("the aggregate_function must be SUM or AVERAGE")
    return ensemble


def merge_graphs(models, shift=None):
    lists = {name: [] for name in (*OF_NODES, "nodes_missing_value_tracks_true", *OF_TARGETS)}
    base = []
    trees = 0
    for model in models:
        ensemble = read_ensemble(model)
        ids = sorted(set(ensemble["nodes_treeids"]))
        numbers = {tree: trees + at for at, tree in enumerate(ids)}
        # The merged graph adds trees, so averages become sums of values ÷ number of trees.
        average = ensemble.get("aggregate_function", b"SUM") == b"AVERAGE"
        share = 1 / len(ids) if average else 1
        first, targets = len(base), ensemble.get("n_targets", 1)
        changed = {
            "nodes_treeids": [numbers[tree] for tree in ensemble["nodes_treeids"]],
            "target_treeids": [numbers[tree] for tree in ensemble["target_treeids"]],
            "target_ids": [first + target for target in ensemble["target_ids"]],
            "target_weights": [share * weight for weight in ensemble["target_weights"]],
            "nodes_missing_value_tracks_true": ensemble.get(
                "nodes_missing_value_tracks_true", [0] * len(ensemble["nodes_treeids"])
            ),
        }
        for name, items in lists.items():
            items.extend(changed.get(name, ensemble.get(name)))
        base.extend(ensemble.get("base_values", [0.0] * targets))
        trees += len(ids)
    shift = shift or [0.0] * len(base)
    if len(shift) != len(base):
        raise ValueError(f"expected one shift per target ({len(base)}); got {len(shift)}")
    lists["base_values"] = np.add(base, shift).tolist()
    return make_graph(lists, count_columns(models), len(base))


def count_columns(models):
    """Returns the number of features; None if no graph declares it. The trees may use only some features."""
    stated = set()
    for model in models:
        dimensions = model.graph.input[0].type.tensor_type.shape.dim
        stated.add(dimensions[1].dim_value if len(dimensions) == 2 else 0)
    stated.discard(0)
    if len(stated) > 1:
        raise ValueError(f"the graphs have different numbers of features: {sorted(stated)}")
    return stated.pop() if stated else None


def make_graph(lists, columns, targets):
    node = helper.make_node(
        "TreeEnsembleRegressor",
        ["features"],
        ["prediction"],
        domain="ai.onnx.ml",
        aggregate_function="SUM",
        n_targets=targets,
        **lists,
    )
    graph = helper.make_graph(
        [node],
        "merged",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, [None, columns])],
        [helper.make_tensor_value_info("prediction", TensorProto.FLOAT, [None, targets])],
    )
    opsets = [helper.make_opsetid("", 15), helper.make_opsetid("ai.onnx.ml", 3)]
    model = helper.make_model(graph, ir_version=8, opset_imports=opsets)
    onnx.checker.check_model(model)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="+", metavar="part.onnx")
    parser.add_argument("graph", metavar="model.onnx")
    parser.add_argument("--shift", help="values to add to the targets, separated by commas")
    options = parser.parse_args()
    try:
        shift = options.shift and [float(value) for value in options.shift.split(",")]
        made = merge_graphs([onnx.load(path) for path in options.models], shift)
    except ValueError as error:
        sys.exit(str(error))
    onnx.save(made, options.graph)


if __name__ == "__main__":
    main()
