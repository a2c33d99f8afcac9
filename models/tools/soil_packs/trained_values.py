"""Writes the training values to a manifest: the range or classes of each covariate, and the range of the target.

    python -m soil_packs.trained_values models/heath/manifest.json training.csv stock --classes land_use

`training.csv` is the table written by `pack-sample`, without held-out samples. Rows in which the target or a covariate is
missing are ignored. The service counts the cells of a map that lie outside these values.
"""

import argparse
import csv
import json
from decimal import ROUND_CEILING, ROUND_FLOOR, Context


def add_training_values(manifest, columns, target, classes=()):
    """Adds the training values to a manifest. `columns` has the values of each covariate by name."""
    unknown = set(classes) - {covariate["name"] for covariate in manifest["covariates"]}
    if unknown:
        raise ValueError(
            f"the manifest has no covariates with these names: {', '.join(sorted(unknown))}"
        )
    covariates = [
        add_covariate_values(covariate, columns[covariate["name"]], covariate["name"] in classes)
        for covariate in manifest["covariates"]
    ]
    result = {}
    for name, value in manifest.items():
        if name == "covariates":
            result["trained_range"] = compute_range(target)
            result[name] = covariates
        elif name != "trained_range":
            result[name] = value
    return result


def add_covariate_values(covariate, values, is_class):
    kept = {
        name: value
        for name, value in covariate.items()
        if name not in ("trained_range", "trained_classes")
    }
    if is_class:
        return {**kept, "trained_classes": sorted(set(values))}
    return {**kept, "trained_range": compute_range(values)}


def compute_range(values):
    """Computes the range, rounded outwards to six digits: differences from resampling do not count as extrapolation."""
    return [
        round_to_six_digits(min(values), ROUND_FLOOR),
        round_to_six_digits(max(values), ROUND_CEILING),
    ]


def round_to_six_digits(value, direction):
    return float(Context(prec=6, rounding=direction).create_decimal(repr(float(value))))


def read_training(path, names):
    with open(path, encoding="utf-8-sig", newline="") as file:
        table = csv.DictReader(file)
        absent = [name for name in names if name not in (table.fieldnames or [])]
        if absent:
            raise ValueError(f"{path} has no column {', '.join(absent)}: write it with pack-sample")
        rows = [row for row in table if all(row[name] for name in names)]
    if not rows:
        raise ValueError(f"{path} has no row with a value in each of {', '.join(names)}")
    return {name: [float(row[name]) for row in rows] for name in names}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("manifest")
    parser.add_argument("training")
    parser.add_argument("target", help="column with the measured values")
    parser.add_argument(
        "--classes", default="", help="covariates that are classes, separated by commas"
    )
    options = parser.parse_args()
    with open(options.manifest, encoding="utf-8") as file:
        manifest = json.load(file)
    names = [covariate["name"] for covariate in manifest["covariates"]]
    classes = [name for name in options.classes.split(",") if name]
    try:
        columns = read_training(options.training, [*names, options.target])
        made = add_training_values(manifest, columns, columns[options.target], classes)
    except ValueError as error:
        raise SystemExit(str(error)) from None
    with open(options.manifest, "w", encoding="utf-8") as file:
        json.dump(made, file, indent=2, ensure_ascii=False)
        file.write("\n")


if __name__ == "__main__":
    main()
