"""Runs the project's commands for packs, which read covariates and predict as the service does."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]


class PackError(ValueError):
    """An error that the user can correct, for example in a pack or its samples.

    :param exit_code: the exit code of the command; 2 if the command line is invalid
    """

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def run_command(command: str, request: Any) -> Any:
    """Runs `bin/<command>.ts` with a JSON request and returns its JSON response."""
    node = shutil.which("node")
    if node is None:
        raise PackError(
            "Node.js is missing. It runs the service's code, which reads packs: install Node.js >= 20.12 from"
            " https://nodejs.org, then run `npm ci` in the clone"
        )
    if not (ROOT / "node_modules" / "tsx").exists():
        raise PackError(f"the npm packages of the clone are not installed: run `npm ci` in {ROOT}")
    process = subprocess.run(
        [node, "--import", "tsx", f"bin/{command}.ts"],
        cwd=ROOT,
        input=json.dumps(request),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if process.returncode != 0:
        message = process.stderr.strip().removeprefix(f"{command}: ")
        raise PackError(message, process.returncode)
    return json.loads(process.stdout)


def create_parser(command: str, help: str, codes: str) -> argparse.ArgumentParser:
    """Options that are passed on to `bin/<command>.ts` are validated there."""
    return argparse.ArgumentParser(
        f"npm run --silent {command} --",
        description=help,
        epilog=codes,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
