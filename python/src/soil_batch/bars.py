"""Progress bars, for notebooks or for the terminal."""

import warnings

with warnings.catch_warnings():
    # Without ipywidgets, a notebook shows the terminal's bar, so tqdm's warning is hidden: nothing is wrong.
    warnings.filterwarnings("ignore", message="IProgress not found")
    from tqdm.auto import tqdm

__all__ = ["FRACTION_FORMAT", "tqdm"]

#: The format of a bar from 0 to 1. It lacks tqdm's estimate of the time left, because the service's is better.
FRACTION_FORMAT = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}{postfix}"
