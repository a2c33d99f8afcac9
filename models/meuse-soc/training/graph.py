"""The forest as one ONNX graph: a TreeEnsembleRegressor with 1 + K targets per leaf."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper

import forest


def rounded_down(values: np.ndarray) -> np.ndarray:
    """Rounds down to float32, so that float32(x) <= threshold gives the trainer's result."""
    single = values.astype(np.float32)
    above = single.astype(np.float64) > values
    return np.where(above, np.nextafter(single, np.float32(-np.inf)), single).astype(np.float32)


def node_attributes(index: int, tree) -> dict[str, list]:
    leaf = tree.children_left < 0
    return {
        "nodes_treeids": [index] * tree.node_count,
        "nodes_nodeids": list(range(tree.node_count)),
        "nodes_featureids": np.where(leaf, 0, tree.feature).tolist(),
        "nodes_modes": ["LEAF" if is_leaf else "BRANCH_LEQ" for is_leaf in leaf],
        "nodes_values": rounded_down(np.where(leaf, 0.0, tree.threshold)).tolist(),
        "nodes_truenodeids": np.where(leaf, 0, tree.children_left).tolist(),
        "nodes_falsenodeids": np.where(leaf, 0, tree.children_right).tolist(),
    }


def target_attributes(index: int, tree, values: np.ndarray) -> dict[str, list]:
    leaves = np.flatnonzero(tree.children_left < 0)
    targets = values.shape[1]
    return {
        "target_treeids": [index] * (len(leaves) * targets),
        "target_nodeids": np.repeat(leaves, targets).tolist(),
        "target_ids": list(range(targets)) * len(leaves),
        "target_weights": values[leaves].astype(np.float32).ravel().tolist(),
    }


def graph_of(model, train: np.ndarray, values: np.ndarray) -> onnx.ModelProto:
    """`values` (samples × (1 + K)): each sample's target, then its P(y + error ≤ threshold k)."""
    attributes: dict[str, list] = {}
    for index, (estimator, counts) in enumerate(forest.bags(model, len(train))):
        means = forest.leaf_means(estimator, estimator.apply(train), counts, values)
        parts = (
            node_attributes(index, estimator.tree_),
            target_attributes(index, estimator.tree_, means),
        )
        for part in parts:
            for name, items in part.items():
                attributes.setdefault(name, []).extend(items)

    node = helper.make_node(
        "TreeEnsembleRegressor",
        ["features"],
        ["prediction"],
        domain="ai.onnx.ml",
        aggregate_function="AVERAGE",
        post_transform="NONE",
        n_targets=values.shape[1],
        **attributes,
    )
    graph = helper.make_graph(
        [node],
        "meuse-soc",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, [None, train.shape[1]])],
        [helper.make_tensor_value_info("prediction", TensorProto.FLOAT, [None, values.shape[1]])],
    )
    result = helper.make_model(
        graph,
        producer_name="models/meuse-soc/training/build.py",
        ir_version=8,
        opset_imports=[helper.make_opsetid("", 15), helper.make_opsetid("ai.onnx.ml", 3)],
    )
    onnx.checker.check_model(result)
    return result
