"""The schema: one declaration that Parquet, `datasets` and the card share."""

import datasets

from merge_snli.schema import NLI_LABELS, columns, configs, data_file, features, splits


def test_features_have_the_declared_columns_in_order() -> None:
    for config in configs():
        assert list(features(config)) == [column.name for column in columns(config)]
    made = features("noun", ("entailment", "not_entailment"))
    assert made["label"] == datasets.ClassLabel(names=["entailment", "not_entailment"])
    assert made["subsamples"].feature == datasets.Value("int32")
    assert made["log_odds"] == datasets.Value("float32")


def test_snlis_labels_have_snlis_numbers() -> None:
    assert [features("seed")["label"].str2int(name) for name in NLI_LABELS] == [0, 1, 2]


def test_configs_and_splits_follow_the_classes() -> None:
    assert configs() == ("all", "noun", "verb", "adj", "seed")
    assert configs(("noun", "adv")) == ("all", "noun", "adv", "seed")
    assert splits("noun", 2) == ("test", "subsample_0", "subsample_1")
    assert splits("seed") == ("test",)
    assert data_file("noun", "subsample_1") == "data/noun/subsample_1.parquet"
    assert [column.name for column in columns("seed", ("adv",))][-2:] == ["adv_words", "adv_variants"]


def test_columns_kept_from_the_source_come_last() -> None:
    for config in ("all", "seed"):
        assert [column.name for column in columns(config, extra=("genre", "pairID"))][-2:] == ["genre", "pairID"]
        assert features(config, extra=("genre",))["genre"] == datasets.Value("string")
