"""The thirteen models of the paper (Tables 3 and 8), and what is known of each."""

from __future__ import annotations

from dataclasses import dataclass

from merge_snli.schema import NLI_LABELS

SNLI = ("snli",)
SMFA = ("snli", "multi_nli", "fever", "anli")
"""Training sets as Table 3 abbreviates them: S is SNLI, SMFA is SNLI, MultiNLI, FEVER and ANLI."""


@dataclass(frozen=True, kw_only=True)
class PaperModel:
    """One model of the paper.

    Attributes:
        paper_name: What Table 3 calls it.
        name: Its Hub id (Table 8).
        model_type: Its architecture, as `transformers` names it.
        trained_on: The NLI data sets that it was trained on (Table 3).
        labels: What its outputs mean, in their order, where its config may not say and it is known; else None.
        special: What is special about loading it, or None.
    """

    paper_name: str
    name: str
    model_type: str
    trained_on: tuple[str, ...]
    labels: tuple[str, ...] | None = None
    special: str | None = None


ENC = NLI_LABELS
CEN = ("contradiction", "entailment", "neutral")
"""The order in which TextAttack trained its models of SNLI (its `labeldict`)."""

PAPER_MODELS = (
    PaperModel(
        paper_name="BERT-B-S",
        name="textattack/bert-base-uncased-snli",
        model_type="bert",
        trained_on=SNLI,
        labels=CEN,
        special="its config names no labels",
    ),
    PaperModel(
        paper_name="BERT-L-S",
        name="varun-v-rao/bert-large-cased-lora-1.58M-snli",
        model_type="bert",
        trained_on=SNLI,
        special="a LoRA adapter: needs peft, and the base model that it names",
    ),
    PaperModel(
        paper_name="RoBERTa-B-S",
        name="pepa/roberta-base-snli",
        model_type="roberta",
        trained_on=SNLI,
        labels=ENC,
    ),
    PaperModel(
        paper_name="DeBERTa-v3-B-S",
        name="pepa/deberta-v3-base-snli",
        model_type="deberta-v2",
        trained_on=SNLI,
        labels=ENC,
        special="SentencePiece tokenizer",
    ),
    PaperModel(
        paper_name="DeBERTa-v3-L-S",
        name="pepa/deberta-v3-large-snli",
        model_type="deberta-v2",
        trained_on=SNLI,
        labels=ENC,
        special="SentencePiece tokenizer",
    ),
    PaperModel(
        paper_name="BART-B-S",
        name="varun-v-rao/bart-base-snli-model1",
        model_type="bart",
        trained_on=SNLI,
    ),
    PaperModel(
        paper_name="OPT-1-3b-S",
        name="utahnlp/snli_facebook_opt-1.3b_seed-3",
        model_type="opt",
        trained_on=SNLI,
        special="a decoder: it reads a pair from the last token",
    ),
    PaperModel(
        paper_name="GPT-2-L-S",
        name="varun-v-rao/gpt2-large-snli-model3",
        model_type="gpt2",
        trained_on=SNLI,
        special="a decoder without a padding token",
    ),
    PaperModel(
        paper_name="RoBERTa-L-SMFA",
        name="ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli",
        model_type="roberta",
        trained_on=SMFA,
        labels=ENC,
    ),
    PaperModel(
        paper_name="BART-L-SMFA",
        name="ynie/bart-large-snli_mnli_fever_anli_R1_R2_R3-nli",
        model_type="bart",
        trained_on=SMFA,
        labels=ENC,
    ),
    PaperModel(
        paper_name="Electra-L-SMFA",
        name="ynie/electra-large-discriminator-snli_mnli_fever_anli_R1_R2_R3-nli",
        model_type="electra",
        trained_on=SMFA,
        labels=ENC,
    ),
    PaperModel(
        paper_name="XLNet-L-SMFA",
        name="ynie/xlnet-large-cased-snli_mnli_fever_anli_R1_R2_R3-nli",
        model_type="xlnet",
        trained_on=SMFA,
        labels=ENC,
        special="SentencePiece tokenizer that pads on the left",
    ),
    PaperModel(
        paper_name="ALBERT-XXL-SMFA",
        name="ynie/albert-xxlarge-v2-snli_mnli_fever_anli_R1_R2_R3-nli",
        model_type="albert",
        trained_on=SMFA,
        labels=ENC,
        special="SentencePiece tokenizer",
    ),
)
"""In the order of Table 3. No commit is pinned: the paper names none."""


def paper_model(name: str) -> PaperModel | None:
    """Return what is known of a model by its Hub id, or None where the paper has none of that id."""
    return next((model for model in PAPER_MODELS if model.name == name), None)
