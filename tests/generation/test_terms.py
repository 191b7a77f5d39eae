"""The license and attribution of the problems in the record of a run."""

from __future__ import annotations

from generation.options import Options
from generation.output.record import terms_of
from merge_snli.problems.known_datasets import known_dataset
from merge_snli.record import TermsRecord


def test_terms_come_from_the_known_data_set_or_from_the_option() -> None:
    snli = known_dataset("stanfordnlp/snli")
    assert snli is not None
    known = Options(problems="stanfordnlp/snli", mlm=("demo:mlm-bpe",))
    assert terms_of(known) == TermsRecord("cc-by-sa-4.0", snli.attribution)
    assert terms_of(Options(problems="mine.jsonl", mlm=("demo:mlm-bpe",))) == TermsRecord(None, None)
    licensed = Options(problems="mine.jsonl", mlm=("demo:mlm-bpe",), license="cc-by-4.0")
    assert terms_of(licensed) == TermsRecord("cc-by-4.0", None)
