"""Lets functions die at random, wherever they stand.

The share of calls that end so stands in the file that DEATHS_FILE names, and can be changed at any time.
"""

import os
import random
import threading
import time

from ministack.core import lambda_runtime

# About as long as a call takes here: one that is over before its death lives on.
LATEST_SECONDS = 0.15

invoke = lambda_runtime.Worker.invoke


def share() -> float:
    with open(os.environ["DEATHS_FILE"]) as file:
        return float(file.read())


def kill_later(worker, over: threading.Event) -> None:
    time.sleep(random.uniform(0, LATEST_SECONDS))
    process = worker._proc
    if process is not None and process.poll() is None and not over.is_set():
        process.kill()
        print(f"chaos: killed {worker.func_name}", flush=True)


def invoke_or_die(self, *args, **kwargs):
    over = threading.Event()
    if random.random() < share():
        threading.Thread(target=kill_later, args=(self, over), daemon=True).start()
    try:
        return invoke(self, *args, **kwargs)
    finally:
        over.set()


lambda_runtime.Worker.invoke = invoke_or_die
