"""Progress bars, for notebooks or for the terminal."""

import warnings

with warnings.catch_warnings():
    # Without ipywidgets, a notebook shows the terminal's bar, so tqdm's warning is hidden: nothing is wrong.
    warnings.filterwarnings("ignore", message="IProgress not found")
    from tqdm.auto import tqdm

__all__ = ["SHARE", "tqdm"]

#: The format of a bar from 0 to 1, without tqdm's estimate of the time left: the service's is better.
SHARE = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}{postfix}"
