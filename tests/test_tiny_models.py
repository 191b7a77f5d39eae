"""Test that trained tokenizers are the same in every process, though their library hashes differently in each."""

import pytest

from tests.processes import printed_by

CODE = """
from hashlib import sha256
from tests import tiny_models
from training.start import learn_bpe

made = {
    name: make().backend_tokenizer
    for name, make in vars(tiny_models).items()
    if name.endswith("_tokenizer") and make.__module__ == tiny_models.__name__
}
made["learn_bpe"] = learn_bpe(tiny_models.embedded_texts(), 2_000).backend_tokenizer
for name, tokenizer in made.items():
    print(name, sha256(tokenizer.to_str().encode()).hexdigest())
"""


@pytest.mark.slow
def test_trained_tokenizers_are_the_same_in_every_process() -> None:
    digests = []
    for _ in range(2):
        digests.append(dict(line.split() for line in printed_by(CODE).splitlines() if line))
    assert {"wordpiece_tokenizer", "byte_bpe_tokenizer", "learn_bpe"} <= {*digests[0]}
    assert digests[0] == digests[1]
