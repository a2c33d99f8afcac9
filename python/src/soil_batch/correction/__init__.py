"""Corrects the mean of a run's maps with samples from its fields."""
