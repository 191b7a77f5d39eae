"""Known data sets of problems on the Hub, as data: their columns, splits, labels and licenses."""

from dataclasses import dataclass

from merge_snli.base.hub_ids import split_revision
from merge_snli.dataset.label_spellings import TWO_WAY
from merge_snli.schema import NLI_LABELS

# Ids of tasks on the Hub.
NLI, SIMILARITY, TWO_TEXTS, FACT_CHECKING = (
    "natural-language-inference",
    "semantic-similarity-classification",
    "multi-input-text-classification",
    "fact-checking",
)

GLUE = (
    "as in GLUE: Wang, Singh, Michael, Hill, Levy and Bowman (2019), GLUE: a multi-task benchmark and analysis "
    "platform for natural language understanding, ICLR."
)


@dataclass(frozen=True, kw_only=True)
class KnownDataset:
    """A data set on the Hub whose columns, splits and labels are known.

    Attributes:
        hub_id: The Hub id.
        config: The config to load; None if there is only one.
        columns: The names of all columns.
        premise_column: The column of the premise.
        hypothesis_column: The column of the hypothesis.
        label_column: The column of the gold label.
        labels: Names of the labels in the order of their numbers.
        data_labels: The value of `--data-labels`; None if the data set has its own label names.
        splits: The splits with gold labels, the default first.
        license: The license as the Hub spells it; None if the card has none.
        attribution: The publication to cite and other terms, as a sentence.
        note: Advice if the data set cannot be loaded; empty if there is none.
        task_id: The Hub's id of the task.
        config_is_language: Whether the config is the code of the language of the problems.
        world_knowledge: Whether what is known about the replaced word can decide the label.
    """

    hub_id: str
    config: str | None = None
    columns: tuple[str, ...]
    premise_column: str = "premise"
    hypothesis_column: str = "hypothesis"
    label_column: str = "label"
    labels: tuple[str, ...] = NLI_LABELS
    data_labels: tuple[str, ...] | None = None
    splits: tuple[str, ...]
    license: str | None
    attribution: str
    note: str = ""
    task_id: str = NLI
    config_is_language: bool = False
    world_knowledge: bool = False


# The data sets that need no column options, as their cards on the Hub describe them.
KNOWN_DATASETS = (
    KnownDataset(
        hub_id="stanfordnlp/snli",
        columns=("premise", "hypothesis", "label"),
        splits=("test", "validation", "train"),
        license="cc-by-sa-4.0",
        attribution="SNLI: Bowman, Angeli, Potts and Manning (2015), "
        "A large annotated corpus for learning natural language inference, EMNLP.",
    ),
    KnownDataset(
        hub_id="nyu-mll/multi_nli",
        columns=(
            "promptID",
            "pairID",
            "premise",
            "premise_binary_parse",
            "premise_parse",
            "hypothesis",
            "hypothesis_binary_parse",
            "hypothesis_parse",
            "genre",
            "label",
        ),
        splits=("validation_matched", "validation_mismatched", "train"),
        license="other",
        attribution="MultiNLI: Williams, Nangia and Bowman (2018), A broad-coverage challenge corpus for sentence "
        "understanding through inference, NAACL. Most of it is under the license of the Open American National Corpus; "
        "parts of the fiction section are under CC BY 3.0, CC BY-SA 3.0 and other licenses.",
    ),
    KnownDataset(
        hub_id="nyu-mll/glue",
        config="mnli",
        columns=("premise", "hypothesis", "label", "idx"),
        splits=("validation_matched", "validation_mismatched", "train"),
        license="other",
        attribution="MultiNLI as in GLUE: Williams, Nangia and Bowman (2018), A broad-coverage challenge corpus "
        "for sentence understanding through inference, NAACL. Most of it is under the license of the Open American "
        "National Corpus; parts of the fiction section are under CC BY 3.0, CC BY-SA 3.0 and other licenses.",
    ),
    KnownDataset(
        hub_id="facebook/anli",
        columns=("uid", "premise", "hypothesis", "label", "reason"),
        splits=("test_r1", "test_r2", "test_r3", "dev_r1", "dev_r2", "dev_r3", "train_r1", "train_r2", "train_r3"),
        license="cc-by-nc-4.0",
        attribution="ANLI: Nie, Williams, Dinan, Bansal, Weston and Kiela (2020), "
        "Adversarial NLI: a new benchmark for natural language understanding, ACL.",
    ),
    KnownDataset(
        hub_id="facebook/xnli",
        config="en",
        config_is_language=True,
        columns=("premise", "hypothesis", "label"),
        splits=("test", "validation", "train"),
        license="cc-by-nc-4.0",
        attribution="XNLI: Conneau, Rinott, Lample, Williams, Bowman, Schwenk and Stoyanov (2018), "
        "XNLI: evaluating cross-lingual sentence representations, EMNLP.",
    ),
    KnownDataset(
        hub_id="RobZamp/sick",
        columns=(
            "id",
            "sentence_A",
            "sentence_B",
            "label",
            "relatedness_score",
            "entailment_AB",
            "entailment_BA",
            "sentence_A_original",
            "sentence_B_original",
            "sentence_A_dataset",
            "sentence_B_dataset",
        ),
        premise_column="sentence_A",
        hypothesis_column="sentence_B",
        splits=("test", "validation", "train"),
        license="cc-by-nc-sa-3.0",
        attribution="SICK: Marelli, Menini, Baroni, Bentivogli, Bernardi and Zamparelli (2014), "
        "A SICK cure for the evaluation of compositional distributional semantic models, LREC.",
        note="SICK is a loading script on the Hub, which datasets 4 and newer do not run: save it as a file with an "
        "older version, and read that",
    ),
    KnownDataset(
        hub_id="allenai/scitail",
        config="tsv_format",
        columns=("premise", "hypothesis", "label"),
        labels=("entailment", "not_entailment"),
        data_labels=("entails=entailment", "neutral=not_entailment"),
        splits=("test", "validation", "train"),
        license=None,
        attribution="SciTail: Khot, Sabharwal and Clark (2018), "
        "SciTail: a textual entailment dataset from science question answering, AAAI.",
    ),
    KnownDataset(
        hub_id="jhu-cogsci/hans",
        columns=(
            "premise",
            "hypothesis",
            "label",
            "parse_premise",
            "parse_hypothesis",
            "binary_parse_premise",
            "binary_parse_hypothesis",
            "heuristic",
            "subcase",
            "template",
        ),
        labels=("entailment", "non-entailment"),
        splits=("validation", "train"),
        license=None,
        attribution="HANS: McCoy, Pavlick and Linzen (2019), Right for the wrong reasons: diagnosing syntactic "
        "heuristics in natural language inference, ACL.",
        note="HANS is a loading script on the Hub, which datasets 4 and newer do not run: rename its file "
        "heuristics_evaluation_set.txt to end in .tsv, and read that",
    ),
    KnownDataset(
        hub_id="pietrolesci/nli_fever",
        columns=("cid", "fid", "premise", "hypothesis", "verifiable", "fever_gold_label", "label"),
        # The column `premise` holds the claim, and the column `hypothesis` its evidence.
        premise_column="hypothesis",
        hypothesis_column="premise",
        splits=("dev", "train"),
        license=None,
        attribution="FEVER-NLI: Thorne, Vlachos, Christodoulopoulos and Mittal (2018), FEVER: a large-scale dataset "
        "for fact extraction and verification, NAACL, in the pairs of Nie et al. (2020), Adversarial NLI, ACL.",
        task_id=FACT_CHECKING,
        world_knowledge=True,
    ),
    KnownDataset(
        hub_id="nyu-mll/glue",
        config="rte",
        columns=("sentence1", "sentence2", "label", "idx"),
        premise_column="sentence1",
        hypothesis_column="sentence2",
        labels=TWO_WAY,
        splits=("validation", "train"),
        license="other",
        attribution="RTE: RTE-1, 2, 3 and 5, Dagan, Glickman and Magnini (2006), The PASCAL recognising textual "
        f"entailment challenge, MLCW, and others, {GLUE}",
    ),
    KnownDataset(
        hub_id="nyu-mll/glue",
        config="qnli",
        columns=("question", "sentence", "label", "idx"),
        premise_column="question",
        hypothesis_column="sentence",
        labels=TWO_WAY,
        splits=("validation", "train"),
        license="other",
        attribution="QNLI: from SQuAD, Rajpurkar, Zhang, Lopyrev and Liang (2016), SQuAD: 100,000+ questions for "
        f"machine comprehension of text, EMNLP, {GLUE}",
    ),
    KnownDataset(
        hub_id="nyu-mll/glue",
        config="mrpc",
        columns=("sentence1", "sentence2", "label", "idx"),
        premise_column="sentence1",
        hypothesis_column="sentence2",
        labels=("not_equivalent", "equivalent"),
        splits=("test", "validation", "train"),
        license="other",
        attribution="MRPC: Dolan and Brockett (2005), Automatically constructing a corpus of sentential paraphrases, "
        f"IWP, {GLUE}",
        task_id=SIMILARITY,
    ),
    KnownDataset(
        hub_id="nyu-mll/glue",
        config="qqp",
        columns=("question1", "question2", "label", "idx"),
        premise_column="question1",
        hypothesis_column="question2",
        labels=("not_duplicate", "duplicate"),
        splits=("validation", "train"),
        license="other",
        attribution=f"QQP: Quora Question Pairs, {GLUE}",
        task_id=SIMILARITY,
    ),
    KnownDataset(
        hub_id="google-research-datasets/paws",
        config="labeled_final",
        columns=("id", "sentence1", "sentence2", "label"),
        premise_column="sentence1",
        hypothesis_column="sentence2",
        labels=("different", "paraphrase"),
        data_labels=("0=different", "1=paraphrase"),
        splits=("test", "validation", "train"),
        license="other",
        attribution="PAWS: Zhang, Baldridge and He (2019), PAWS: paraphrase adversaries from word scrambling, NAACL.",
        task_id=SIMILARITY,
    ),
    KnownDataset(
        hub_id="google/boolq",
        columns=("question", "answer", "passage"),
        premise_column="passage",
        hypothesis_column="question",
        label_column="answer",
        labels=("no", "yes"),
        data_labels=("False=no", "True=yes"),
        splits=("validation", "train"),
        license="cc-by-sa-3.0",
        attribution="BoolQ: Clark, Lee, Chang, Kwiatkowski, Collins and Toutanova (2019), BoolQ: exploring the "
        "surprising difficulty of natural yes/no questions, NAACL.",
        task_id=TWO_TEXTS,
        world_knowledge=True,
    ),
    KnownDataset(
        hub_id="aps/super_glue",
        config="multirc",
        columns=("paragraph", "question", "answer", "idx", "label"),
        premise_column="paragraph",
        hypothesis_column="question+answer",
        labels=("False", "True"),
        splits=("validation", "train"),
        license="other",
        attribution="MultiRC: Khashabi, Chaturvedi, Roth, Upadhyay and Roth (2018), Looking beyond the surface: a "
        "challenge set for reading comprehension over multiple sentences, NAACL, as in SuperGLUE: Wang et al. (2019), "
        "SuperGLUE: a stickier benchmark for general-purpose language understanding systems, NeurIPS.",
        task_id=TWO_TEXTS,
        world_knowledge=True,
    ),
    KnownDataset(
        hub_id="tals/vitaminc",
        columns=("unique_id", "case_id", "claim", "evidence", "label", "page", "FEVER_id", "revision_type"),
        premise_column="evidence",
        hypothesis_column="claim",
        data_labels=("SUPPORTS=entailment", "NOT ENOUGH INFO=neutral", "REFUTES=contradiction"),
        splits=("test", "validation", "train"),
        license="cc-by-sa-3.0",
        attribution="VitaminC: Schuster, Fisch and Barzilay (2021), Get your vitamin C! Robust fact verification with "
        "contrastive evidence, NAACL.",
        task_id=FACT_CHECKING,
        world_knowledge=True,
    ),
)


def known_dataset(name: str, config: str | None = None) -> KnownDataset | None:
    """Return the known data set with this Hub id, with or without a revision; None if it is not known.

    Args:
        name: The Hub id.
        config: The config; None for that of the first entry with this Hub id.
    """
    hub_id, _ = split_revision(name)
    entries = [known for known in KNOWN_DATASETS if known.hub_id == hub_id]
    own = [known for known in entries if len(entries) == 1 or config in (None, known.config)]
    return own[0] if own else None
