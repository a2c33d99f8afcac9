"""Checks whether the files of a run are unchanged since they were downloaded or written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..files_here import FilesHere
from ..folder import Folder, sha256_of


@dataclass(frozen=True)
class CheckedFile:
    file: str
    #: SHA-256 of the file when it was downloaded or written; None if it was not recorded.
    recorded: str | None
    #: SHA-256 of the file now; None if it is missing.
    found: str | None

    @property
    def state(self) -> str:
        if self.found is None:
            return "missing"
        if self.recorded is None:
            return "not recorded"
        return "unchanged" if self.found == self.recorded else "changed"


def check_file(folder: Folder, here: FilesHere, name: str) -> CheckedFile | None:
    """Checks a file; None if it is neither recorded nor in the folder."""
    path, recorded = folder.path / name, here.record_of(name)
    found = sha256_of(path) if path.is_file() and not path.is_symlink() else None
    digest = None if recorded is None else recorded.sha256
    return None if found is None and digest is None else CheckedFile(name, digest, found)


def describe_faults(files: Sequence[CheckedFile]) -> list[str]:
    """Returns a sentence for each kind of fault."""
    kinds = {
        "changed": "Changed since the download",
        "missing": "Missing",
        "not recorded": "Without a recorded digest of the download",
    }
    named = {
        what: [one.file for one in files if one.state == state] for state, what in kinds.items()
    }
    return [f"{what}: {', '.join(names)}." for what, names in named.items() if names]
