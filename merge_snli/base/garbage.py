"""Python's search for objects in cycles, in processes of our own."""

import atexit
import gc


def collect_rarely() -> None:
    """Let Python look for cycles less often in this process, and not when it ends.

    Libraries and shards are hundreds of thousands of small objects, and few are in any. The default takes a sixth of
    the time to import the libraries and to filter, and up to a second at the end.
    """
    gc.set_threshold(100_000, *gc.get_threshold()[1:])  # new objects per search, instead of 700
    atexit.register(gc.freeze)
