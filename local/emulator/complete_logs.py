"""Reads the complete log of every invocation, even on a busy machine.

MiniStack 1.5.33 stops reading a Node function's output if no line arrives for 5 ms, or if no line arrives in
the first 50 ms. On a busy machine lines arrive later, and then appear in the log of the next invocation or are
lost. With this patch the worker ends the output of each invocation with a marker, and MiniStack waits for it.
Remove this when MiniStack waits for the end of an invocation's output.
"""

import queue
import time

from ministack.core import lambda_runtime

MARKER = "-- end of invocation --"
TIMEOUT_SECONDS = 5

# The worker writes its responses with this function. The first response, "ready", does not belong to an invocation.
RESPOND = "const _realStdoutWrite = process.stdout.write.bind(process.stdout);"
MARK_AND_RESPOND = """const _respond = process.stdout.write.bind(process.stdout);
const _realStdoutWrite = (text) => {
  if (!text.startsWith('{"status":"ready"')) _stderrWrite("%s\\n");
  return _respond(text);
};""" % MARKER


def wait_for_logs() -> None:
    script = lambda_runtime._NODEJS_WORKER_SCRIPT
    if RESPOND not in script:
        raise SystemExit(f"{__file__} does not support this version of MiniStack.")
    lambda_runtime._NODEJS_WORKER_SCRIPT = script.replace(RESPOND, MARK_AND_RESPOND)

    drain = lambda_runtime.Worker._drain_stderr_bounded

    def drain_to_marker(self, *args, **kwargs):
        if not self.config.get("Runtime", "").startswith("nodejs"):
            return drain(self, *args, **kwargs)
        lines = []
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            try:
                line = self._stderr_queue.get(timeout=0.02)
            except queue.Empty:
                # The process has ended, and all its output has been read.
                if not self._stderr_thread.is_alive() and self._stderr_queue.empty():
                    break
                continue
            before, marker, _ = line.partition(MARKER)
            if before:
                lines.append(before)
            if marker:
                break
        return "\n".join(lines)

    lambda_runtime.Worker._drain_stderr_bounded = drain_to_marker
