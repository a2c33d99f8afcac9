"""Conformalised quantile regression (Romano, Patterson & Candès 2019, NeurIPS 32, 3543-3553).

    from soil_packs.conformal import margin
    print(margin(y, lower, upper))

`y`, `lower`, `upper` are of samples that trained neither model: measured values and both quantiles.
Subtract the margin from the lower quantile and add it to the upper, such as by the `--shift` of a converter.
"""

import numpy as np


def margin(y, lower, upper, coverage=0.9):
    """How much wider, on each side, the interval must be to contain this share of new values."""
    y, lower, upper = (np.asarray(values, np.float64) for values in (y, lower, upper))
    scores = np.sort(np.maximum(lower - y, y - upper))
    rank = int(np.ceil(coverage * (len(scores) + 1)))
    if rank > len(scores):
        raise ValueError(f"{len(scores)} samples are too few for a coverage of {coverage}")
    return float(scores[rank - 1])
