"""Fine-tuning: what is written, resumed runs, augmentation, label orders, and bad input."""

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import datasets
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForSequenceClassification

from merge_snli.base.errors import InputError
from merge_snli.base.files import read_json
from merge_snli.embedded import FOLDER
from merge_snli.schema import NLI_LABELS
from tests import ROOT
from tests.cases import slow
from tests.oracles import missing_from, refused, write_rows, written
from tests.records import first_problems
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
from training.finetuning.run import check_truncated, load_classifier
from training.trainer import LengthSampler, LengthTrainer, last_checkpoint

PROBLEMS = "demo:problems"
RECIPE = replace(RECIPES["small"], epochs=2, batch_size=8, max_length=32)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny masked LM."""
    return save_masked_lm("bert", tmp_path_factory.mktemp("base") / "tiny")


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first 30 bundled problems."""
    return first_problems(tmp_path_factory.mktemp("problems"), 30)


@pytest.fixture
def augmentation(tmp_path: Path) -> Path:
    """A folder of a data set with a config `augmentation` of 9 examples in its split `train`, and a card."""
    columns = {
        "premise": [f"The apple number {number} is sweet." for number in range(9)],
        "hypothesis": ["The pear is sweet."] * 9,
        "label": [number for number in range(3) for _ in range(3)],
    }
    rows = datasets.Dataset.from_dict(columns).cast_column("label", datasets.ClassLabel(names=list(NLI_LABELS)))
    folder = tmp_path / "pairs"
    (folder / "data" / "augmentation").mkdir(parents=True)
    rows.to_parquet(folder / "data/augmentation/train.parquet")
    (folder / "README.md").write_text(
        "---\nlicense: apache-2.0\nconfigs:\n- config_name: augmentation\n  data_files:\n"
        "  - split: train\n    path: data/augmentation/train.parquet\n---\n",
        encoding="utf-8",
    )
    return folder


def options(base: Path, problems: Path, out: Path, **changed: Any) -> FinetuneOptions:  # noqa: ANN401 - any option
    return FinetuneOptions(base=str(base), train=(str(problems),), out=out, recipe=RECIPE, **changed)


@pytest.fixture
def interrupt_at(monkeypatch: pytest.MonkeyPatch) -> Callable[[FinetuneOptions, int], None]:
    """A function that trains, and is interrupted at a step."""
    train_step = LengthTrainer.training_step

    def run(chosen: FinetuneOptions, step: int) -> None:
        def interrupted(self: LengthTrainer, *arguments: Any, **named: Any) -> torch.Tensor:  # noqa: ANN401
            if self.state.global_step == step:
                raise KeyboardInterrupt
            return train_step(self, *arguments, **named)

        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(LengthTrainer, "training_step", interrupted)
            main(chosen)

    return run


@pytest.fixture
def untrained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where a model would be trained."""
    monkeypatch.setattr(LengthTrainer, "training_step", lambda *_, **__: pytest.fail("a model is trained"))


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
        trained = f"| {problems} | 24 |"
        held_out = "Accuracy on the 6 held-out problems"
        assert not missing_from(card, "license: cc-by-sa-4.0", trained, held_out, f"| random seed | {seed} |")
    assert not torch.equal(*weights)
    assert not (tmp_path / "models.work").exists()


@pytest.fixture(scope="module")
def whole(base: Path, problems: Path, tmp_path_factory: pytest.TempPathFactory, one_thread: None) -> FinetuneOptions:
    """The options of a run that ended."""
    chosen = options(base, problems, tmp_path_factory.mktemp("whole") / "whole", save_every=2)
    main(chosen)
    return chosen


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("step", [4, *slow(1)])
def test_a_resumed_run_gives_the_same_model(
    whole: FinetuneOptions, tmp_path: Path, interrupt_at: Callable[[FinetuneOptions, int], None], step: int
) -> None:
    broken = replace(whole, out=tmp_path / "broken")
    interrupt_at(broken, step)
    assert not broken.out.exists()
    assert (last_checkpoint(tmp_path / "broken.work/seed-0") is not None) == (step > 1)
    main(broken)
    found = load_file(broken.out / "model.safetensors")
    for name, value in load_file(whole.out / "model.safetensors").items():
        torch.testing.assert_close(found[name], value, rtol=0, atol=0)


def test_no_installed_module_imports_the_scripts() -> None:
    paths = [path for name in ("merge_snli", "generation", "metrics") for path in (ROOT / name).rglob("*.py")]
    assert len(paths) > 100
    importing = re.compile(r"^\s*(?:from|import) training\b", re.MULTILINE)
    assert [path for path in paths if importing.search(path.read_text(encoding="utf-8"))] == []


def test_an_incomplete_checkpoint_is_ignored(tmp_path: Path) -> None:
    for step in (80, 100):
        (tmp_path / f"checkpoint-{step}").mkdir()
        (tmp_path / f"checkpoint-{step}" / "trainer_state.json").touch()
    (tmp_path / "checkpoint-200").mkdir()
    assert last_checkpoint(tmp_path) == str(tmp_path / "checkpoint-100")


@pytest.mark.usefixtures("untrained")
def test_a_complete_model_is_kept_and_another_run_does_not_replace_it(whole: FinetuneOptions, tmp_path: Path) -> None:
    first = replace(whole, out=Path(shutil.copytree(whole.out, tmp_path / "model")))
    main(first)
    refused(r"model .*training", main, replace(first, recipe=replace(RECIPE, epochs=3)))
    for break_it in (lambda record: record.write_text("{", encoding="utf-8"), Path.unlink):
        break_it(first.out / RECORD)
        refused(r"model exists .*another out", main, first)


@pytest.mark.usefixtures("untrained")
@pytest.mark.parametrize("name", ["models/seed-2", "models.work/seed-2"])
def test_folders_of_all_seeds_are_checked_before_the_first_is_trained(
    base: Path, problems: Path, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).mkdir(parents=True)
    refused(
        rf"{re.escape(str(Path(name)))} exists", main, options(base, problems, tmp_path / "models", random_seeds=(1, 2))
    )


@pytest.mark.parametrize(
    ("max_length", "message"),
    [
        (100_000, r"max_length is 100000, but .*tiny takes at most {limit} "),
        (2, r"max_length is 2, but all 30 training pairs"),
    ],
)
def test_a_maximum_length_that_does_not_fit_model_or_pairs_is_refused(
    base: Path, problems: Path, tmp_path: Path, max_length: int, message: str
) -> None:
    refused(
        message.format(limit=read_json(base / "config.json")["max_position_embeddings"]),
        main,
        replace(options(base, problems, tmp_path / "out"), recipe=replace(RECIPE, max_length=max_length)),
    )
    assert not (tmp_path / "out.work").exists()


def test_the_number_of_truncated_pairs_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        check_truncated([{"input_ids": [0] * length} for length in (3, 4, 5)], 4)
        check_truncated([{"input_ids": [0] * 4}], 4)
    assert "1 of 3 training pairs are longer than 4 tokens" in caplog.text


def test_checkpoints_of_another_run_are_not_used(
    base: Path, problems: Path, tmp_path: Path, interrupt_at: Callable[[FinetuneOptions, int], None]
) -> None:
    first = options(base, problems, tmp_path / "model")
    interrupt_at(first, 0)
    refused(r"model\.work.seed-0 .*held_out", main, replace(first, hold_out=1))


def test_augmentation_adds_all_examples_or_a_share_that_depends_on_the_seed(
    base: Path, problems: Path, augmentation: Path, tmp_path: Path
) -> None:
    chosen = options(base, problems, tmp_path, augment=f"{augmentation}/augmentation", hold_out=10)
    data = read_training_data(chosen)
    assert len(data.examples) == 20
    assert len(data.held_out) == 10
    everything = augmented(data, chosen, 1)
    added = everything.examples[20:]
    assert [example.label for example in added] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert everything.sources[-1].license == "apache-2.0"
    share = replace(chosen, augment_share=0.2)
    first = augmented(data, share, 1)
    other = augmented(data, share, 2)
    assert len(first.examples) == 24
    assert first.sources[-1].used == 4
    assert first == augmented(data, share, 1) != other
    assert set(other.examples[20:]) <= set(added)
    twice = augmented(data, replace(chosen, augment_copies=2), 1)
    assert twice.examples == (*everything.examples, *added)
    assert twice.sources[-1].used == 9
    assert twice.sources[-1].copies == 2


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
    orders = []
    for epoch in (0, 1, 0):
        sampler.set_epoch(epoch)
        orders.append(list(sampler))
        assert sorted(orders[-1]) == list(range(21))
    assert orders[0] == orders[2] != orders[1]
    for start in range(0, 20, 4):
        batch = [lengths[item] for item in orders[0][start : start + 4]]
        assert max(batch) - min(batch) <= 3


def test_the_recipe_depends_on_the_base_and_options_override_it(tmp_path: Path) -> None:
    common = ["--train", "a.jsonl", "b.jsonl", "--out", str(tmp_path), "--random-seed", "3", "4"]
    paper = parse_options(["--base", "FacebookAI/roberta-base", *common])
    assert paper.recipe.learning_rate == 2e-5
    assert paper.recipe.batch_size == 32
    assert list(paper.train) == ["a.jsonl", "b.jsonl"]
    assert list(paper.random_seeds) == [3, 4]
    small = parse_options(["--base", "demo:mlm-bpe", "--epochs", "5", *common])
    assert small.recipe == replace(RECIPES["small"], epochs=5)


@pytest.mark.parametrize(
    ("more", "warned"),
    [
        (["--base", "FacebookAI/roberta-base@main"], False),
        (["--base", "FacebookAI/roberta-large"], True),
        (["--base", "FacebookAI/roberta-large", "--learning-rate", "6e-6"], False),
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
        ({"augment": "augmentation"}, r"augment is 'augmentation'.*DIR/CONFIG"),
        ({"augment": "pairs.csv"}, r"pairs\.csv"),
        ({"augment_share": 0.1}, r"augment_share .*need .*augment"),
        ({"augment": "pairs/x", "augment_share": 0.0}, r"augment_share is 0"),
        ({"augment_copies": 2}, r"augment_copies need .*augment"),
        ({"augment": "pairs/x", "augment_copies": 0}, r"augment_copies is 0"),
        ({"random_seeds": (1, 1)}, r"random_seed has '1' more than once"),
        ({"random_seeds": (2**32,)}, r"random_seed is 4294967296"),
        ({"save_every": 0}, r"save_every is 0"),
        ({"dtype": "float16"}, r"dtype is 'float16'.*bfloat16"),
        ({"base": "./nothing"}, r"\./nothing does not exist"),
    ],
    ids=str,
)
def test_bad_input_is_reported_and_nothing_is_written(
    problems: Path, tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    given: dict[str, Any] = {"base": "demo:mlm-bpe", "train": (str(problems),), "recipe": RECIPE} | changed
    with pytest.raises(InputError, match=message):
        main(FinetuneOptions(out=tmp_path / "out", **given))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"learning_rate": 2.0}, r"learning_rate is 2"),
        ({"batch_size": -4}, r"batch_size is -4"),
        ({"weight_decay": float("nan")}, r"weight_decay is nan"),
    ],
    ids=str,
)
def test_hyperparameters_out_of_range_are_reported(changed: dict[str, Any], message: str) -> None:
    refused(message, replace, RECIPE, **changed)


def test_labels_that_do_not_fit_are_reported(base: Path, tmp_path: Path) -> None:
    rows = [{"premise": "a", "hypothesis": "b", "label": label} for label in ("entailment", "not_entailment")]
    train = write_rows(tmp_path / "rows.jsonl", rows)
    message = r"rows\.jsonl has the labels entailment, not_entailment"
    refused(message, main, options(base, train, tmp_path / "out"))


def test_too_large_a_share_is_reported(base: Path, augmentation: Path, tmp_path: Path) -> None:
    chosen = options(base, Path(PROBLEMS), tmp_path / "out", augment=f"{augmentation}/augmentation", augment_share=0.5)
    refused(r"augment_share is 0\.5.*augmentation has 9", main, chosen)


def test_an_option_for_columns_is_not_advised(tmp_path: Path) -> None:
    path = written(tmp_path / "gold.csv", "premise,hypothesis,outcome\na b,c d,neutral\n")
    refused(
        r"gold\.csv .*label_column, which training does not take", read_examples, str(path), problem_options(str(path))
    )
