"""`npm run pack-sample`: adds a pack's covariates to a table of samples."""

from __future__ import annotations

import argparse
import sys

from . import commands
from .commands import PackError
from .remarks import swapped_warning
from .samples import positions, read_file
from .service import read_covariates

HELP = """Adds a pack's covariates to a table of samples (columns lon and lat, WGS84), with the values that a
prediction of the sample's cell uses; empty where missing. Reads the manifest and the covariates, but not
the graph. If a pack has several periods, run the command once per period, with --year and the
samples from the years of the period."""
CODES = """Exit code 1: no sample has all covariates, or a file could not be read; 2: the command line is
invalid."""


def main() -> None:
    options = _options()
    table = read_file(options.file)
    covariates = read_covariates(options.folder, positions=positions(table), year=options.year)
    existing = [name for name in covariates if name in table.columns]
    if existing:
        raise PackError(
            f"{options.file} already has columns with these names: {', '.join(existing)}"
        )
    # The samples' own columns are text and stay unchanged. Nine digits distinguish any two float32 values.
    samples = table.join(covariates)
    samples.to_csv(sys.stdout, index=False, float_format="%.9g")
    for text in swapped_warning(covariates.attrs["swapped"], len(samples)):
        print(f"warning: {text}", file=sys.stderr)
    complete = covariates.notna().all(axis=1).sum()
    print(f"samples with all covariates: {complete} of {len(samples)}", file=sys.stderr)


def _options() -> argparse.Namespace:
    parser = commands.create_parser("pack-sample", HELP, CODES)
    parser.add_argument("folder", help="folder of the pack")
    parser.add_argument("file", metavar="samples.csv")
    parser.add_argument(
        "--year", type=int, help="year of the map; required if the pack has several periods"
    )
    return parser.parse_args()
