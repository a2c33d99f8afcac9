"""Runs MiniStack until standard input closes.

MiniStack starts a process per Lambda function and outlives whoever started it. Here it is the leader
of a process group, and the group ends with the pipe to its starter: no emulator and none of its files
are left behind, even when the starter is killed.
"""

import os
import runpy
import shutil
import signal
import sys
import threading


def end_with_standard_input() -> None:
    while os.read(0, 1024):
        pass
    group = os.getpgrp()
    # A process outside the group ends it, and cleans up when nothing writes any more.
    if os.fork() == 0:
        os.setsid()
        os.killpg(group, signal.SIGKILL)
        shutil.rmtree(os.environ["TMPDIR"], ignore_errors=True)
        os._exit(0)


threading.Thread(target=end_with_standard_input, daemon=True).start()
# Scripts of whoever starts it, such as one that breaks what a test wants broken.
extensions = sys.argv[1:]
sys.argv = ["ministack"]

# The watch must stand before these slow imports.
from ministack.app import main  # noqa: E402

import few_at_a_time  # noqa: E402
import ministack_errors  # noqa: E402
import operations  # noqa: E402
import throttles  # noqa: E402
import whole_logs  # noqa: E402

ministack_errors.keep_names()
operations.count_operations()
few_at_a_time.queue_invocations()
throttles.throttle_as_lambda()
whole_logs.wait_for_logs()
for extension in extensions:
    runpy.run_path(extension)
main()
