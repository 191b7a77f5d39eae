"""The models of the paper: the masked LMs that generated its data set, and the thirteen that it scores."""

from dataclasses import dataclass

from pydantic import TypeAdapter

from merge_snli.base.files import toml_beside
from merge_snli.dataset.label_spellings import Labels

CONTENT = toml_beside(__file__)

# Masked LMs grouped by architecture; the members of a family differ in size, the smaller one first. Table 9 does not
# compare members of one family with each other, and Figure 7 has a group of its own for the other size.
FAMILIES: tuple[tuple[str, ...], ...] = tuple(map(tuple, CONTENT["families"].values()))
BERT, ROBERTA, ALBERT, ELECTRA, BART = FAMILIES

# The masked LMs that generated the paper's data set: all families except BART.
PAPER_MLMS = (*BERT, *ROBERTA, *ALBERT, *ELECTRA)

# The paper's name of each masked LM, by Hub id.
PAPER_NAMES: dict[str, str] = {}
for _names in CONTENT["families"].values():
    PAPER_NAMES |= _names


def family(masked_lm: str) -> tuple[str, ...]:
    """Return the masked LMs of the same family, including `masked_lm`.

    Args:
        masked_lm: A Hub id or another name of a masked LM.

    Returns:
        The family's Hub ids; only `masked_lm` if it is not one of the paper's.
    """
    return next((members for members in FAMILIES if masked_lm in members), (masked_lm,))


@dataclass(frozen=True, kw_only=True)
class PaperModel:
    """One model of the paper.

    Attributes:
        paper_name: Its name in Table 3.
        name: Its Hub id (Table 8).
        model_type: Its `model_type` in `transformers`.
        trained_on: Its NLI training sets, of which Table 3 abbreviates SNLI as S, and the four as SMFA.
        labels: The label of each output, in order, if its config does not name them; scoring checks them on the seeds.
            `infer` to infer them from the seeds.
        masked_lm: The masked LM of the same architecture and size among those of Table 5, or None.
        note: What to know about loading it, or None.
    """

    paper_name: str
    name: str
    model_type: str
    trained_on: tuple[str, ...]
    labels: Labels | str
    masked_lm: str | None = None
    note: str | None = None


# In the order of Table 3.
PAPER_MODELS = TypeAdapter(tuple[PaperModel, ...]).validate_python(CONTENT["models"])


def paper_model(name: str) -> PaperModel | None:
    """Return the paper's model with this Hub id, or None."""
    return next((model for model in PAPER_MODELS if model.name == name), None)
