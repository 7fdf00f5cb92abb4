"""freefall: the closed form without contact."""
