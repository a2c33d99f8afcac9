"""The files beside the rasters of a run."""
