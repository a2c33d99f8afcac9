import warnings

with warnings.catch_warnings():
    # In a notebook without ipywidgets, tqdm shows the terminal's bar and warns needlessly.
    warnings.filterwarnings("ignore", message="IProgress not found")
    from tqdm.auto import tqdm

__all__ = ["FRACTION_FORMAT", "tqdm"]

#: The format of a bar from 0 to 1. It lacks tqdm's estimate of the time left, because the service's is better.
FRACTION_FORMAT = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}{postfix}"
