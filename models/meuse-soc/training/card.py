"""Step 6: writes the measured accuracy into the model card."""

from __future__ import annotations

import re

import pandas

from covariates import PACK
from evaluate import DESIGNS, FIGURES, FIGURES_OF_MAP

CARD = PACK / "README.md"


def write_table(accuracy: list[dict], of_map: pandas.DataFrame, discs: tuple[float, int]) -> None:
    found = {figure["metric"]: figure for figure in accuracy}

    def format_metric(metric: str) -> str:
        _, _, bounds = found[metric]["how"].partition("95 % interval ")
        return f"{found[metric]['value']:.3f}" + (f" ({bounds})" if bounds else "")

    rows = [["figure", *(how for how, _ in DESIGNS.values())], ["", "", ""]]
    for metric in FIGURES:
        rows.append([metric, *(format_metric(design + metric) for design in DESIGNS)])
        if metric in FIGURES_OF_MAP:
            weighted = FIGURES_OF_MAP[metric]
            rows.append([weighted, *(f"{of_map.at[weighted, design]:.3f}" for design in DESIGNS)])
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths)) for row in rows]
    lines[1] = " | ".join("-" * width for width in widths)
    table = "".join(f"| {line} |\n" for line in lines)
    table += f"\nShare of the {discs[1]} discs (see below) whose mean lies in its 90 % interval: {discs[0]:.3f}.\n"
    marked = r"(?<=<!-- accuracy -->\n).*(?=<!-- /accuracy -->)"
    text, count = re.subn(marked, lambda _: table, CARD.read_text("utf-8"), flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"{CARD} does not contain the markers of the table")
    CARD.write_text(text, "utf-8")
