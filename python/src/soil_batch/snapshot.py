from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from .files_here import FilesHere
from .outcomes import read_outcomes
from .results.columns import ResultJob, list_result_jobs
from .run_state import Outcomes
from .schemas.batches import ModelDescription
from .stored import StoredRun
from .transfer import ResultFile
from .transport import Transport


@dataclass(frozen=True)
class RunSnapshot:
    stored: StoredRun
    outcomes: Outcomes
    here: FilesHere

    @property
    def is_finished(self) -> bool:
        """Whether all jobs have ended; only a retry can change them."""
        found = self.outcomes.jobs.values()
        return len(found) == len(self.stored.jobs) and all(one.job.is_final for one in found)

    @property
    def results(self) -> list[ResultFile]:
        """The rasters of the completed jobs whose results have not expired."""
        return [
            ResultFile(self.stored.jobs[index].file, one.batch_id, one.job, one.job.result)
            for index, one in sorted(self.outcomes.jobs.items())
            if one.job.result is not None and index not in self.outcomes.expired
        ]

    def is_here(self, file: ResultFile) -> bool:
        return self.here.has_result(file.job, file.name)

    def received_bytes(self, file: ResultFile) -> int:
        """Returns how many bytes of a raster, complete or not, the folder has."""
        return file.result.bytes if self.is_here(file) else self.here.size_of(file.part_name)

    def rows(self, models: Iterable[ModelDescription]) -> list[ResultJob]:
        names = {one.name for one in self.results if self.is_here(one)}
        return list_result_jobs(self.stored.jobs, self.outcomes, models, names)

    def after_download(self) -> RunSnapshot:
        return replace(self, here=FilesHere(self.stored.folder))


def read_snapshot(transport: Transport | None, stored: StoredRun) -> RunSnapshot:
    """:param transport: None to read only from the folder"""
    here = FilesHere(stored.folder)
    return RunSnapshot(stored, read_outcomes(transport, stored, here), here)
