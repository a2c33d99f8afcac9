"""Leaves a function's HTTPS requests to other servers on this machine, such as a map mirror, unchanged.

MiniStack 1.5.33 turns every HTTPS request to this machine into plain HTTP, because it expects requests to its
own gateway. Remove this when it does so only for the gateway's port.
"""

from ministack.core import lambda_runtime

BEFORE = "    const advertised ="
ELSEWHERE = """    if (options.port && !["443", String(msPort)].includes(String(options.port))) {
      return origHttpsReq.apply(https, original);
    }
"""


def keep_https() -> None:
    script = lambda_runtime._NODEJS_WORKER_SCRIPT
    if BEFORE not in script:
        raise RuntimeError("the worker of MiniStack has changed: see own_https.py")
    lambda_runtime._NODEJS_WORKER_SCRIPT = script.replace(BEFORE, ELSEWHERE + BEFORE)
