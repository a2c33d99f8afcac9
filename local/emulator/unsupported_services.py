"""Rejects requests to services that MiniStack does not have, without pausing all others.

MiniStack 1.5.33 reads the definitions of every AWS service when it meets the first such request, to learn
whether AWS has the service. It answers nothing else meanwhile, for about ten seconds, and functions time
out. Every signed request here is for a service of AWS. Remove this when MiniStack knows their names.
"""

from ministack.core import router


def trust_signed_names() -> None:
    if not callable(getattr(router, "_is_aws_service_name", None)):
        raise SystemExit(f"{__file__} does not support this version of MiniStack.")
    router._is_aws_service_name = lambda scope_name: True
