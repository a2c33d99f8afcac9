"""The repository's own formatter of generated JSON."""

from __future__ import annotations

import subprocess
from pathlib import Path

import area

ROOT = area.PACK.parent.parent
# The version in this clone: another one would format differently, and `npx` would download the latest.
BIOME = ROOT / "node_modules" / ".bin" / "biome"


def require_formatter() -> None:
    """Call before any work, so that a missing formatter does not waste minutes."""
    if not BIOME.exists():
        raise SystemExit(f"{BIOME} is missing: run `npm ci` first")


def format_file(path: Path) -> None:
    subprocess.run([BIOME, "format", "--write", str(path)], cwd=ROOT, check=True)
