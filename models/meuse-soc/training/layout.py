"""The repository's formatter lays out JSON and Markdown its own way; written files are left as it
leaves them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import area


def format_file(path: Path) -> None:
    root = area.PACK.parent.parent
    subprocess.run(["npx", "biome", "format", "--write", str(path)], cwd=root, check=True)
