"""Drake: its MultibodyPlant in discrete time."""
