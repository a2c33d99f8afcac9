"""A random forest of random splits as one ONNX graph, encoded by hand to depend only on numpy.

Field numbers: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

from __future__ import annotations

import numpy as np


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number: int, value: int | bytes | str) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def packed(values: np.ndarray) -> bytes:
    """Packed varints of non-negative integers below 2^14."""
    assert values.min(initial=0) >= 0 and values.max(initial=0) < 1 << 14
    pairs = np.stack([values & 0x7F | np.where(values > 0x7F, 0x80, 0), values >> 7], axis=1)
    keep = np.stack([np.ones(len(values), bool), values > 0x7F], axis=1)
    return pairs.astype(np.uint8)[keep].tobytes()


def ints(name: str, values: np.ndarray) -> bytes:
    return field(5, field(1, name) + field(8, packed(np.asarray(values))) + field(20, 7))


def floats(name: str, values: np.ndarray) -> bytes:
    return field(5, field(1, name) + field(7, np.asarray(values, "<f4").tobytes()) + field(20, 6))


def text(name: str, value: str) -> bytes:
    return field(5, field(1, name) + field(4, value) + field(20, 3))


def tensor(name: str, width: int) -> bytes:
    shape = field(1, field(2, "N")) + field(1, field(1, width))
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))


def grow(rng: np.random.Generator, low: np.ndarray, high: np.ndarray, leaf_count: int):
    """Splits boxes of the covariate space until there are enough; children follow their parent."""
    boxes = [(low.copy(), high.copy())]
    feature, threshold, yes, no = [-1], [0.0], [0], [0]
    leaves = [0]
    while len(leaves) < leaf_count:
        # From the front half: gives trees as deep as trained ones, neither lists nor balanced.
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


def forest(
    trees: int, low: np.ndarray, high: np.ndarray, thresholds: list[float], leaves: int
) -> bytes:
    """Targets: the mean, then P(Y <= threshold) for each threshold, averaged over the trees."""
    rng = np.random.default_rng(20_000)
    nodes: dict[str, list[np.ndarray]] = {}
    for tree in range(trees):
        feature, threshold, yes, no, centres = grow(rng, low, high, leaves)
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

    leaf, branch = field(9, "LEAF"), field(9, "BRANCH_LEQ")
    modes = b"".join(leaf if is_leaf else branch for is_leaf in rows.pop("is_leaf"))
    targets = 1 + len(thresholds)
    attributes = [
        *(floats(name, rows.pop(name)) for name in ("nodes_values", "target_weights")),
        *(ints(name, values) for name, values in rows.items()),
        field(5, field(1, "nodes_modes") + modes + field(20, 8)),
        field(5, field(1, "n_targets") + field(3, targets) + field(20, 2)),
        text("aggregate_function", "AVERAGE"),
        text("post_transform", "NONE"),
    ]
    node = b"".join([
        field(1, "features"), field(2, "prediction"), field(4, "TreeEnsembleRegressor"),
        *attributes, field(7, "ai.onnx.ml"),
    ])
    graph = b"".join([
        field(1, node), field(2, "synthetic"),
        field(11, tensor("features", len(low))), field(12, tensor("prediction", targets)),
    ])
    return b"".join([
        field(1, 8), field(2, "models/deployment-check/graph.py"), field(7, graph),
        field(8, field(1, "") + field(2, 15)), field(8, field(1, "ai.onnx.ml") + field(2, 3)),
    ])


