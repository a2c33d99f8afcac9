"""Runs MiniStack until standard input closes.

MiniStack starts a process per Lambda function and does not end with the process that started it. `ministack.ts`
starts this script as the leader of a process group. The script kills the group when standard input closes, so
that neither processes nor files remain, even if the parent process is killed.
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
    # A process outside the group kills the group, then removes its files.
    if os.fork() == 0:
        os.setsid()
        os.killpg(group, signal.SIGKILL)
        shutil.rmtree(os.environ["TMPDIR"], ignore_errors=True)
        os._exit(0)


threading.Thread(target=end_with_standard_input, daemon=True).start()
# Scripts from the caller, such as fault injection for a test.
extensions = sys.argv[1:]
sys.argv = ["ministack"]

# The thread must be running before these slow imports.
from ministack.app import main  # noqa: E402

import complete_logs  # noqa: E402
import compression  # noqa: E402
import limit_concurrency  # noqa: E402
import ministack_errors  # noqa: E402
import operations  # noqa: E402
import own_https  # noqa: E402
import throttles  # noqa: E402

ministack_errors.keep_names()
operations.count_operations()
limit_concurrency.limit_concurrency()
throttles.throttle_as_lambda()
complete_logs.wait_for_logs()
compression.compress_responses()
own_https.keep_https()
for extension in extensions:
    runpy.run_path(extension)
main()
