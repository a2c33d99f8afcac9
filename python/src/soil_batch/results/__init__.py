"""Tables and other files of a run, except its rasters."""
