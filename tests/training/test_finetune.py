"""Fine-tuning: what is written, resumed runs, augmentation, label orders, and bad input."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from merge_snli.base.errors import InputError
from merge_snli.embedded import FOLDER
from merge_snli.schema import NLI_LABELS
from tests.tiny_models import save_masked_lm
from training.finetune import main, parse_options
from training.finetuning.data import (
    augmented,
    license_of,
    problem_options,
    read_examples,
    read_training_data,
)
from training.finetuning.options import RECIPES, RECORD, FinetuneOptions
from training.finetuning.run import LengthSampler, LengthTrainer, last_checkpoint, load_classifier

PROBLEMS = "demo:problems"
RECIPE = replace(RECIPES["small"], epochs=2, batch_size=8, max_length=32)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny masked LM."""
    return save_masked_lm("bert", tmp_path_factory.mktemp("base") / "tiny")


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    """The first 30 bundled problems."""
    path = tmp_path / "problems.jsonl"
    lines = (FOLDER / "problems.jsonl").read_text(encoding="utf-8").splitlines()[:30]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def augmentation(tmp_path: Path) -> Path:
    """A folder of a data set with a config `augmentation` of 9 examples in its split `train`, and a card."""
    import datasets

    labels = [number for number in range(3) for _ in range(3)]
    features = datasets.Features(
        {"premise": datasets.Value("string"), "hypothesis": datasets.Value("string")}
        | {"label": datasets.ClassLabel(names=list(NLI_LABELS))}
    )
    columns = {
        "premise": [f"The apple number {number} is sweet." for number in range(9)],
        "hypothesis": ["The pear is sweet."] * 9,
        "label": labels,
    }
    folder = tmp_path / "pairs"
    (folder / "data" / "augmentation").mkdir(parents=True)
    datasets.Dataset.from_dict(columns, features=features).to_parquet(folder / "data/augmentation/train.parquet")
    (folder / "README.md").write_text(
        "---\nlicense: apache-2.0\nconfigs:\n- config_name: augmentation\n  data_files:\n"
        "  - split: train\n    path: data/augmentation/train.parquet\n---\n",
        encoding="utf-8",
    )
    return folder


def options(base: Path, problems: Path, out: Path, **changed: Any) -> FinetuneOptions:  # noqa: ANN401 - any option
    return FinetuneOptions(base=str(base), train=(str(problems),), out=out, recipe=RECIPE, **changed)


def interrupt_at(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """Interrupt training at a step."""
    train_step = LengthTrainer.training_step

    def interrupted(self: LengthTrainer, *arguments: Any, **named: Any) -> torch.Tensor:  # noqa: ANN401 - as in Trainer
        if self.state.global_step == step:
            raise KeyboardInterrupt
        return train_step(self, *arguments, **named)

    monkeypatch.setattr(LengthTrainer, "training_step", interrupted)


@pytest.mark.usefixtures("one_thread")
def test_a_run_writes_a_classifier_with_labels_and_a_card_per_seed(base: Path, problems: Path, tmp_path: Path) -> None:
    out = tmp_path / "models"
    main(options(base, problems, out, hold_out=6, random_seeds=(1, 2), license="cc-by-sa-4.0"))
    weights = []
    for seed in (1, 2):
        model = AutoModelForSequenceClassification.from_pretrained(out / f"seed-{seed}")
        assert model.config.id2label == dict(enumerate(NLI_LABELS))
        weights.append(model.classifier.weight)
        card = (out / f"seed-{seed}" / "README.md").read_text(encoding="utf-8")
        assert [
            text
            for text in (
                "license: cc-by-sa-4.0",
                f"| {problems} | 24 |",
                "Accuracy on the 6 held-out problems",
                f"| random seed | {seed} |",
            )
            if text not in card
        ] == []
    assert not torch.equal(*weights)
    assert not (tmp_path / "models.work").exists()


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("step", [1, 3, 4, 7], ids="step-{}".format)
def test_a_resumed_run_gives_the_same_model(
    base: Path, problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    whole, broken = (options(base, problems, tmp_path / name, save_every=2) for name in ("whole", "broken"))
    main(whole)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        interrupt_at(patch, step)
        main(broken)
    assert not broken.out.exists()
    assert (last_checkpoint(tmp_path / "broken.work/seed-0") is not None) == (step > 1)
    main(broken)
    expected, found = (load_file(folder.out / "model.safetensors") for folder in (whole, broken))
    for name, value in expected.items():
        torch.testing.assert_close(found[name], value, rtol=0, atol=0)


def test_no_installed_module_imports_the_scripts() -> None:
    root = Path(__file__).parents[2]
    paths = [path for name in ("merge_snli", "generation", "metrics") for path in (root / name).rglob("*.py")]
    assert len(paths) > 100
    importing = re.compile(r"^\s*(?:from|import) training\b", re.MULTILINE)
    assert [path for path in paths if importing.search(path.read_text(encoding="utf-8"))] == []


def test_an_incomplete_checkpoint_is_ignored(tmp_path: Path) -> None:
    for step in (80, 100):
        (tmp_path / f"checkpoint-{step}").mkdir()
        (tmp_path / f"checkpoint-{step}" / "trainer_state.json").touch()
    (tmp_path / "checkpoint-200").mkdir()
    assert last_checkpoint(tmp_path) == str(tmp_path / "checkpoint-100")


@pytest.mark.usefixtures("one_thread")
def test_a_complete_model_is_kept_and_another_run_does_not_replace_it(
    base: Path, problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = options(base, problems, tmp_path / "model")
    main(first)
    interrupt_at(monkeypatch, 0)
    main(first)
    with pytest.raises(InputError, match=r"model .*training"):
        main(replace(first, recipe=replace(RECIPE, epochs=3)))
    (tmp_path / "model" / RECORD).write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match=r"model exists .*another out"):
        main(first)
    (tmp_path / "model" / RECORD).unlink()
    with pytest.raises(InputError, match=r"model exists .*another out"):
        main(first)


def test_folders_of_all_seeds_are_checked_before_the_first_is_trained(
    base: Path, problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt_at(monkeypatch, 0)
    (tmp_path / "models" / "seed-2").mkdir(parents=True)
    with pytest.raises(InputError, match=r"seed-2 exists"):
        main(options(base, problems, tmp_path / "models", random_seeds=(1, 2)))
    (tmp_path / "models" / "seed-2").rmdir()
    (tmp_path / "models.work" / "seed-2").mkdir(parents=True)
    with pytest.raises(InputError, match=r"models\.work.seed-2 exists"):
        main(options(base, problems, tmp_path / "models", random_seeds=(1, 2)))


def test_a_maximum_length_above_the_limit_of_the_model_is_refused(base: Path, problems: Path, tmp_path: Path) -> None:
    limit = json.loads((base / "config.json").read_text())["max_position_embeddings"]
    long = options(base, problems, tmp_path / "out")
    with pytest.raises(InputError, match=rf"max_length is 100000, but .*tiny takes at most {limit} "):
        main(replace(long, recipe=replace(RECIPE, max_length=100_000)))
    assert not (tmp_path / "out.work").exists()


def test_a_maximum_length_that_truncates_all_pairs_is_refused(base: Path, problems: Path, tmp_path: Path) -> None:
    short = options(base, problems, tmp_path / "out")
    with pytest.raises(InputError, match=r"max_length is 2, but all 30 training pairs are longer"):
        main(replace(short, recipe=replace(RECIPE, max_length=2)))
    assert not (tmp_path / "out.work").exists()


def test_the_number_of_truncated_pairs_is_logged(
    base: Path, problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    interrupt_at(monkeypatch, 0)
    short = options(base, problems, tmp_path / "out")
    tokenizer = AutoTokenizer.from_pretrained(base)
    pairs = [(each.premise, each.hypothesis) for each in read_training_data(short).examples]
    lengths = sorted(map(len, tokenizer(pairs)["input_ids"]))
    with pytest.raises(KeyboardInterrupt), caplog.at_level("INFO"):
        main(replace(short, recipe=replace(RECIPE, max_length=lengths[14])))
    longer = sum(length > lengths[14] for length in lengths)
    assert f"{longer} of 30 training pairs are longer than {lengths[14]} tokens" in caplog.text


def test_checkpoints_of_another_run_are_not_used(
    base: Path, problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = options(base, problems, tmp_path / "model")
    interrupt_at(monkeypatch, 0)
    with pytest.raises(KeyboardInterrupt):
        main(first)
    with pytest.raises(InputError, match=r"model\.work.seed-0 .*held_out"):
        main(replace(first, hold_out=1))


def test_augmentation_adds_all_examples_or_a_share_that_depends_on_the_seed(
    base: Path, problems: Path, augmentation: Path, tmp_path: Path
) -> None:
    chosen = options(base, problems, tmp_path, augment=f"{augmentation}/augmentation", hold_out=10)
    data = read_training_data(chosen)
    assert [len(data.examples), len(data.held_out)] == [20, 10]
    everything = augmented(data, chosen, 1)
    assert len(everything.examples) == 20 + 9
    assert [example.label for example in everything.examples[-9:]] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert everything.sources[-1].license == "apache-2.0"
    shares = [augmented(data, replace(chosen, augment_share=0.2), seed) for seed in (1, 1, 2)]
    assert [len(share.examples) for share in shares] == [24, 24, 24]
    assert [share.sources[-1].used for share in shares] == [4, 4, 4]
    assert shares[0] == shares[1] != shares[2]
    assert set(shares[2].examples[-4:]) <= set(everything.examples[-9:])
    twice = augmented(data, replace(chosen, augment_copies=2), 1)
    assert twice.examples == (*everything.examples, *everything.examples[-9:])
    assert (twice.sources[-1].used, twice.sources[-1].copies) == (9, 2)


def test_a_classifier_keeps_its_label_order_and_its_head() -> None:
    model = load_classifier(FOLDER / "nli-b")
    assert model.config.id2label == dict(enumerate(("contradiction", "entailment", "neutral")))
    torch.testing.assert_close(
        model.state_dict()["classifier.weight"].half(),
        load_file(FOLDER / "nli-b" / "model.safetensors")["classifier.weight"],
    )


def test_each_epoch_has_every_example_once_and_its_own_order() -> None:
    lengths = [number % 7 for number in range(21)]
    sampler = LengthSampler(lengths, 4, seed=3)
    first = list(sampler)
    sampler.set_epoch(1)
    second = list(sampler)
    assert sorted(first) == sorted(second) == list(range(21))
    assert first != second
    for start in range(0, 20, 4):
        batch = [lengths[item] for item in first[start : start + 4]]
        assert max(batch) - min(batch) <= 3
    sampler.set_epoch(0)
    assert list(sampler) == first


def test_the_recipe_depends_on_the_base_and_options_override_it(tmp_path: Path) -> None:
    common = ["--train", "a.jsonl", "b.jsonl", "--out", str(tmp_path), "--random-seed", "3", "4"]
    paper = parse_options(["--base", "FacebookAI/roberta-base", *common])
    assert (paper.recipe.learning_rate, paper.recipe.epochs, paper.recipe.batch_size) == (2e-5, 3, 32)
    assert paper.recipe.weight_decay == 0.1
    assert (list(paper.train), list(paper.random_seeds)) == (["a.jsonl", "b.jsonl"], [3, 4])
    small = parse_options(["--base", "demo:mlm-bpe", "--epochs", "5", *common])
    assert small.recipe == replace(RECIPES["small"], epochs=5)


@pytest.mark.parametrize(
    ("more", "warned"),
    [
        (["--base", "FacebookAI/roberta-base"], False),
        (["--base", "FacebookAI/roberta-base@main"], False),
        (["--base", "FacebookAI/roberta-large"], True),
        (["--base", "FacebookAI/xlm-roberta-base"], True),
        (["--base", "FacebookAI/roberta-large", "--learning-rate", "6e-6"], False),
        (["--base", "demo:mlm-bpe"], False),
        (["--base", "demo:mlm-bpe", "--recipe", "paper"], True),
    ],
    ids=str,
)
def test_the_recipe_of_the_paper_is_that_of_one_base_model(
    more: list[str], warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    parse_options(["--train", "a.jsonl", "--out", "out", *more])
    assert ("recipe paper is for roberta-base" in caplog.text) == warned


def test_the_license_is_that_of_a_known_data_set_or_of_the_card(augmentation: Path) -> None:
    assert license_of("stanfordnlp/snli") == "cc-by-sa-4.0"
    assert license_of(str(augmentation)) == "apache-2.0"
    assert license_of("no/such-folder") is None
    (augmentation / "README.md").write_text("---\nlicense: [\n---\n", encoding="utf-8")
    assert license_of(str(augmentation)) is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"hold_out": 30}, r"hold_out is 30.*problems\.jsonl.* 30 problems"),
        ({"hold_out": -1}, r"hold_out is -1"),
        ({"augment": "augmentation"}, r"augment is 'augmentation'.*DIR/CONFIG"),
        ({"augment": "pairs.csv"}, r"pairs\.csv"),
        ({"augment_share": 0.1}, r"augment_share needs .*augment"),
        ({"augment": "pairs/x", "augment_share": 0.0}, r"augment_share is 0"),
        ({"augment": "pairs/x", "augment_share": float("nan")}, r"augment_share is nan"),
        ({"augment_copies": 2}, r"augment_copies needs .*augment"),
        ({"augment": "pairs/x", "augment_copies": 0}, r"augment_copies is 0"),
        ({"random_seeds": (1, 1)}, r"random_seed has '1' more than once"),
        ({"random_seeds": (-1,)}, r"random_seed is -1"),
        ({"random_seeds": (2**32,)}, r"random_seed is 4294967296"),
        ({"save_every": 0}, r"save_every is 0"),
        ({"dtype": "float16"}, r"dtype is 'float16'.*bfloat16"),
        ({"base": "./nothing"}, r"\./nothing does not exist"),
        ({"train": ("./nothing.jsonl",)}, r"\./nothing\.jsonl"),
    ],
    ids=str,
)
def test_bad_input_is_reported_and_nothing_is_written(
    problems: Path, tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    out = tmp_path / "out"
    given: dict[str, Any] = {"base": "demo:mlm-bpe", "train": (str(problems),), "out": out, "recipe": RECIPE} | changed
    with pytest.raises(InputError, match=message):
        main(FinetuneOptions(**given))
    assert not out.exists()
    assert not (tmp_path / "out.work").exists()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"learning_rate": 2.0}, r"learning_rate is 2"),
        ({"epochs": 0}, r"epochs is 0"),
        ({"batch_size": -4}, r"batch_size is -4"),
        ({"weight_decay": -0.1}, r"weight_decay is -0\.1"),
        ({"weight_decay": float("nan")}, r"weight_decay is nan"),
    ],
    ids=str,
)
def test_hyperparameters_out_of_range_are_reported(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        replace(RECIPE, **changed)


def test_two_way_labels_and_too_large_a_share_are_reported(base: Path, augmentation: Path, tmp_path: Path) -> None:
    rows = [{"premise": "a", "hypothesis": "b", "label": label} for label in ("entailment", "not_entailment")]
    two_way = tmp_path / "two.jsonl"
    two_way.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(InputError, match=r"two\.jsonl has the labels entailment, not_entailment"):
        main(options(base, two_way, tmp_path / "out"))
    share = options(base, Path(PROBLEMS), tmp_path / "out", augment=f"{augmentation}/augmentation", augment_share=0.5)
    with pytest.raises(InputError, match=r"augment_share is 0\.5.*augmentation has 9"):
        main(share)


def test_an_option_for_columns_is_not_advised(tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    path.write_text("premise,hypothesis,gold\na b,c d,neutral\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"gold\.csv .*label_column, which training does not take"):
        read_examples(str(path), problem_options(str(path)))
