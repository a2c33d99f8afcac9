"""Limits the concurrent invocations of each function; further invocations wait.

MiniStack runs each concurrent invocation in a separate process. Two hundred processes on a laptop's cores
would all exceed their function's timeout, whereas on AWS they would run in parallel. No function here invokes
itself, so waiting cannot deadlock. Remove this when MiniStack can queue invocations instead of rejecting them.
"""

import threading
from collections import defaultdict

from ministack.services import lambda_svc

MAX_CONCURRENCY = 8

semaphores: defaultdict = defaultdict(lambda: threading.Semaphore(MAX_CONCURRENCY))
lock = threading.Lock()


def limit_concurrency() -> None:
    execute = lambda_svc._execute_function_warm

    def execute_limited(func, *args, **kwargs):
        with lock:
            semaphore = semaphores[(func.get("config") or func)["FunctionName"]]
        with semaphore:
            return execute(func, *args, **kwargs)

    lambda_svc._execute_function_warm = execute_limited
