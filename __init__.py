"""simparity compares physics engines for robotics on the same work."""
