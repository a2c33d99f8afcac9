"""Takes all that an invocation logged for its own log, however busy the machine is.

MiniStack 1.5.33 reads a Node function's lines until none has come for 5 ms, or none at all for 50 ms. On
a busy machine a line comes later: it is then found in the next invocation's log, or nowhere. Here the
worker ends each invocation's lines with a mark, and is waited for until it comes. Can go when MiniStack
waits for the end of an invocation's output.
"""

import queue
import time

from ministack.core import lambda_runtime

MARK = "-- end of an invocation --"
LONGEST_SECONDS = 5

# By this the worker answers; the first answer, that it is ready, is to no invocation.
ANSWERS = "const _realStdoutWrite = process.stdout.write.bind(process.stdout);"
MARKS_AND_ANSWERS = """const _answer = process.stdout.write.bind(process.stdout);
const _realStdoutWrite = (text) => {
  if (!text.startsWith('{"status":"ready"')) _stderrWrite("%s\\n");
  return _answer(text);
};""" % MARK


def wait_for_logs() -> None:
    script = lambda_runtime._NODEJS_WORKER_SCRIPT
    if ANSWERS not in script:
        raise SystemExit(f"This MiniStack is not the one that {__file__} was written for.")
    lambda_runtime._NODEJS_WORKER_SCRIPT = script.replace(ANSWERS, MARKS_AND_ANSWERS)

    briefly = lambda_runtime.Worker._drain_stderr_bounded

    def to_the_mark(self, *args, **kwargs):
        if not self.config.get("Runtime", "").startswith("nodejs"):
            return briefly(self, *args, **kwargs)
        lines = []
        deadline = time.monotonic() + LONGEST_SECONDS
        while time.monotonic() < deadline:
            try:
                line = self._stderr_queue.get(timeout=0.02)
            except queue.Empty:
                # The process died, and all that it wrote was read.
                if not self._stderr_thread.is_alive() and self._stderr_queue.empty():
                    break
                continue
            before, marked, _ = line.partition(MARK)
            if before:
                lines.append(before)
            if marked:
                break
        return "\n".join(lines)

    lambda_runtime.Worker._drain_stderr_bounded = to_the_mark
