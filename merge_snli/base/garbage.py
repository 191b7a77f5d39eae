"""Python's search for objects in cycles, in processes of our own."""

import atexit
import gc

# Number of new objects after which Python looks for cycles to free, instead of 700.
OBJECTS_PER_COLLECTION = 100_000


def collect_rarely() -> None:
    """Let Python look for cycles less often in this process, and not when it ends.

    Libraries and shards are hundreds of thousands of small objects, and few are in any. The default takes a sixth of
    the time to import the libraries and to filter, and up to a second at the end.
    """
    gc.set_threshold(OBJECTS_PER_COLLECTION, *gc.get_threshold()[1:])
    atexit.register(gc.freeze)
