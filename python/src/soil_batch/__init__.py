"""Predicts soil maps and numbers for the fields in a GeoDataFrame or file."""

from .client import Client
from .errors import Expired, InvalidRequest, QuotaExceeded, SoilError, Throttled, Violation
from .estimate import Estimate
from .plan import Webhook
from .progress import Progress
from .retries import RetryPolicy
from .run import Run
from .run_state import Destination
from .webhooks import verify_webhook

__all__ = [
    "Client",
    "Destination",
    "Estimate",
    "Expired",
    "InvalidRequest",
    "Progress",
    "QuotaExceeded",
    "RetryPolicy",
    "Run",
    "SoilError",
    "Throttled",
    "Violation",
    "Webhook",
    "verify_webhook",
]
