"""Makes a forest with random splits as an ONNX graph. The graph is encoded by hand, so that this file needs only numpy.

Field numbers: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

from __future__ import annotations

import numpy as np


def encode_varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def encode_field(number: int, value: int | bytes | str) -> bytes:
    if isinstance(value, int):
        return encode_varint(number << 3) + encode_varint(value)
    data = value.encode() if isinstance(value, str) else value
    return encode_varint(number << 3 | 2) + encode_varint(len(data)) + data


def encode_packed(values: np.ndarray) -> bytes:
    """Encodes non-negative integers below 2^14 as packed varints."""
    assert values.min(initial=0) >= 0 and values.max(initial=0) < 1 << 14
    pairs = np.stack([values & 0x7F | np.where(values > 0x7F, 0x80, 0), values >> 7], axis=1)
    keep = np.stack([np.ones(len(values), bool), values > 0x7F], axis=1)
    return pairs.astype(np.uint8)[keep].tobytes()


def encode_ints(name: str, values: np.ndarray) -> bytes:
    return encode_field(5, encode_field(1, name) + encode_field(8, encode_packed(np.asarray(values))) + encode_field(20, 7))


def encode_floats(name: str, values: np.ndarray) -> bytes:
    return encode_field(5, encode_field(1, name) + encode_field(7, np.asarray(values, "<f4").tobytes()) + encode_field(20, 6))


def encode_text(name: str, value: str) -> bytes:
    return encode_field(5, encode_field(1, name) + encode_field(4, value) + encode_field(20, 3))


def encode_value_info(name: str, width: int) -> bytes:
    shape = encode_field(1, encode_field(2, "N")) + encode_field(1, encode_field(1, width))
    return encode_field(1, name) + encode_field(2, encode_field(1, encode_field(1, 1) + encode_field(2, shape)))


def grow_tree(rng: np.random.Generator, low: np.ndarray, high: np.ndarray, leaf_count: int):
    """Splits boxes of the covariate space until there are `leaf_count` leaves. Children are numbered after their parent."""
    boxes = [(low.copy(), high.copy())]
    feature, threshold, yes, no = [-1], [0.0], [0], [0]
    leaves = [0]
    while len(leaves) < leaf_count:
        # Splitting only the older half of the leaves makes trees that are neither balanced nor degenerate.
        node = leaves.pop(int(rng.integers(0, (len(leaves) + 1) // 2)))
        lower, upper = boxes[node]
        along = int(rng.integers(0, len(low)))
        at = float(np.float32(lower[along] + (upper[along] - lower[along]) * rng.uniform(0.3, 0.7)))
        feature[node], threshold[node] = along, at
        yes[node], no[node] = len(boxes), len(boxes) + 1
        below, above = (lower.copy(), upper.copy()), (lower.copy(), upper.copy())
        below[1][along] = above[0][along] = at
        for box in (below, above):
            leaves.append(len(boxes))
            boxes.append(box)
            feature.append(-1), threshold.append(0.0), yes.append(0), no.append(0)
    centres = np.array([(lower + upper) / 2 for lower, upper in boxes])
    return np.array(feature), np.array(threshold), np.array(yes), np.array(no), centres


def make_forest(
    trees: int, low: np.ndarray, high: np.ndarray, thresholds: list[float], leaves: int
) -> bytes:
    """Makes a forest with the targets mean and P(Y <= threshold) for each threshold, averaged over the trees."""
    rng = np.random.default_rng(20_000)
    nodes: dict[str, list[np.ndarray]] = {}
    for tree in range(trees):
        feature, threshold, yes, no, centres = grow_tree(rng, low, high, leaves)
        leaf = np.flatnonzero(feature < 0)
        relative = (centres[leaf] - low) / (high - low)
        mean = 3 + 12 * relative.mean(1) + 4 * np.sin(6 * relative[:, 1]) + rng.normal(0, 0.5, len(leaf))
        mean = np.maximum(mean, 0.5)
        shares = 1 / (1 + np.exp(-(np.array(thresholds) - mean[:, None]) / 1.5))
        weights = np.column_stack([mean, shares])
        for name, values in {
            "nodes_treeids": np.full(len(feature), tree),
            "nodes_nodeids": np.arange(len(feature)),
            "nodes_featureids": np.maximum(feature, 0),
            "nodes_truenodeids": yes,
            "nodes_falsenodeids": no,
            "is_leaf": feature < 0,
            "nodes_values": threshold,
            "target_treeids": np.full(weights.size, tree),
            "target_nodeids": np.repeat(leaf, weights.shape[1]),
            "target_ids": np.tile(np.arange(weights.shape[1]), len(leaf)),
            "target_weights": weights.ravel(),
        }.items():
            nodes.setdefault(name, []).append(values)
    rows = {name: np.concatenate(parts) for name, parts in nodes.items()}

    leaf, branch = encode_field(9, "LEAF"), encode_field(9, "BRANCH_LEQ")
    modes = b"".join(leaf if is_leaf else branch for is_leaf in rows.pop("is_leaf"))
    targets = 1 + len(thresholds)
    attributes = [
        *(encode_floats(name, rows.pop(name)) for name in ("nodes_values", "target_weights")),
        *(encode_ints(name, values) for name, values in rows.items()),
        encode_field(5, encode_field(1, "nodes_modes") + modes + encode_field(20, 8)),
        encode_field(5, encode_field(1, "n_targets") + encode_field(3, targets) + encode_field(20, 2)),
        encode_text("aggregate_function", "AVERAGE"),
        encode_text("post_transform", "NONE"),
    ]
    node = b"".join([
        encode_field(1, "features"), encode_field(2, "prediction"), encode_field(4, "TreeEnsembleRegressor"),
        *attributes, encode_field(7, "ai.onnx.ml"),
    ])
    graph = b"".join([
        encode_field(1, node), encode_field(2, "synthetic"),
        encode_field(11, encode_value_info("features", len(low))), encode_field(12, encode_value_info("prediction", targets)),
    ])
    return b"".join([
        encode_field(1, 8), encode_field(2, "models/deployment-check/graph.py"), encode_field(7, graph),
        encode_field(8, encode_field(1, "") + encode_field(2, 15)), encode_field(8, encode_field(1, "ai.onnx.ml") + encode_field(2, 3)),
    ])


