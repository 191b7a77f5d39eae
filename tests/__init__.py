"""The tests, and the folder of the checkout that they read."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
