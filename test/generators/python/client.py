"""Calls a deployment with the client that openapi-python-client generated.

Usage: client.py <base URL> <API key>
"""

import json
import sys
import time
import urllib.request
from typing import TypeVar
from uuid import UUID

from soil_client import AuthenticatedClient
from soil_client.api.batches import create_batch, get_batch_status, get_job_status, list_batches
from soil_client.api.service import get_models
from soil_client.models import (
    BatchCreated,
    BatchList,
    BatchMetadata,
    BatchState,
    BatchStatus,
    CreateBatch,
    JobDetail,
    JobRequest,
    ModelList,
    MultiPolygon,
    Polygon,
    PolygonFeature,
    Problem,
)

Body = TypeVar("Body")

SQUARE = [[5.740, 50.970], [5.742, 50.970], [5.742, 50.971], [5.740, 50.971], [5.740, 50.970]]
ELSEWHERE = [[0.0, 0.0], [0.001, 0.0], [0.001, 0.001], [0.0, 0.001], [0.0, 0.0]]


def body_of(kind: type[Body], body: object) -> Body:
    if not isinstance(body, kind):
        raise TypeError(f"expected {kind.__name__}, got {body}")
    return body


def order() -> CreateBatch:
    square = Polygon(type_="Polygon", coordinates=[SQUARE])
    polygons: list[Polygon | MultiPolygon | PolygonFeature] = [
        square,
        MultiPolygon(type_="MultiPolygon", coordinates=[[SQUARE]]),
        PolygonFeature(type_="Feature", geometry=square, id="field-7"),
        Polygon(type_="Polygon", coordinates=[ELSEWHERE]),
    ]
    metadata = BatchMetadata.from_dict({"client": "openapi-python-client"})
    jobs = [JobRequest(polygon=polygon, year=2024) for polygon in polygons]
    return CreateBatch(
        jobs=jobs, metadata=metadata, name=None, webhook_url=None, webhook_secret=None
    )


def finished(client: AuthenticatedClient, batch_id: UUID) -> BatchStatus:
    while True:
        batch = body_of(BatchStatus, get_batch_status.sync(batch_id, client=client))
        if batch.status not in (BatchState.PENDING, BatchState.PROCESSING):
            return batch
        time.sleep(0.5)


def main(base_url: str, api_key: str) -> None:
    client = AuthenticatedClient(
        base_url=base_url, token=api_key, raise_on_unexpected_status=True, timeout=None
    )
    created = body_of(BatchCreated, create_batch.sync(client=client, body=order()))
    batch = finished(client, created.batch_id)
    first = batch.jobs[0]

    detail = body_of(JobDetail, get_job_status.sync(batch.batch_id, first.job_id, client=client))

    if first.signed_cog_url is None or batch.completed_at is None:
        raise RuntimeError("a completed job has a URL and a time")
    with urllib.request.urlopen(first.signed_cog_url) as result:
        start = result.read(2).decode()

    models = body_of(ModelList, get_models.sync(client=client)).models
    problem = create_batch.sync_detailed(client=client, body=CreateBatch(jobs=[]))
    if not isinstance(problem.parsed, Problem) or not problem.parsed.errors:
        raise RuntimeError("a batch without jobs is a problem")
    listed = body_of(BatchList, list_batches.sync(client=client, status=BatchState.PARTIAL))

    print(
        json.dumps(
            {
                "status": batch.status,
                "jobs": [
                    {"name": job.name, "status": job.status, "error_code": job.error_code}
                    for job in batch.jobs
                ],
                "data_period": first.data_period,
                "patch_batches": len(detail.patch_batches),
                "result_starts_as": start,
                "coverage": models[0].coverage.type_,
                "problem": [problem.status_code, problem.parsed.errors[0].pointer],
                "listed": any(other.batch_id == batch.batch_id for other in listed.batches),
                "finished_after_creation": batch.completed_at > batch.created_at,
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
