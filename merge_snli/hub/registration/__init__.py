"""Register a data set and the metric in the libraries' caches, so that they load by bare name from any folder.

From outside, import the names listed in `__all__`, and the texts of `registered` that the command prints.
"""

from merge_snli.hub.registration.caches import Caches, find_caches
from merge_snli.hub.registration.prepare import METRIC_NAME, NAME
from merge_snli.hub.registration.register import register, registered, undo
from merge_snli.hub.registration.registered import Registration

__all__ = ["METRIC_NAME", "NAME", "Caches", "Registration", "find_caches", "register", "registered", "undo"]
