"""The models of the paper: the masked LMs that generated its data set, and the thirteen that it scores."""

from collections.abc import Mapping
from dataclasses import dataclass

from merge_snli.dataset.label_spellings import INFER
from merge_snli.schema import NLI_LABELS

BERT = ("google-bert/bert-base-cased", "google-bert/bert-large-cased")
ROBERTA = ("FacebookAI/roberta-base", "FacebookAI/roberta-large")
ALBERT = ("albert/albert-base-v2", "albert/albert-xxlarge-v2")
ELECTRA = ("google/electra-base-generator", "google/electra-large-generator")
BART = ("facebook/bart-base", "facebook/bart-large")

# Masked LMs grouped by architecture; the members of a family differ in size, the smaller one first. Table 9 does not
# compare members of one family with each other, and Figure 7 has a group of its own for the other size.
FAMILIES = (BERT, ROBERTA, ALBERT, ELECTRA, BART)

# The masked LMs that generated the paper's data set: all families except BART.
PAPER_MLMS = (*BERT, *ROBERTA, *ALBERT, *ELECTRA)

# The paper's name of each masked LM, by Hub id.
PAPER_NAMES: Mapping[str, str] = {
    **dict(zip(BERT, ("BERT-B", "BERT-L"), strict=True)),
    **dict(zip(ROBERTA, ("RoBERTa-B", "RoBERTa-L"), strict=True)),
    **dict(zip(ALBERT, ("ALBERT-B", "ALBERT-XXL"), strict=True)),
    **dict(zip(ELECTRA, ("Electra-B", "Electra-L"), strict=True)),
    **dict(zip(BART, ("BART-B", "BART-L"), strict=True)),
}


def family(masked_lm: str) -> tuple[str, ...]:
    """Return the masked LMs of the same family, including `masked_lm`.

    Args:
        masked_lm: A Hub id or another name of a masked LM.

    Returns:
        The family's Hub ids; only `masked_lm` if it is not one of the paper's.
    """
    return next((members for members in FAMILIES if masked_lm in members), (masked_lm,))


SNLI = ("snli",)
# Training sets, abbreviated as in Table 3: S is SNLI, SMFA is SNLI, MultiNLI, FEVER and ANLI.
SMFA = ("snli", "multi_nli", "fever", "anli")


@dataclass(frozen=True, kw_only=True)
class PaperModel:
    """One model of the paper.

    Attributes:
        paper_name: Its name in Table 3.
        name: Its Hub id (Table 8).
        model_type: Its `model_type` in `transformers`.
        trained_on: Its NLI training sets (Table 3).
        labels: The label of each output, in order, if its config does not name them; scoring checks them on the seeds.
            `infer` to infer them from the seeds.
        masked_lm: The masked LM of the same architecture and size among those of Table 5, or None.
        note: What to know about loading it, or None.
    """

    paper_name: str
    name: str
    model_type: str
    trained_on: tuple[str, ...]
    labels: tuple[str, ...] | str
    masked_lm: str | None = None
    note: str | None = None


# The authors' code: model_family and model_prediction_mapping in utils.py of github.com/mdzgr/MERGE, commit e724809.
ENC = NLI_LABELS
CEN = ("contradiction", "entailment", "neutral")

# In the order of Table 3. Revisions are not pinned because the paper gives none.
PAPER_MODELS = (
    PaperModel(
        paper_name="BERT-B-S",
        name="textattack/bert-base-uncased-snli",
        model_type="bert",
        trained_on=SNLI,
        labels=CEN,  # labeldict of TextAttack
        masked_lm=BERT[0],
        note="its config has no label names",
    ),
    PaperModel(
        paper_name="BERT-L-S",
        name="varun-v-rao/bert-large-cased-lora-1.58M-snli",
        model_type="bert",
        trained_on=SNLI,
        labels=ENC,  # the authors' code
        masked_lm=BERT[1],
        note="LoRA adapter: needs peft and its base model",
    ),
    PaperModel(
        paper_name="RoBERTa-B-S",
        name="pepa/roberta-base-snli",
        model_type="roberta",
        trained_on=SNLI,
        labels=ENC,  # the authors' code
        masked_lm=ROBERTA[0],
    ),
    PaperModel(
        paper_name="DeBERTa-v3-B-S",
        name="pepa/deberta-v3-base-snli",
        model_type="deberta-v2",
        trained_on=SNLI,
        labels=ENC,  # the authors' code
        note="SentencePiece tokenizer",
    ),
    PaperModel(
        paper_name="DeBERTa-v3-L-S",
        name="pepa/deberta-v3-large-snli",
        model_type="deberta-v2",
        trained_on=SNLI,
        labels=ENC,  # the authors' code
        note="SentencePiece tokenizer",
    ),
    PaperModel(
        paper_name="BART-B-S",
        name="varun-v-rao/bart-base-snli-model1",
        model_type="bart",
        trained_on=SNLI,
        labels=ENC,  # the authors' code
        masked_lm=BART[0],
    ),
    PaperModel(
        paper_name="OPT-1-3b-S",
        name="utahnlp/snli_facebook_opt-1.3b_seed-3",
        model_type="opt",
        trained_on=SNLI,
        labels=INFER,  # unknown to the authors' code
        note="decoder: classifies at the last token",
    ),
    PaperModel(
        paper_name="GPT-2-L-S",
        name="varun-v-rao/gpt2-large-snli-model3",
        model_type="gpt2",
        trained_on=SNLI,
        labels=ENC,  # the authors' code
        note="decoder without a padding token",
    ),
    PaperModel(
        paper_name="RoBERTa-L-SMFA",
        name="ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli",
        model_type="roberta",
        trained_on=SMFA,
        labels=ENC,  # model card
        masked_lm=ROBERTA[1],
    ),
    PaperModel(
        paper_name="BART-L-SMFA",
        name="ynie/bart-large-snli_mnli_fever_anli_R1_R2_R3-nli",
        model_type="bart",
        trained_on=SMFA,
        labels=ENC,  # model card
        masked_lm=BART[1],
    ),
    PaperModel(
        paper_name="Electra-L-SMFA",
        name="ynie/electra-large-discriminator-snli_mnli_fever_anli_R1_R2_R3-nli",
        model_type="electra",
        trained_on=SMFA,
        labels=ENC,  # model card
        masked_lm=ELECTRA[1],
    ),
    PaperModel(
        paper_name="XLNet-L-SMFA",
        name="ynie/xlnet-large-cased-snli_mnli_fever_anli_R1_R2_R3-nli",
        model_type="xlnet",
        trained_on=SMFA,
        labels=ENC,  # model card
        note="SentencePiece tokenizer with left padding",
    ),
    PaperModel(
        paper_name="ALBERT-XXL-SMFA",
        name="ynie/albert-xxlarge-v2-snli_mnli_fever_anli_R1_R2_R3-nli",
        model_type="albert",
        trained_on=SMFA,
        labels=ENC,  # model card
        masked_lm=ALBERT[1],
        note="SentencePiece tokenizer",
    ),
)


def paper_model(name: str) -> PaperModel | None:
    """Return the paper's model with this Hub id, or None."""
    return next((model for model in PAPER_MODELS if model.name == name), None)
