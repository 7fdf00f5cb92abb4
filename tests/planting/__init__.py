"""Defects planted in a live model through another interface than the one that the checklist reads."""
