"""Throttles functions like Lambda, so that tests can exhaust an account's concurrency.

On AWS, a function's published versions share its reserved concurrency, but MiniStack 1.5.33 does not apply it
to them. It also reports a throttled invocation to Step Functions as "Lambda.Unknown", so that the retrier for
throttles never matches. Remove this when MiniStack does both like AWS.
"""

from ministack.services import lambda_svc


def throttle_as_lambda() -> None:
    own = lambda_svc._reserved_concurrency
    response = lambda_svc._throttle_response

    def read_shared_concurrency(func, config):
        reserved = own(func, config)
        if reserved is not None:
            return reserved
        return (lambda_svc._functions.get(config.get("FunctionName")) or {}).get("concurrency")

    def respond_with_name(*args, **kwargs):
        throttled = response(*args, **kwargs)
        throttled["body"]["errorType"] = "Lambda.TooManyRequestsException"
        return throttled

    lambda_svc._reserved_concurrency = read_shared_concurrency
    lambda_svc._throttle_response = respond_with_name
