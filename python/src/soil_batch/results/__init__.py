"""The files of a run other than its rasters."""
