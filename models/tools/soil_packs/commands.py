"""The project's own commands for packs: they read covariates and predict as the service does."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]


class PackError(ValueError):
    """What is wrong with a pack, and the way out.

    :param exit_code: the exit code of a command that ends with it; 2 if the command line is invalid
    """

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def run(command: str, request: Any) -> Any:
    """What `bin/<command>.ts` answers, both as JSON. npm would take longer to start it."""
    node = shutil.which("node")
    if node is None:
        raise PackError(
            "Node is missing, which reads packs as the service does: install Node >= 20.12 from"
            " https://nodejs.org, then run `npm ci` in the clone"
        )
    if not (ROOT / "node_modules" / "tsx").exists():
        raise PackError(f"the packages of the clone are missing: run `npm ci` in {ROOT}")
    process = subprocess.run(
        [node, "--import", "tsx", f"bin/{command}.ts"],
        cwd=ROOT,
        input=json.dumps(request),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if process.returncode != 0:
        said = process.stderr.strip().removeprefix(f"{command}: ")
        raise PackError(said, process.returncode)
    return json.loads(process.stdout)


def parser(command: str, help: str, codes: str) -> argparse.ArgumentParser:
    """The command line of `npm run <command>`. The commands that it runs validate the options that they share."""
    return argparse.ArgumentParser(
        f"npm run --silent {command} --",
        description=help,
        epilog=codes,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
