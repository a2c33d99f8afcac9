"""Hooks that adapt schemathesis to this API."""

import itertools
import json
from urllib.parse import parse_qsl, urlsplit

import jsonschema_rs
import schemathesis
from schemathesis import GenerationMode
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.core.parameters import ParameterLocation

MAX_JOBS = 2
"""The maximum number of jobs of an accepted batch, all of which run."""

REAL_POLYGONS = 4
"""The number of batches that produce a raster. The jobs of all other batches fail because of their polygons."""

PROPERTIES_BYTES = 1_500
"""Below the limit for a job's properties, which is in bytes and therefore not expressible in a schema."""

PROBLEM_FIELDS = {"type", "title", "status", "detail", "request_id"}

# About 1.6 ha of the Meuse flood plain, where the default model has data.
SQUARE = {
    "type": "Polygon",
    "coordinates": [
        [[5.740, 50.970], [5.742, 50.970], [5.742, 50.971], [5.740, 50.971], [5.740, 50.970]]
    ],
}

created = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Keeps valid creations small, and prevents webhooks from reaching the network."""
    if not isinstance(case.body, dict) or not is_valid(case):
        return
    body = dict(case.body)
    if "webhook_url" in body:
        # This name never resolves (RFC 6761, section 6.4).
        body["webhook_url"] = "https://receiver.invalid/soil"
    # No role exists that the service may assume, which a schema cannot express.
    body.pop("destination", None)
    # Two different secrets are rejected, which a schema cannot express either.
    if "Webhook-Secret" in (case.headers or {}):
        body.pop("webhook_secret", None)
    if isinstance(body.get("jobs"), list):
        body["jobs"] = [within_bytes(job) for job in body["jobs"]]
        if case.operation.label == "POST /v1/batch":
            body["jobs"] = small(body["jobs"])
    case.body = body


def within_bytes(job):
    if not isinstance(job, dict) or len(json.dumps(job.get("properties"))) <= PROPERTIES_BYTES:
        return job
    return {name: value for name, value in job.items() if name != "properties"}


def small(jobs):
    jobs = jobs[:MAX_JOBS]
    if next(created) < REAL_POLYGONS:
        jobs = [{**jobs[0], "polygon": SQUARE, "year": 2024}, *jobs[1:]]
        jobs[0].pop("model", None)
    return jobs


def is_valid(case):
    meta = case.meta
    return meta is None or meta.generation.mode == GenerationMode.POSITIVE


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Accepts two cases that no schema can express.

    A geometry that the document forbids fails its job rather than the request, and an empty query parameter counts as
    absent.
    """
    if not isinstance(failure, AcceptedNegativeData):
        return True
    query = parse_qsl(urlsplit(response.request.url).query, keep_blank_values=True)
    return not (only_geometry_is_wrong(case) or "" in dict(query).values())


def only_geometry_is_wrong(case):
    jobs = case.body.get("jobs") if isinstance(case.body, dict) else None
    if not isinstance(jobs, list):
        return False
    rest = [
        info.mode
        for location, info in case.meta.components.items()
        if location != ParameterLocation.BODY
    ]
    repaired = {**case.body, "jobs": [with_square(job) for job in jobs]}
    schema = {
        "$ref": "#/components/schemas/CreateBatch",
        "components": case.operation.schema.raw_schema["components"],
    }
    return GenerationMode.NEGATIVE not in rest and jsonschema_rs.is_valid(schema, repaired)


def with_square(job):
    if isinstance(job, dict) and "polygon" in job:
        return {**job, "polygon": SQUARE}
    return job


@schemathesis.check
def errors_are_problems(ctx, response, case):
    """Checks that every error is a problem (RFC 9457), documented or not."""
    if response.status_code < 400 or case.method.upper() == "HEAD":
        return
    [media_type] = response.headers.get("content-type", [""])
    assert media_type.split(";")[0] == "application/problem+json", f"came as {media_type!r}"
    problem = response.json()
    assert problem.keys() >= PROBLEM_FIELDS, f"lacks {PROBLEM_FIELDS - problem.keys()}"
    assert problem["status"] == response.status_code
