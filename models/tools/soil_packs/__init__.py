"""Makes a model pack from a trained model and its rasters. Install it in a clone: `pip install -e models/tools`."""

from .commands import PackError
from .grid import grid_of
from .pack import Pack

__all__ = ["Pack", "PackError", "grid_of"]
