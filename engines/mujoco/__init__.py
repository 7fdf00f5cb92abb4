"""MuJoCo: the C engine."""
