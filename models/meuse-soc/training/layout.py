"""The repository's formatter lays out JSON and Markdown its own way; written files are left as it
leaves them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import area

ROOT = area.PACK.parent.parent
# The clone's own: a formatter of another version would lay out the files differently, and `npx`
# would fetch whatever package has the name today.
BIOME = ROOT / "node_modules" / ".bin" / "biome"


def require_formatter() -> None:
    """Called before any work: minutes of it would be lost at the last line."""
    if not BIOME.exists():
        raise SystemExit(f"{BIOME} is missing: run `npm run setup` first")


def format_file(path: Path) -> None:
    subprocess.run([BIOME, "format", "--write", str(path)], cwd=ROOT, check=True)
