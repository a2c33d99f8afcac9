"""Corrects the mean of a run's maps by samples that were measured in its fields."""
