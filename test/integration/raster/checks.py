"""Runs the tests' scripts, so that one process imports GDAL and numpy once for all of them.

Reads a line {"script", "args", "input"} for each and answers with a line {"printed"} or {"error"}.
"""

import contextlib
import io
import json
import os
import runpy
import sys
import traceback
import warnings

FOLDER = os.path.dirname(__file__)


def printed_by(script, args, input):
    sys.argv = [script, *args]
    sys.stdin = io.StringIO(input)
    # A check may turn warnings into errors, but only for itself.
    with contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
        runpy.run_path(os.path.join(FOLDER, script), run_name="__main__")
    return printed.getvalue()


requests, answers = sys.stdin, sys.stdout
for line in requests:
    try:
        answer = {"printed": printed_by(**json.loads(line))}
    except Exception:
        answer = {"error": traceback.format_exc()}
    print(json.dumps(answer), file=answers, flush=True)
