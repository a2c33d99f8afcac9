"""Progress bars, for notebooks or for the terminal."""

import warnings

with warnings.catch_warnings():
    # Without ipywidgets, a notebook shows the terminal's bar: the user need not act on tqdm's warning.
    warnings.filterwarnings("ignore", message="IProgress not found")
    from tqdm.auto import tqdm

__all__ = ["SHARE", "tqdm"]

#: The format of a bar from 0 to 1, without tqdm's time left: the service estimates it better.
SHARE = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}{postfix}"
