"""The forest as one ONNX graph: a TreeEnsembleRegressor with 1 + K targets per leaf."""

from __future__ import annotations

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

import area
import forest

sys.path.append(str(area.PACK.parent / "tools"))
from soil_packs import tree_ensemble


def graph_of(model, train: np.ndarray, values: np.ndarray) -> onnx.ModelProto:
    """`values` (samples × (1 + K)): each sample's target, then its P(y + error ≤ threshold k)."""
    attributes: dict[str, list] = {}
    for index, (estimator, counts) in enumerate(forest.bags(model, len(train))):
        tree = estimator.tree_
        nodes = {
            "leaf": tree.children_left < 0,
            "value": tree.threshold,
            "feature": tree.feature,
            "left": tree.children_left,
            "right": tree.children_right,
            "missing_left": [0] * tree.node_count,
            "targets": forest.leaf_means(estimator, estimator.apply(train), counts, values),
        }
        for name, items in tree_ensemble.attributes_of(index, nodes).items():
            attributes.setdefault(name, []).extend(items)
    # Published without it, which says the same: no covariate of a predicted cell is missing.
    del attributes["nodes_missing_value_tracks_true"]

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
