"""The project's own commands for packs: they read covariates and predict as the service does."""

from __future__ import annotations

import shutil
import subprocess
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


class PackError(ValueError):
    """What is wrong with a pack, and the way out."""


def run(command: str, *arguments: object) -> tuple[str, str]:
    """Output and warnings of `npm run <command>`, without the time that npm takes to start."""
    node = shutil.which("node")
    if node is None:
        raise PackError(
            "Node is missing, which reads packs as the service does: install Node >= 20.12 from"
            " https://nodejs.org, then run `npm ci` in the clone"
        )
    if not (ROOT / "node_modules" / "tsx").exists():
        raise PackError(f"the packages of the clone are missing: run `npm ci` in {ROOT}")
    process = subprocess.run(
        [node, "--import", "tsx", f"bin/{command}.ts", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if process.returncode != 0:
        said = process.stderr.strip() or process.stdout.strip()
        raise PackError(said)
    return process.stdout, process.stderr


def end(command: str, main: Callable[[], None]) -> None:
    """Runs a command; what its user can put right becomes one line and exit code 1."""
    try:
        main()
    except (PackError, OSError) as error:
        sys.exit(f"{command}: {error}")


def year(text: str) -> str:
    if len(text) == 4 and text.isdecimal():
        return text
    raise ArgumentTypeError(f"must be a year such as 2020; got {text}")
