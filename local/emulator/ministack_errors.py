"""Reports to Step Functions the name of an error that a Node function threw.

Lambda reports a thrown error's `name` as its errorType, which a state machine's Retry and Catch match.
MiniStack 1.5.33 reports "Runtime.HandlerError" for every error, so that no retrier which names a thrown error
would match. It does so even if the process ended, which Lambda reports as "Runtime.ExitError". Remove this
when MiniStack reports these names.
"""

import threading

from ministack.core import lambda_runtime
from ministack.services import lambda_svc

HANDLER_ERROR = "Runtime.HandlerError"

# MiniStack's messages for a process that ended during an invocation or while it started.
PROCESS_ENDED = ("Worker process died", "Worker process exited immediately")

# The Node worker's responses to a rejected promise and to a synchronous throw.
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
    script = lambda_runtime._NODEJS_WORKER_SCRIPT
    for old, new in REPLACEMENTS:
        if old not in script:
            raise SystemExit(f"{__file__} does not support this version of MiniStack.")
        script = script.replace(old, new)
    lambda_runtime._NODEJS_WORKER_SCRIPT = script

    invoke = lambda_runtime.Worker.invoke

    def invoke_and_keep_name(self, *args, **kwargs):
        result = invoke(self, *args, **kwargs)
        thrown.name = result.get("name")
        return result

    lambda_runtime.Worker.invoke = invoke_and_keep_name

    execute = lambda_svc._execute_function_warm

    def execute_with_name(*args, **kwargs):
        thrown.name = None
        response = execute(*args, **kwargs)
        body = response.get("body")
        if response.get("error") and thrown.name and body.get("errorType") == HANDLER_ERROR:
            body["errorType"] = thrown.name
        if response.get("error") and str(body.get("errorMessage")).startswith(PROCESS_ENDED):
            body["errorType"] = "Runtime.ExitError"
        return response

    lambda_svc._execute_function_warm = execute_with_name
