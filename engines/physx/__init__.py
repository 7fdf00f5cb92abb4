"""PhysX 5 on the CPU, through SAPIEN."""
