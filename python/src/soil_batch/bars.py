"""Progress bars: of a notebook in a notebook, else of the terminal."""

import warnings

with warnings.catch_warnings():
    # That a notebook without ipywidgets gets the terminal's bar is nothing to act on.
    warnings.filterwarnings("ignore", message="IProgress not found")
    from tqdm.auto import tqdm

__all__ = ["tqdm"]
