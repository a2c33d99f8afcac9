"""Kills functions at random moments.

Before each invocation, the fraction of invocations to kill is read from the file that CRASH_RATE_FILE names.
"""

import os
import random
import threading
import time

from ministack.core import lambda_runtime

# The longest delay before a kill. An invocation that ends earlier is not killed.
LATEST_SECONDS = 0.15

invoke = lambda_runtime.Worker.invoke


def crash_rate() -> float:
    with open(os.environ["CRASH_RATE_FILE"]) as file:
        return float(file.read())


def kill_later(worker, ended: threading.Event) -> None:
    time.sleep(random.uniform(0, LATEST_SECONDS))
    process = worker._proc
    if process is not None and process.poll() is None and not ended.is_set():
        process.kill()
        print(f"chaos: killed {worker.func_name}", flush=True)


def invoke_or_crash(self, *args, **kwargs):
    ended = threading.Event()
    if random.random() < crash_rate():
        threading.Thread(target=kill_later, args=(self, ended), daemon=True).start()
    try:
        return invoke(self, *args, **kwargs)
    finally:
        ended.set()


lambda_runtime.Worker.invoke = invoke_or_crash
