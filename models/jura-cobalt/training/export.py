"""Writes data/*.csv from the data set `jura` of the R package gstat. Run from the repository's root on
Debian or Ubuntu:

    pip install rdata
    python models/jura-cobalt/training/export.py

It downloads Debian's r-cran-gstat with apt-get and unpacks it; nothing is installed and R is not needed.
Only needed when gstat's data change: the CSV files it wrote are in the repository.
"""

from __future__ import annotations

import csv
import subprocess
import tempfile
from pathlib import Path

import rdata

DATA = Path(__file__).resolve().parent.parent / "data"
JURA = "usr/lib/R/site-library/gstat/data/jura.rda"


def package_data() -> dict:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["apt-get", "download", "r-cran-gstat"], cwd=folder, check=True)
        (package,) = Path(folder).glob("*.deb")
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
        return rdata.read_rda(Path(folder) / JURA)


def write(name: str, columns: dict) -> None:
    with (DATA / name).open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values()))


def rounded(values, digits: int) -> list:
    return [round(float(value), digits) for value in values]


def main() -> None:
    jura = package_data()
    for name, table in (("training.csv", jura["jura.pred"]), ("held-out.csv", jura["jura.val"])):
        columns = {"lon": rounded(table["long"], 7), "lat": rounded(table["lat"], 7)}
        write(name, {**columns, "cobalt": rounded(table["Co"], 3)})
    grid = jura["jura.grid"]
    columns = {"east": rounded(grid["Xloc"], 2), "north": rounded(grid["Yloc"], 2)}
    columns |= {"lon": rounded(grid["long"], 7), "lat": rounded(grid["lat"], 7)}
    # Codes from 1 in the order of the factors' levels.
    for name, factor in (("land_use", "Landuse"), ("rock", "Rock")):
        columns[name] = [int(code) + 1 for code in grid[factor].cat.codes]
    write("grid.csv", columns)


if __name__ == "__main__":
    main()
