"""Lets Step Functions see the name of the error that a Node function threw.

Lambda reports a thrown error's `name` as its errorType, which is what Retry and Catch of a state machine
match. MiniStack 1.5.33 reports "Runtime.HandlerError" whatever was thrown, so that no retrier of ours
would ever match; and so it does when the process died, which Lambda calls "Runtime.ExitError". Can go when
MiniStack reports these names itself.
"""

import threading

from ministack.core import lambda_runtime
from ministack.services import lambda_svc

LOST = "Runtime.HandlerError"

# What MiniStack says of a process that ended while it ran or while it started.
DIED = ("Worker process died", "Worker process exited immediately")

# What the Node worker writes for a rejected promise and for a synchronous throw.
REPLACEMENTS = (
    (
        'error: String(err.message || err), trace: err.stack || ""',
        'error: String(err.message || err), name: err.name, trace: err.stack || ""',
    ),
    (
        "error: e.message, trace: e.stack",
        "error: e.message, name: e.name, trace: e.stack",
    ),
)

thrown = threading.local()


def keep_names() -> None:
    """Patches the worker's script and the place that turns its answer into Lambda's."""
    script = lambda_runtime._NODEJS_WORKER_SCRIPT
    for old, new in REPLACEMENTS:
        if old not in script:
            raise SystemExit(f"This MiniStack is not the one that {__file__} was written for.")
        script = script.replace(old, new)
    lambda_runtime._NODEJS_WORKER_SCRIPT = script

    invoke = lambda_runtime.Worker.invoke

    def invoke_and_remember(self, *args, **kwargs):
        result = invoke(self, *args, **kwargs)
        thrown.name = result.get("name")
        return result

    lambda_runtime.Worker.invoke = invoke_and_remember

    execute = lambda_svc._execute_function_warm

    def execute_with_name(*args, **kwargs):
        thrown.name = None
        answer = execute(*args, **kwargs)
        body = answer.get("body")
        if answer.get("error") and thrown.name and body.get("errorType") == LOST:
            body["errorType"] = thrown.name
        if answer.get("error") and str(body.get("errorMessage")).startswith(DIED):
            body["errorType"] = "Runtime.ExitError"
        return answer

    lambda_svc._execute_function_warm = execute_with_name
