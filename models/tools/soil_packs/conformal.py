"""Computes the margin of conformalised quantile regression (Romano, Patterson & Candès 2019, NeurIPS 32, 3543-3553).

    from soil_packs.conformal import margin
    print(margin(y, lower, upper))

`y`, `lower` and `upper` are the measured values and both quantiles of samples that trained neither model. Subtract the
margin from the lower quantile and add it to the upper quantile, for example with `--shift` of soil_packs.merge_targets.
"""

import numpy as np


def margin(y, lower, upper, coverage=0.9):
    """Computes by how much each side of the interval must be widened to contain the share `coverage` of new values."""
    y, lower, upper = (np.asarray(values, np.float64) for values in (y, lower, upper))
    scores = np.sort(np.maximum(lower - y, y - upper))
    rank = int(np.ceil(coverage * (len(scores) + 1)))
    if rank > len(scores):
        raise ValueError(f"{len(scores)} samples are too few for a coverage of {coverage}")
    return float(scores[rank - 1])
