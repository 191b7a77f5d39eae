"""Columns, configs and splits."""

import datasets

from merge_snli.schema import NLI_LABELS, columns, configs, data_file, features, splits


def test_features() -> None:
    for config in configs():
        assert list(features(config)) == [column.name for column in columns(config)]
    noun = features("noun", ("entailment", "not_entailment"))
    assert noun["label"] == datasets.ClassLabel(names=["entailment", "not_entailment"])
    assert noun["subsamples"].feature == datasets.Value("int32")
    assert noun["log_odds"] == datasets.Value("float32")


def test_snli_label_numbers() -> None:
    assert [features("seed")["label"].str2int(name) for name in NLI_LABELS] == [0, 1, 2]


def test_configs_and_splits() -> None:
    assert configs() == ("all", "noun", "verb", "adj", "seed")
    assert configs(("noun", "adv")) == ("all", "noun", "adv", "seed")
    assert splits("noun", 2) == ("test", "subsample_0", "subsample_1")
    assert splits("seed") == ("test",)
    assert data_file("noun", "subsample_1") == "data/noun/subsample_1.parquet"
    assert [column.name for column in columns("seed", ("adv",))][-2:] == ["adv_words", "adv_variants"]


def test_extra_columns_come_last() -> None:
    for config in ("all", "seed"):
        assert [column.name for column in columns(config, extra=("genre", "pairID"))][-2:] == ["genre", "pairID"]
        assert features(config, extra=("genre",))["genre"] == datasets.Value("string")
