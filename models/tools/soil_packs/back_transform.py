"""Back-transforms the targets of an ONNX graph from logarithms: exp(target) x factor.

    pip install numpy onnx
    python -m soil_packs.back_transform log.onnx model.onnx --factors 1.043,1,1

The exponential of a mean logarithm underestimates the mean. The factor for a mean is Duan's smearing estimate (1983,
JASA 78, 605-610), the mean of exp(residual):

    from soil_packs.back_transform import smearing
    smearing(numpy.log(y), cross_val_predict(model, x, numpy.log(y)))

with predictions of held-out samples, because a boosted model's training residuals are too small. Quantiles are
back-transformed exactly, so their factor is 1.
"""

import argparse
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper


def smearing(observed, predicted):
    residuals = np.asarray(observed, np.float64) - np.asarray(predicted, np.float64)
    return float(np.mean(np.exp(residuals)))


def back_transform(model, factors):
    graph = model.graph
    if len(graph.output) != 1:
        raise ValueError(f"expected a graph with 1 output; got {len(graph.output)}")
    (output,) = graph.output
    tensor = output.type.tensor_type
    columns = tensor.shape.dim[1].dim_value if len(tensor.shape.dim) == 2 else 0
    if columns not in (0, len(factors)):
        raise ValueError(f"expected one factor per target ({columns}); got {len(factors)}")
    logarithms = output.name
    element = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    graph.initializer.append(numpy_helper.from_array(np.asarray(factors, element), "factors"))
    graph.node.extend(
        [
            helper.make_node("Exp", [logarithms], ["without_factors"]),
            helper.make_node("Mul", ["without_factors", "factors"], ["turned_back"]),
        ]
    )
    output.name = "turned_back"
    onnx.checker.check_model(model)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("logarithms", metavar="log.onnx")
    parser.add_argument("graph", metavar="model.onnx")
    parser.add_argument(
        "--factors", required=True, help="one factor per target, separated by commas"
    )
    options = parser.parse_args()
    try:
        factors = [float(factor) for factor in options.factors.split(",")]
        made = back_transform(onnx.load(options.logarithms), factors)
    except ValueError as error:
        sys.exit(str(error))
    onnx.save(made, options.graph)


if __name__ == "__main__":
    main()
