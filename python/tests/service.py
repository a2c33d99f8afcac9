"""Runs the service of `npm run dev` on a free port."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class DevService:
    url: str
    api_key: str
    process: subprocess.Popen

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


def start_dev_service(root: Path) -> DevService:
    command = ["node", "--import", "tsx", "local/dev.ts", "--port", "0", "--json"]
    process = subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    started = json.loads(process.stdout.readline())
    return DevService(started["url"], started["api_key"], process)
