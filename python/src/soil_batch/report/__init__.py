"""A run on one page for screen and A4, without anything from outside it."""
