"""Columns, configs and splits."""

import datasets

from merge_snli.schema import NLI_LABELS, columns, data_file, features, splits


def test_features() -> None:
    for config in ("all", "noun", "verb", "adj", "seed"):
        assert list(features(config)) == [column.name for column in columns(config)]
    noun = features("noun", ("entailment", "not_entailment"))
    assert noun["label"] == datasets.ClassLabel(names=["entailment", "not_entailment"])
    assert noun["subsamples"].feature == datasets.Value("int32")
    assert noun["log_odds"] == datasets.Value("float32")


def test_snli_label_numbers() -> None:
    assert [features("seed")["label"].str2int(name) for name in NLI_LABELS] == [0, 1, 2]


def test_splits() -> None:
    assert splits("noun", 2) == ("test", "subsample_0", "subsample_1")
    assert splits("seed") == ("test",)
    assert data_file("noun", "subsample_1") == "data/noun/subsample_1.parquet"
    assert [column.name for column in columns("seed", ("adv",))][-2:] == ["adv_words", "adv_variants"]


def test_descriptions_name_the_texts() -> None:
    described = {each.name: each.description for each in columns("all", texts=("question", "sentence"))}
    assert described["premise"] == "question of the variant"
    assert described["hypothesis_mlms"] == "masked LMs that validated it in the sentence"
    assert not any("premise" in each or "hypothesis" in each for each in described.values())
    assert columns("seed", ("noun",), texts=("question", "sentence"))[-2].description == (
        "shared words of class noun, in the order of the question"
    )
    assert columns("all")[2].description == "premise of the variant"


def test_extra_columns_come_last() -> None:
    for config in ("all", "seed"):
        assert [column.name for column in columns(config, extra=("genre", "pairID"))][-2:] == ["genre", "pairID"]
        assert features(config, extra=("genre",))["genre"] == datasets.Value("string")
