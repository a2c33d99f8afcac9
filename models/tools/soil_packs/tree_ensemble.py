"""Writes trees as one ONNX TreeEnsembleRegressor, float32 [N, features] to float32 [N, targets]."""

import numpy as np
import onnx
from onnx import TensorProto, helper


def round_down(values):
    """Rounds thresholds down to float32, so that float32(x) <= threshold gives the same result as with
    the trainer's float64 threshold. Rounding to the nearest float32 could move a threshold up to the next value."""
    values = np.asarray(values, np.float64)
    single = values.astype(np.float32)
    above = single.astype(np.float64) > values
    return np.where(above, np.nextafter(single, np.float32(-np.inf)), single)


def attributes_of(index, tree):
    """Returns the operator's attributes for one tree.

    `tree` has lists with one entry per node, root first. `leaf`: whether the node is a leaf; `value`: the leaf's
    prediction or the branch's threshold (x <= value goes `left`); `feature`, `left`, `right`; `missing_left`: whether a
    missing value goes left. For several targets, `targets` (nodes x targets) replaces the leaves' `value`, or `target`
    is the only target to which the tree adds.
    """
    leaf = np.asarray(tree["leaf"], bool)
    value = np.asarray(tree["value"], np.float64)
    leaves = np.flatnonzero(leaf)
    weights = np.asarray(tree["targets"])[leaves] if "targets" in tree else value[leaves, None]
    targets = weights.shape[1]

    def of_branches(name):
        return np.where(leaf, 0, np.asarray(tree[name], np.int64)).tolist()

    return {
        "nodes_treeids": [index] * len(leaf),
        "nodes_nodeids": list(range(len(leaf))),
        "nodes_modes": ["LEAF" if is_leaf else "BRANCH_LEQ" for is_leaf in leaf],
        "nodes_featureids": of_branches("feature"),
        "nodes_values": round_down(np.where(leaf, 0, value)).tolist(),
        "nodes_truenodeids": of_branches("left"),
        "nodes_falsenodeids": of_branches("right"),
        "nodes_missing_value_tracks_true": of_branches("missing_left"),
        "target_treeids": [index] * weights.size,
        "target_nodeids": np.repeat(leaves, targets).tolist(),
        "target_ids": [tree.get("target", 0) + target for target in range(targets)] * len(leaves),
        "target_weights": weights.astype(np.float32).ravel().tolist(),
    }


def lists_of(trees, base=None):
    lists = {} if base is None else {"base_values": [float(value) for value in base]}
    for index, tree in enumerate(trees):
        for name, items in attributes_of(index, tree).items():
            lists.setdefault(name, []).extend(items)
    return lists


def model_of(trees, columns, aggregate, producer, base=None):
    """Makes the model. `base` is added to the targets; it is required if the trees have different `target`s."""
    targets = np.shape(trees[0]["targets"])[1] if "targets" in trees[0] else len(base or [0])
    node = helper.make_node(
        "TreeEnsembleRegressor",
        ["features"],
        ["prediction"],
        domain="ai.onnx.ml",
        aggregate_function=aggregate,
        n_targets=targets,
        **lists_of(trees, base),
    )
    graph = helper.make_graph(
        [node],
        producer,
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, [None, columns])],
        [helper.make_tensor_value_info("prediction", TensorProto.FLOAT, [None, targets])],
    )
    opsets = [helper.make_opsetid("", 15), helper.make_opsetid("ai.onnx.ml", 3)]
    model = helper.make_model(graph, producer_name=producer, ir_version=8, opset_imports=opsets)
    onnx.checker.check_model(model)
    return model
