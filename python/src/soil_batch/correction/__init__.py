"""Draws places to sample in a run's fields, and corrects the mean of its maps or measures a change with the samples."""
