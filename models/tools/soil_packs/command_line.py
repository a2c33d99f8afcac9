"""The command lines of the converters from a file of a trained model to an ONNX graph."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .agreement import choose_rows, find_differences
from .commands import PackError
from .graphs import count_columns, count_targets
from .tables import require_order

PREDICTED = """table with the covariates in training order, then the model's own prediction of each target: the
command fails if the graph predicts differently"""


def convert(
    name: str,
    doc: str,
    source: str,
    convert_file: Callable[[argparse.Namespace], tuple[Any, Sequence[str]]],
    *,
    with_manifest: bool = False,
) -> None:
    """Converts a file and writes the graph. With `--predicted`, first compares the graph's predictions
    with the model's.

    :param convert_file: returns the graph and the names of its covariates, if the file contains them
    """
    parser = argparse.ArgumentParser(
        f"python -m soil_packs.{name}",
        description=doc,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("source", metavar=source)
    parser.add_argument("graph", metavar="model.onnx")
    if with_manifest:
        parser.add_argument("manifest", metavar="manifest.json", nargs="?")
    parser.add_argument("--predicted", metavar="rows.csv", help=PREDICTED)
    options = parser.parse_args()
    try:
        graph, names = convert_file(options)
        if options.predicted is not None:
            for warning in compare_with_file(graph, names, options.predicted):
                print(f"warning: {warning}", file=sys.stderr)
        else:
            print(
                "not checked: whether the graph predicts like its model; to check this, pass --predicted",
                file=sys.stderr,
            )
        Path(options.graph).write_bytes(graph.SerializeToString())
    except (OSError, ValueError) as error:
        sys.exit(f"{name}: {error}")


def compare_with_file(graph: Any, names: Sequence[str], path: str) -> list[str]:
    """Returns the warnings of the comparison. :raises PackError: if the table does not suit the graph, or predictions differ"""
    import pandas

    table = pandas.read_csv(path)
    count = count_columns(graph)
    features, predicted = table.columns[:count], table.columns[count:]
    if len(predicted) == 0:
        raise PackError(
            f"{path} has {len(table.columns)} columns; expected the {count} covariates, then the"
            " predictions"
        )
    if len(table) == 0:
        raise PackError(f"{path} has no rows")
    if len(predicted) > count_targets(graph):
        raise PackError(
            f"{path} has the columns {', '.join(predicted)} after the {count} covariates; expected"
            f" at most {count_targets(graph)}: predictions of the graph's targets. Leave out the index"
            " (to_csv(index=False)), measurements and other columns"
        )
    require_order(names, [*features])
    rows = choose_rows(len(table))
    try:
        values = table.to_numpy(np.float64)
    except ValueError as error:
        raise PackError(f"{path}: {error}") from None
    return find_differences(
        graph,
        values[rows, :count].astype(np.float32),
        values[rows, count:],
        names=[*features],
        rows=rows,
        # The table has no measurements, so the tolerance uses the spread of the predictions, which is usually smaller.
        sd=values[:, count:].std(axis=0),
        given=True,
    )
