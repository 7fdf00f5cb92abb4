"""Newton: MuJoCo Warp behind Newton's own model builder and solver interface, in 32 bit, on a CPU or a GPU."""
