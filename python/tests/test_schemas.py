from __future__ import annotations

import dataclasses
import types
import typing
from typing import Any

import pytest

from soil_batch.decode import decode, list_dataclass_fields
from soil_batch.schemas import batches, estimates, jobs, limits, models, totals

NAMES = {
    "BatchCompleted": batches.BatchCompleted,
    "BatchCreated": batches.BatchCreated,
    "BatchList": batches.BatchList,
    "BatchRetried": batches.BatchRetried,
    "BatchStatus": batches.BatchStatus,
    "BatchTotal": totals.BatchTotal,
    "Estimate": estimates.BatchEstimate,
    "Job": jobs.Job,
    "Limits": limits.Limits,
    "ModelList": models.ModelList,
    "Usage": limits.Usage,
    "WebhookJob": jobs.WebhookJob,
}


@pytest.mark.parametrize("name", NAMES)
def test_a_dataclass_has_the_fields_of_its_schema(openapi: dict, name: str):
    assert (
        list(list_differences(openapi, NAMES[name], openapi["components"]["schemas"][name])) == []
    )


def list_differences(document: dict, hint: Any, schema: dict, path: str = ""):
    schema, nullable = resolve_schema(document, schema)
    arguments = typing.get_args(hint)
    if isinstance(hint, types.UnionType):
        (expected,) = (one for one in arguments if one is not types.NoneType)
        if not nullable:
            yield f"{path} is never null"
        yield from list_differences(document, expected, schema, path)
    elif nullable:
        yield f"{path} may be null"
    elif dataclasses.is_dataclass(hint):
        yield from list_member_differences(document, hint, schema, path)
    elif typing.get_origin(hint) is tuple:
        items = [
            *schema.get("prefixItems", []),
            *([schema["items"]] if schema.get("items") else []),
        ]
        for item in items:
            yield from list_differences(document, arguments[0], item, f"{path}/*")
        if schema.get("type") != "array":
            yield f"{path} is not an array"
    else:
        kinds = {str: "string", int: "integer", float: "number", bool: "boolean"}
        expected = kinds.get(hint, "object")
        if schema.get("type", "object") != expected:
            yield f"{path} is {schema.get('type')}, not {expected}"


def list_member_differences(document: dict, cls: Any, schema: dict, path: str):
    members = schema.get("properties", {})
    known = {name: (hint, required) for name, hint, required in list_dataclass_fields(cls)}
    for name in sorted(set(members) ^ set(known)):
        yield f"{path}/{name} is only in {'the document' if name in members else 'the class'}"
    for name in sorted(set(members) & set(known)):
        hint, required = known[name]
        if required != (name in schema["required"]):
            yield f"{path}/{name} is {'sometimes absent' if required else 'always sent'}"
        if not required:
            # Fields that may be absent have the default None.
            (hint,) = (one for one in typing.get_args(hint) if one is not types.NoneType)
            member, _ = resolve_schema(document, members[name])
            yield from list_differences(document, hint, member, f"{path}/{name}")
        else:
            yield from list_differences(document, hint, members[name], f"{path}/{name}")


def resolve_schema(document: dict, schema: dict) -> tuple[dict, bool]:
    if "$ref" in schema:
        return resolve_schema(
            document, document["components"]["schemas"][schema["$ref"].split("/")[-1]]
        )
    if "anyOf" in schema:
        others = [one for one in schema["anyOf"] if one.get("type") != "null"]
        some, nullable = resolve_schema(document, others[0])
        return some, nullable or len(others) < len(schema["anyOf"])
    if isinstance(schema.get("type"), list):
        (kind,) = (one for one in schema["type"] if one != "null")
        return {**schema, "type": kind}, True
    return schema, False


def test_members_that_a_newer_service_adds_are_ignored():
    size = {"default": 100, "max": 100, "newer": [1]}
    assert decode(limits.PageSize, size) == limits.PageSize(100, 100)


@pytest.mark.parametrize(
    "size",
    [{"default": 1}, {"default": "1", "max": 2}, {"default": True, "max": 2}, [], None, 1.5],
)
def test_missing_members_and_values_of_a_wrong_type_are_rejected(size: object):
    with pytest.raises(ValueError, match="is"):
        decode(limits.PageSize, size)


def test_the_repr_of_a_job_hides_its_signed_url():
    hidden = {field.name for field in dataclasses.fields(jobs.Job) if not field.repr}
    assert hidden == {"signed_cog_url"}
