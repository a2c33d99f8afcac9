"""Lets a few invocations of a function run at a time; the others wait for one of its processes.

MiniStack runs every invocation at a time in a process of its own. Two hundred that start together on a
laptop's cores all run out of their function's time; on AWS they would start side by side. No function
here calls another of its own kind, so none waits for itself. Can go when MiniStack bounds the processes
of a function by queueing, not by turning calls away.
"""

import threading
from collections import defaultdict

from ministack.services import lambda_svc

AT_A_TIME = 8

turns: defaultdict = defaultdict(lambda: threading.Semaphore(AT_A_TIME))
lock = threading.Lock()


def queue_invocations() -> None:
    execute = lambda_svc._execute_function_warm

    def in_turn(func, *args, **kwargs):
        with lock:
            turn = turns[(func.get("config") or func)["FunctionName"]]
        with turn:
            return execute(func, *args, **kwargs)

    lambda_svc._execute_function_warm = in_turn
