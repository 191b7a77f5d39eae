"""Check that a user's own module does not shadow a package of this project."""

from importlib.util import find_spec
from pathlib import Path

from merge_snli.base.errors import InputError

# The top-level packages installed beside `merge_snli`; their names are common enough to be used twice.
PACKAGES = ("generation", "metrics")


def check_not_shadowed(*packages: str) -> None:
    """Check that each package would be imported from this installation, without importing it.

    Args:
        packages: Names among `PACKAGES`.
    """
    installation = Path(__file__).resolve().parents[2]
    for name in packages:
        spec = find_spec(name)
        if spec is None:
            raise InputError(f"the package {name!r} is missing from {installation}: reinstall merge-snli")
        origin = Path(spec.origin or next(iter(spec.submodule_search_locations or ()))).resolve()
        if origin != installation / name / "__init__.py":
            raise InputError(
                f"{origin} shadows the package {name!r} of merge-snli: rename it, or run from another folder"
            )
