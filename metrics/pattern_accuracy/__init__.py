"""Pattern accuracy: how many groups of like problems a model gets right, not how many problems."""
