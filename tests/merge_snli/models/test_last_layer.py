"""The last layer on one token per input."""

from typing import Any

import pytest
import torch
from transformers import AutoConfig, AutoModel

from merge_snli.models.runner.last_layer import last_attention, select_after_attention

SIZES: dict[str, Any] = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
ROWS, TOKENS = torch.tensor([0, 1, 2]), torch.tensor([3, 0, 5])


def select(states: torch.Tensor) -> torch.Tensor:
    return states[ROWS, TOKENS][:, None]


auto_config: Any = AutoConfig
auto_model: Any = AutoModel


def encoder(kind: str) -> Any:  # noqa: ANN401 - a class per kind
    torch.manual_seed(0)
    return auto_model.from_config(auto_config.for_model(kind, vocab_size=50, pad_token_id=0, **SIZES)).eval()


@pytest.mark.parametrize("kind", ["bert", "roberta", "electra"])
def test_one_token_per_sentence_has_the_same_values(kind: str) -> None:
    model = encoder(kind)
    ids = torch.randint(5, 50, (3, 6), generator=torch.Generator().manual_seed(1))
    attention = last_attention(model)
    assert attention is not None
    with torch.inference_mode():
        every = model(input_ids=ids).last_hidden_state
        with select_after_attention(attention, select):
            selected = model(input_ids=ids).last_hidden_state
        assert selected.shape == (3, 1, 16)
        torch.testing.assert_close(selected[:, 0], every[ROWS, TOKENS])
        assert torch.equal(model(input_ids=ids).last_hidden_state, every), "the hook is removed after the block"


def test_hook_is_removed_after_an_error() -> None:
    model = encoder("bert")
    ids = torch.tensor([[5, 6, 7]])
    with pytest.raises(KeyError), select_after_attention(last_attention(model), select):
        raise KeyError
    assert model(input_ids=ids).last_hidden_state.shape == (1, 3, 16)


def test_other_architectures_are_not_changed() -> None:
    model = encoder("albert")
    ids = torch.tensor([[5, 6, 7]])
    assert last_attention(model) is None
    with select_after_attention(None, select):
        assert model(input_ids=ids).last_hidden_state.shape == (1, 3, 16)
