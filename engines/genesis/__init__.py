"""Adapter of Genesis."""
