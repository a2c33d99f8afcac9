"""Limits the concurrent invocations of each function; the others wait.

MiniStack runs each concurrent invocation in its own process. Two hundred on a laptop's cores all exceed
their function's timeout; on AWS they would run side by side. No function here invokes itself, so
waiting cannot deadlock. Remove this when MiniStack can queue invocations instead of rejecting them.
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
