"""Throttles functions as Lambda does, so that a full account can be tried.

MiniStack 1.5.33 lets a published version run past the concurrency reserved for its function, which on
AWS all versions share, and tells Step Functions "Lambda.Unknown" of a throttled call, so that the
retrier for throttles never matches. Can go when it does both as AWS does.
"""

from ministack.services import lambda_svc


def throttle_as_lambda() -> None:
    own = lambda_svc._reserved_concurrency
    response = lambda_svc._throttle_response

    def shared(func, config):
        reserved = own(func, config)
        if reserved is not None:
            return reserved
        return (lambda_svc._functions.get(config.get("FunctionName")) or {}).get("concurrency")

    def named(*args, **kwargs):
        throttled = response(*args, **kwargs)
        throttled["body"]["errorType"] = "Lambda.TooManyRequestsException"
        return throttled

    lambda_svc._reserved_concurrency = shared
    lambda_svc._throttle_response = named
