"""Step 6: writes the measured accuracy into the table of the model card."""

from __future__ import annotations

import re

from covariates import PACK
from evaluate import DESIGNS, FIGURES

CARD = PACK / "README.md"


def write_table(accuracy: list[dict], of_map: dict[str, float], discs: tuple[float, int]) -> None:
    found = {figure["metric"]: figure for figure in accuracy}

    def format_metric(metric: str) -> str:
        _, _, bounds = found[metric]["how"].partition("95 % interval ")
        return f"{found[metric]['value']:.3f}" + (f" ({bounds})" if bounds else "")

    rows = [["figure", *(how for how, _ in DESIGNS.values())], ["", "", ""]]
    rows += [
        [metric, *(format_metric(design + metric) for design in DESIGNS)] for metric in FIGURES
    ]
    rows.insert(3, ["R2, weighted by area", *(f"{value:.3f}" for value in of_map.values())])
    rows.append([f"coverage, means of {discs[1]} discs", "", f"{discs[0]:.3f}"])
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths)) for row in rows]
    lines[1] = " | ".join("-" * width for width in widths)
    table = "".join(f"| {line} |\n" for line in lines)
    marked = r"(?<=<!-- accuracy -->\n).*(?=<!-- /accuracy -->)"
    text, count = re.subn(marked, lambda _: table, CARD.read_text("utf-8"), flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"{CARD} does not contain the markers of the table")
    CARD.write_text(text, "utf-8")
