"""Extrapolation of the times of a few problems to those of a run."""

from __future__ import annotations

from collections import Counter

import pytest

from generation.dry_run import COPIES, extrapolate
from generation.replacements.finding import CLASS_FORMS

NOUNS, VERBS = ("noun", "premise"), ("verb", "premise")
FORMS = Counter({NOUNS: 16, VERBS: 4})
SECONDS = {"setup": 1.0, "filters": 2.0, "standalone": 5.0, "writing": 0.5, "copies": 1.2}


def test_the_trial_itself_takes_the_time_of_its_steps() -> None:
    assert extrapolate(SECONDS, FORMS, FORMS, 1) == pytest.approx((1.0 + 2.0 + 5.0, 0.5))


def test_filters_grow_with_the_forms_and_setup_does_not() -> None:
    ten_times = Counter({NOUNS: 160, VERBS: 40})
    alone = 5.0 * (CLASS_FORMS + CLASS_FORMS) / 20
    one_sample, ten_samples = (extrapolate(SECONDS, FORMS, ten_times, samples)[0] for samples in (1, 10))
    assert one_sample == pytest.approx(1.0 + 10 * 2.0 + alone)
    assert ten_samples == pytest.approx(1.0 + 10 * 2.0 + 10 * 5.0), "20 forms in every sample"


def test_workers_share_what_grows_with_the_forms() -> None:
    assert extrapolate(SECONDS, FORMS, FORMS, 1, workers=2)[0] == pytest.approx(1.0 + (2.0 + 5.0) / 2)


def test_writing_grows_with_the_variants_and_the_time_per_file_does_not() -> None:
    per_copy = (1.2 - 0.5) / (COPIES - 1)
    twice = Counter({NOUNS: 40})
    assert extrapolate(SECONDS, FORMS, twice, 1)[1] == pytest.approx(0.5 + per_copy)
    assert extrapolate(SECONDS | {"writing": 0.0, "copies": 0.0}, FORMS, twice, 1)[1] == 0.0
