"""The licence and the attribution that a run records of its problems."""

from __future__ import annotations

from generation.options import Options
from generation.output.record import terms_of
from merge_snli.problems.known_datasets import known_dataset
from merge_snli.record import TermsRecord


def test_a_known_source_has_terms_and_another_those_that_the_user_says() -> None:
    snli = known_dataset("stanfordnlp/snli")
    assert snli is not None
    known = Options(problems="stanfordnlp/snli", mlm=("demo:mlm-bpe",))
    assert terms_of(known) == TermsRecord("cc-by-sa-4.0", snli.attribution)
    assert terms_of(Options(problems="mine.jsonl", mlm=("demo:mlm-bpe",))) == TermsRecord(None, None)
    told = Options(problems="mine.jsonl", mlm=("demo:mlm-bpe",), license="cc-by-4.0")
    assert terms_of(told) == TermsRecord("cc-by-4.0", None)
