"""The Hub and the caches of its libraries: publish and register a data set."""
