"""Progress bars: of a notebook in a notebook, else of the terminal."""

import warnings

with warnings.catch_warnings():
    # A notebook without ipywidgets gets the terminal's bar, which is nothing to act on.
    warnings.filterwarnings("ignore", message="IProgress not found")
    from tqdm.auto import tqdm

__all__ = ["SHARE", "tqdm"]

#: The format of a bar of shares, whose time left the service knows better than the bar.
SHARE = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}{postfix}"
