"""Measures the accuracy of the built pack, and writes it into the manifest and the model card.

    python models/jura-cobalt/training/card.py

In the environment of `build.py`, which ends with it. It needs the repository's Node packages.
"""

from __future__ import annotations

import json
import subprocess
from statistics import NormalDist

import numpy as np
import onnxruntime
from samples import PACK, ROOT, columns_in, columns_of, places_of

README, MANIFEST = PACK / "README.md", PACK / "manifest.json"
HELD_OUT = "models/jura-cobalt models/jura-cobalt/data/held-out.csv"
SAMPLE = f"npm run pack-sample -- {HELD_OUT}"
VALIDATE = (
    f"npm run pack-validate -- {HELD_OUT}"
    " --target cobalt --training models/jura-cobalt/data/training.csv"
)
ERRORS = (
    "npm run pack-errors -- models/jura-cobalt/build/withheld.csv --target cobalt --max-metres 1000"
)
# Metres within which errors of validation samples are compared.
NEIGHBOURS = 500


def output_of(command: str) -> str:
    script, options = command.removeprefix("npm run ").split(" -- ")
    tsx = [ROOT / "node_modules" / ".bin" / "tsx", f"bin/{script}.ts", *options.split()]
    return subprocess.run(tsx, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def reported(command: str) -> dict:
    """What a command of the repository reports as JSON."""
    return json.loads(output_of(f"{command} --json"))


def error_block() -> dict:
    return reported(ERRORS)["error"] | {"command": ERRORS}


def bounds_text(estimate: dict) -> str:
    return f"{estimate['lower']:.3f}–{estimate['upper']:.3f}"


def accuracy_of(found: dict) -> list[dict]:
    """The manifest's accuracy."""
    accuracy, (coverage,) = found["accuracy"], found["coverage"]
    samples = f"{accuracy['n']} validation samples between training samples"

    def figure(metric: str, value: float, how: str) -> dict:
        return {"metric": metric, "value": round(value, 3), "how": how, "command": VALIDATE}

    def estimated(metric: str, estimate: dict, how: str) -> dict:
        return figure(metric, estimate["value"], f"{how}, 95 % interval {bounds_text(estimate)}")

    tail = f"of {samples}, where 0.05 is claimed"
    return [
        estimated("R2", accuracy["r2"], samples),
        figure("RMSE (mg/kg)", accuracy["rmse"], samples),
        figure("bias (mg/kg)", accuracy["bias"], f"predicted − observed, {samples}"),
        estimated("coverage, q05 to q95", coverage["inside"], f"share of {samples} inside"),
        estimated("share below q05", coverage["below"], tail),
        estimated("share above q95", coverage["above"], tail),
    ]


def table(head: list[str], rows: list[list[str]]) -> str:
    widths = [max(3, *(len(cell) for cell in column)) for column in zip(head, *rows)]
    lines = [head, ["-" * width for width in widths], *rows]
    padded = ([cell.ljust(width) for cell, width in zip(line, widths)] for line in lines)
    return "\n".join("| " + " | ".join(line) + " |" for line in padded)


def accuracy_table(accuracy: list[dict]) -> str:
    rows = []
    for figure in accuracy:
        _, _, bounds = figure["how"].partition("95 % interval ")
        rows.append([figure["metric"], f"{figure['value']:.3f}", bounds or "–"])
    return table(["figure", "value", "95 % interval"], rows)


def thirds_table(found: dict) -> str:
    rows = []
    for third in found["thirds"]:
        accuracy, inside = third["accuracy"], third["inside"]
        share = f"{inside['value']:.3f} ({bounds_text(inside)})"
        figures = [f"{accuracy[name]:.3f}" for name in ("rmse", "bias", "slope")]
        rows.append([third["name"], str(accuracy["n"]), *figures, share])
    head = ["prediction (mg/kg)", "n", "RMSE (mg/kg)", "bias (mg/kg)", "slope", "inside"]
    return table(head, rows)


def distances(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.hypot(*(a[:, None] - b[None]).transpose(2, 0, 1))


def validation_errors(manifest: dict) -> np.ndarray:
    samples = columns_in(output_of(SAMPLE))
    features = np.column_stack([samples[entry["name"]] for entry in manifest["covariates"]])
    session = onnxruntime.InferenceSession(PACK / manifest["graph"]["href"])
    feeds = {session.get_inputs()[0].name: features.astype("float32")}
    return session.run(None, feeds)[0][:, 0] - samples["cobalt"]


def validation_table(manifest: dict) -> str:
    training, validation = (
        places_of(columns_of(f"data/{name}.csv")) for name in ("training", "held-out")
    )
    nearest = distances(validation, training).min(axis=1)
    error = validation_errors(manifest)
    around = error - error.mean()
    one, other = np.triu_indices(len(error), k=1)
    apart = distances(validation, validation)[one, other]
    near = apart < NEIGHBOURS
    correlation = np.mean((around[one] * around[other])[near]) / error.var()
    pairs = f"two samples less than {NEIGHBOURS} m apart ({near.sum()} pairs)"
    rows = [
        ["distance to the nearest training sample, median (m)", f"{np.median(nearest):.0f}"],
        ["distance to the nearest training sample, most (m)", f"{nearest.max():.0f}"],
        ["distance between two validation samples, least (m)", f"{apart.min():.0f}"],
        [f"correlation of the errors of {pairs}", f"{correlation:.2f}"],
    ]
    return table(["validation samples", "value"], rows)


def spatial_figures(samples: dict[str, np.ndarray]) -> list[str]:
    """Figures of one repeat, in which every site is predicted once."""
    y, mean = samples["cobalt"], samples["mean"]
    places, fold = places_of(samples), samples["fold"]
    apart = np.where(fold[:, None] == fold[None], np.inf, distances(places, places)).min(axis=1)
    square = np.mean((mean - y) ** 2)
    below, above = np.mean(y < samples["q05"]), np.mean(y > samples["q95"])
    shares = [1 - square / y.var(), np.sqrt(square), np.mean(mean - y), 1 - below - above, below]
    return [str(len(y)), *(f"{value:.3f}" for value in [*shares, above]), f"{np.median(apart):.0f}"]


def spatial_table() -> str:
    withheld = columns_of("build/withheld.csv", names=("fold",))
    repeat = np.array([fold.split("-")[0] for fold in withheld["fold"]])
    names = [
        "n, sites",
        "R2",
        "RMSE (mg/kg)",
        "bias (mg/kg)",
        "coverage, q05 to q95",
        "share below q05",
        "share above q95",
        "median distance to the nearest sample of another block (m)",
    ]
    columns = [
        spatial_figures({name: column[repeat == one] for name, column in withheld.items()})
        for one in sorted(set(repeat))
    ]
    head = ["figure", *(f"repeat {i + 1}" for i in range(len(columns)))]
    return table(head, [list(row) for row in zip(names, *columns)])


def correlation_table(errors: dict) -> str:
    rows = [
        [f"{lag['from_m']}–{lag['to_m']}", str(lag["pairs"]), f"{lag['correlation']:.3f}"]
        for lag in errors["lags"]
    ]
    return table(["metres", "pairs", "correlation"], rows)


def spread_table(errors: dict) -> str:
    """The bounds stand 1.645 standard deviations from the mean, if errors are normal."""
    z = NormalDist().inv_cdf(0.95)
    sd = z * errors["variance"] ** 0.5
    rows = [
        ["errors ÷ the standard deviation that the bounds claim, sd", f"{sd:.2f}"],
        ["share inside, 2Φ(1.645 ÷ sd) − 1", f"{2 * NormalDist().cdf(z / sd) - 1:.2f}"],
    ]
    return table(["figure", "value"], rows)


def write() -> None:
    found, errors = reported(VALIDATE), reported(ERRORS)
    manifest = json.loads(MANIFEST.read_text())
    manifest["accuracy"] = accuracy_of(found)
    MANIFEST.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
    biome = ROOT / "node_modules" / ".bin" / "biome"
    subprocess.run([biome, "format", "--write", MANIFEST], cwd=ROOT, check=True)
    tables = {
        "accuracy": accuracy_table(manifest["accuracy"]),
        "thirds": thirds_table(found),
        "validation": validation_table(manifest),
        "spatial": spatial_table(),
        "spread": spread_table(errors),
        "correlation": correlation_table(errors),
    }
    text = README.read_text()
    for name, content in tables.items():
        start, end = f"<!-- {name}: written by training/card.py -->\n", f"\n<!-- /{name} -->"
        before, after = text.split(start)
        text = before + start + content + end + after.split(end)[1]
    README.write_text(text)


if __name__ == "__main__":
    write()
