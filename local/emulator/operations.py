"""Counts what AWS would charge for: requests, DynamoDB capacity, state transitions, invocations and GB-seconds.

`GET /_operations` returns an object with the count of each operation since the emulator started.
MiniStack calculates capacity units by DynamoDB's rules, but only if a request asks for them.
"""

import json
import threading
import time
from collections import Counter
from urllib.parse import unquote

from ministack import app as ministack_app
from ministack.services import dynamodb, lambda_svc, stepfunctions

PATH = "/_operations"

READS = ("_get_item", "_query", "_scan", "_batch_get_item", "_transact_get_items")
WRITES = ("_put_item", "_update_item", "_delete_item", "_batch_write_item", "_transact_write_items")
STATES = ("_execute_pass", "_execute_task", "_execute_choice", "_execute_map")

# S3 charges POST and COPY like PUT; deletions and aborted uploads are free.
S3_WRITES = {"PUT", "POST"}
S3_READS = {"GET", "HEAD"}

counts: Counter = Counter()
lock = threading.Lock()


def count(operation: str, amount: float = 1) -> None:
    with lock:
        counts[operation] += amount


def count_operations() -> None:
    for name in READS:
        replace(dynamodb, name, lambda fn: with_units(fn, "dynamodb.read_units"))
    for name in WRITES:
        replace(dynamodb, name, lambda fn: with_units(fn, "dynamodb.write_units"))
    for name in STATES:
        replace(stepfunctions, name, with_transition)
    replace(stepfunctions, "_run_distributed_map", with_children)
    replace(lambda_svc, "_execute_function_warm", with_invocation)
    replace(ministack_app, "app", with_requests)


def replace(module, name, wrap) -> None:
    setattr(module, name, wrap(getattr(module, name)))


def with_units(operation, counted):
    def counting(data):
        status, headers, body = operation({"ReturnConsumedCapacity": "TOTAL", **data})
        if status == 200:
            consumed = json.loads(body).get("ConsumedCapacity", [])
            for part in consumed if isinstance(consumed, list) else [consumed]:
                count(counted, part["CapacityUnits"])
        return status, headers, body

    return counting


def with_transition(execute):
    def counting(*args, **kwargs):
        count("states.transitions")
        return execute(*args, **kwargs)

    return counting


def with_children(run):
    """AWS charges a transition for each child that a distributed map starts, plus the child's states."""

    def counting(state, raw_input, effective, iterator, execution, ctx):
        items = stepfunctions._resolve_path_or_ctx(state["ItemsPath"], effective, ctx)
        count("states.transitions", len(items))
        return run(state, raw_input, effective, iterator, execution, ctx)

    return counting


def with_invocation(execute):
    def counting(func, *args, **kwargs):
        config = func.get("config") or func
        started = time.monotonic()
        try:
            return execute(func, *args, **kwargs)
        finally:
            name = config["FunctionName"]
            count(f"lambda.calls.{name}")
            count(f"lambda.gb_seconds.{name}", (time.monotonic() - started) * config["MemorySize"] / 1024)

    return counting


def with_requests(app):
    async def counting(scope, receive, send):
        if scope["type"] == "http":
            if scope["path"] == PATH:
                return await respond(send)
            operation = parse_operation(scope)
            if operation is not None:
                count(operation)
        await app(scope, receive, send)

    return counting


def parse_operation(scope):
    headers = dict(scope["headers"])
    target = headers.get(b"x-amz-target", b"").decode()
    if target:
        return f"requests.{target.split('_')[0].split('.')[0]}.{target.split('.')[-1]}"
    if scope["path"].startswith("/_aws/execute-api/"):
        return "requests.api"
    signed = headers.get(b"authorization", b"").decode() + unquote(scope["query_string"].decode())
    if "/s3/aws4_request" in signed:
        if scope["method"] in S3_WRITES:
            return "requests.s3.write"
        if scope["method"] in S3_READS:
            return "requests.s3.read"
    return None


async def respond(send) -> None:
    with lock:
        body = json.dumps(counts).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": body})
