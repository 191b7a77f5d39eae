"""Causal LMs: log-likelihoods of answers, equal to those of the plain model, one answer at a time."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from peft import PeftModel, TaskType
from tokenizers import processors
from transformers import AutoModelForCausalLM, AutoTokenizer

from merge_snli import score
from merge_snli.answers.opening import open_config
from merge_snli.answers.part import part_of_data
from merge_snli.base.arrays import Floats32
from merge_snli.base.files import sha256_of_json
from merge_snli.dataset.texts import TextNames
from merge_snli.language_models.shots import fill_prompt
from merge_snli.models.filled_prompt import FilledPrompt, Shot
from merge_snli.models.finding import find_model
from merge_snli.models.labels import Pair
from merge_snli.models.options import ModelOptions
from merge_snli.models.prompts import read_prompt
from merge_snli.models.runner.causal_lm import CausalLM
from merge_snli.models.runner.encoded import IDS
from merge_snli.models.runner.predictors import load_predictor
from merge_snli.results.store import read_results
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.predict import predict_pairs
from merge_snli.scoring.score_models import score_model
from merge_snli.scoring.scored_model import model_from_name
from tests.cases import slow
from tests.commands import Command, Printed
from tests.oracles import answers_of_groups, known, missing_from, refused
from tests.predictors import logits_of, tokens_of
from tests.tiny_models import LONGEST_UNSCALED, save_adapter, save_causal_lm

PAIRS: list[Pair] = [
    ("A man sleeps on a bench.", "A man rests."),
    ("A man sleeps on a chair.", "A man rests."),
    ("Two dogs run through a field of tall grass near a river.", "Some animals are outside."),
    ("A girl sings.", "Nobody sings."),
    ("A girl reads.", "Nobody reads."),
]
SHOTS = (Shot("A cat eats.", "An animal eats.", "entailment"), Shot("A boy swims.", "A boy is sad.", "neutral"))

WORD = FilledPrompt(read_prompt("word"), NLI_LABELS)

Folder = Callable[[str], Path]
auto_model: Any = AutoModelForCausalLM


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A function that returns the folder of a tiny causal LM."""
    return cache(lambda kind: save_causal_lm(kind, tmp_path_factory.mktemp("causal") / f"tiny-{kind}"))


def loaded(folder: Path, prompt: FilledPrompt, **options: Any) -> CausalLM:  # noqa: ANN401
    predictor = load_predictor(find_model(str(folder)), "cpu", ModelOptions(prompt=prompt, **options))
    assert isinstance(predictor, CausalLM)
    return predictor


def plain(folder: Path, prompt: FilledPrompt) -> list[list[float]]:
    """Return the log-likelihoods of the answers to `PAIRS` by the model alone, without batches, cache or padding."""
    model = auto_model.from_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)

    def tokens(text: str) -> list[int]:
        return [token for token in tokenizer(text)["input_ids"] if token != tokenizer.eos_token_id]

    def likelihood(context: str, answer: str) -> float:
        before = tokens(context)
        ids = tokens(context + answer)
        assert tokenizer.decode(ids[len(before) :]) == answer
        with torch.inference_mode():
            logits = model(input_ids=torch.tensor([ids]), use_cache=False).logits[0]
        log_probs = torch.log_softmax(logits.double(), dim=-1)
        return sum(float(log_probs[at - 1, ids[at]]) for at in range(len(before), len(ids)))

    return [[likelihood(prompt.text(*pair), answer) for answer in prompt.continuations] for pair in PAIRS]


def with_tokenizer(folder: Path, copy: Path, change: Callable[[Any], object]) -> tuple[Path, Any]:
    """Copy a model with another tokenizer, and return both."""
    tokenizer = AutoTokenizer.from_pretrained(shutil.copytree(folder, copy))
    change(tokenizer)
    tokenizer.save_pretrained(copy)
    return copy, tokenizer


# Of `lm_eval`, only the shots are the same in all prompts. An answer of `letter` is one token.
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("llama", "lm_eval"),
        ("mamba", "word"),
        *slow(("llama", "word"), ("llama", "letter"), ("gpt2", "word"), ("mistral", "word"), ("bloom", "word")),
    ],
)
def test_scores_are_those_of_the_plain_model(folder: Folder, kind: str, name: str) -> None:
    prompt = FilledPrompt(read_prompt(name), NLI_LABELS, SHOTS)
    ranked = loaded(folder(kind), prompt)
    assert ranked._uses_cache == (kind != "mamba")
    assert len(ranked._prefix) > 20
    expected = np.array(plain(folder(kind), prompt))
    assert np.ptp(expected, axis=1).min() > 0.1
    assert logits_of(ranked, PAIRS) == pytest.approx(expected, abs=2e-4)
    ranked._uses_cache = False
    assert logits_of(ranked, PAIRS) == pytest.approx(expected, abs=2e-4)


def test_a_model_with_other_positions_for_long_prompts(folder: Folder) -> None:
    prompt = FilledPrompt(read_prompt("lm_eval"), NLI_LABELS, SHOTS)
    ranked = loaded(folder("phi3"), prompt)
    assert ranked._uses_cache and max(tokens_of(ranked, PAIRS)) > LONGEST_UNSCALED
    assert logits_of(ranked, PAIRS) == pytest.approx(np.array(plain(folder("phi3"), prompt)), abs=2e-4)


@pytest.mark.parametrize(("ends", "name"), [("$A </s>", "word"), *slow(("<s> $A </s>", "word"), ("$A </s>", "letter"))])
def test_a_tokenizer_that_appends_an_end_token(folder: Folder, tmp_path: Path, ends: str, name: str) -> None:
    def append(tokenizer: Any) -> None:  # noqa: ANN401
        special = [(token, tokenizer.convert_tokens_to_ids(token)) for token in ("<s>", "</s>")]
        tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(ends, special_tokens=special)

    copy, tokenizer = with_tokenizer(folder("gpt2"), tmp_path / "tiny-end", append)
    assert AutoTokenizer.from_pretrained(copy)("A")["input_ids"][-1] == tokenizer.eos_token_id
    prompt = FilledPrompt(read_prompt(name), NLI_LABELS, SHOTS)
    assert logits_of(loaded(copy, prompt), PAIRS) == pytest.approx(np.array(plain(copy, prompt)), abs=2e-4)


def test_scores_do_not_depend_on_the_other_pairs(folder: Folder) -> None:
    ranked = loaded(folder("llama"), WORD)
    together, facts = predict_pairs(lambda: ranked, PAIRS, None)
    logits = known(together.logits)
    for order in ([0], [1], [2], [4, 3], [3, 1, 0, 4, 2]):
        assert logits_of(ranked, [PAIRS[row] for row in order]).tobytes() == logits[order].tobytes()
    assert facts.architecture == "LlamaForCausalLM"
    assert facts.max_length == 512
    assert together.tokens.tolist() == tokens_of(ranked, PAIRS)


def test_scores_are_those_of_lm_evaluation_harness(folder: Folder) -> None:
    prompt = FilledPrompt(read_prompt("word"), NLI_LABELS, SHOTS)
    texts = [(prompt.text(*pair), answer) for pair in PAIRS for answer in prompt.continuations]
    backend: Any = HFLM(pretrained=str(folder("gpt2")), dtype="float32", device="cpu", batch_size=4)
    requests = [Instance("loglikelihood", {}, text, at, metadata=("nli", at, 1)) for at, text in enumerate(texts)]
    theirs = np.array([value for value, _ in backend.loglikelihood(requests, disable_tqdm=True)]).reshape(-1, 3)
    assert logits_of(loaded(folder("gpt2"), prompt), PAIRS) == pytest.approx(theirs, abs=2e-4)


def test_bfloat16_is_close(folder: Folder) -> None:
    half = loaded(folder("llama"), WORD, dtype="bfloat16")
    assert half._uses_cache
    assert logits_of(half, PAIRS) == pytest.approx(np.array(plain(folder("llama"), WORD)), rel=0.05)


def test_a_result_says_how_the_model_was_prompted(folder: Folder, dataset: Path) -> None:
    whole = open_config(dataset, "verb")
    prompt = fill_prompt(read_prompt("few_shot"), whole, shots=2)
    data = part_of_data(whole, limit_seeds=1, subsample=0)
    result = score(folder("gpt2"), dataset, config="verb", limit_seeds=1, subsample=0, prompt=prompt)
    assert result.title == "tiny-gpt2 (few_shot, 2 shots, ranked)"
    record = known(result.run.prompt)
    assert record.prompt_digest == prompt.digest
    assert record.calls == 3 * len(data.pairs)
    assert result.model.labels == data.label_names
    assert result.model.label_origin == "prompt"
    assert result.calibration is not None
    best = [data.label_names[at] for at in logits_of(loaded(folder("gpt2"), prompt), data.pairs).argmax(axis=1)]
    assert answers_of_groups(result).seeds == tuple(best[pair] for pair in data.seed_pairs)


Score = Callable[..., Printed]
"""A function of a model and the options of `score`, with the exit code `code`, which scores two seeds."""


@pytest.fixture
def score_seeds(folder: Folder, command: Command, tmp_path: Path) -> Score:
    def run(kind: str, dataset: object, *options: str, code: int = 0) -> Printed:
        where = ["--dataset", dataset, "--config", "verb", "--limit-seeds", 2, "--out", tmp_path / "results"]
        return command("score", folder(kind), *where, *options, code=code)

    return run


def test_the_command_uses_each_prompt(
    score_seeds: Score, dataset: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    printed = score_seeds("gpt2", dataset, "--prompt", "word", "reasons", "letter").out
    assert not missing_from(printed, "tiny-gpt2 (word, ranked)", "tiny-gpt2 (letter, ranked)")
    assert "the prompt reasons asks for reasons" in caplog.text
    assert len(read_results(tmp_path / "results")) == 2


def test_the_prompt_of_other_tasks_names_their_texts_and_labels(
    score_seeds: Score, question_dataset: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    score_seeds("gpt2", question_dataset, "--prompt", "task")
    (result,) = read_results(tmp_path / "results")
    prompt = FilledPrompt(read_prompt("task"), ("no", "yes"), texts=TextNames("question", "sentence"))
    assert known(result.run.prompt).prompt_digest == prompt.digest
    assert result.compared_labels == ("no", "yes")
    assert "which the prompt" not in caplog.text
    score_seeds("gpt2", question_dataset, "--prompt", "word")
    assert "has question and sentence, which the prompt word calls premise and hypothesis" in caplog.text
    score_seeds("gpt2", question_dataset, "--prompt", "letter", "few_shot", code=2)
    assert len(read_results(tmp_path / "results")) == 2, "no prompt is scored if one of them has no shots"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--prompt", "reasons"], "asks for reasons"),
        (["--prompt", "word", "--model-labels", "infer"], "--model-labels"),
        (["--shots", "2"], "--shots needs --prompt"),
        ([], "--prompt"),
    ],
)
def test_what_does_not_fit_is_refused(score_seeds: Score, dataset: Path, options: list[str], message: str) -> None:
    assert message in " ".join(score_seeds("gpt2", dataset, *options, code=2).err.split())


@pytest.mark.parametrize("answer", ["", "n"])
def test_an_answer_without_tokens_of_its_own_is_refused(folder: Folder, answer: str) -> None:
    silent = {"text": lambda premise, hypothesis: f"{premise} {hypothesis} A ma", "continuations": (answer, " a", " b")}
    prompt: Any = type("Silent", (), {"messages": WORD.messages} | silent)
    refused("adds no token", loaded, folder("gpt2"), prompt)


def with_template(folder: Path, copy: Path, template: str) -> tuple[Path, Any]:
    """Copy a model with a chat template, and return it with its tokenizer."""

    def set_template(tokenizer: Any) -> None:  # noqa: ANN401
        tokenizer.chat_template = template

    return with_tokenizer(folder, copy, set_template)


SYSTEM_ROLE = """\
{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>
{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"""
REFUSES = "{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
TEXT_ONLY = "{% for message in messages %}{{ message.content }}{{ '\n\n' if not loop.last }}{% endfor %}"


def test_a_part_has_the_shots_of_the_whole_data(score_seeds: Score, tmp_path: Path) -> None:
    score_seeds("gpt2", "demo:dataset", "--prompt", "few_shot")
    (result,) = read_results(tmp_path / "results")
    whole = fill_prompt(read_prompt("few_shot"), open_config("demo:dataset", "verb"))
    assert known(result.run.prompt).prompt_digest == whole.digest


@pytest.mark.parametrize(
    ("template", "start", "answer"),
    [
        (SYSTEM_ROLE, "<|system|>How does", "<|assistant|>entailment"),
        (REFUSES + SYSTEM_ROLE, "<|user|>How does", "<|assistant|>entailment"),
        (TEXT_ONLY, "How does", "Answer: entailment"),
    ],
)
def test_a_chat_template_gets_the_prompt_as_messages(
    folder: Folder, tmp_path: Path, template: str, start: str, answer: str
) -> None:
    copy, tokenizer = with_template(folder("gpt2"), tmp_path / "tiny-chat", template)
    ranked = loaded(copy, WORD)
    ids = ranked._tokenize(PAIRS[:1], answer.removeprefix("Answer:").removeprefix("<|assistant|>")).tokens[IDS]
    text = tokenizer.decode(ids)
    assert text.startswith(start)
    assert text.endswith(answer)
    assert ranked.facts.chat
    assert not loaded(folder("gpt2"), WORD).facts.chat
    assert find_model(str(copy)).digest != find_model(str(folder("gpt2"))).digest


def test_a_result_says_that_a_chat_template_was_used(folder: Folder, tmp_path: Path) -> None:
    copy, _ = with_template(folder("gpt2"), tmp_path / "tiny-chat", SYSTEM_ROLE)
    data = part_of_data(open_config("demo:dataset", "verb"), limit_seeds=1, subsample=0)
    result = score_model(model_from_name(str(copy), ModelOptions(prompt=WORD, device="cpu")), data)
    assert known(result.run.prompt).settings == {"chat_template": "true"}


def test_scores_of_other_versions_of_prompts_are_not_used(folder: Folder) -> None:
    scored = model_from_name(str(folder("gpt2")), ModelOptions(prompt=WORD, device="cpu"))
    without_version = sha256_of_json([find_model(str(folder("gpt2"))).digest, WORD.digest])
    assert scored.key != replace(scored, record=replace(scored.record, digest=without_version)).key


@pytest.mark.slow
def test_an_adapter_is_merged_into_its_base_model(folder: Folder, tmp_path: Path) -> None:
    def logits(path: Path) -> Floats32:
        return logits_of(model_from_name(str(path), ModelOptions(prompt=WORD, device="cpu")).load(), PAIRS)

    base = folder("llama")
    modules = ["q_proj", "v_proj"]
    plain = auto_model.from_pretrained(base)
    adapter = save_adapter(tmp_path / "adapter", plain, task_type=TaskType.CAUSAL_LM, target_modules=modules)
    merged = Path(shutil.copytree(base, tmp_path / "merged"))
    adapted: Any = PeftModel.from_pretrained(auto_model.from_pretrained(base), str(adapter))
    adapted.merge_and_unload().save_pretrained(merged)
    with_adapter = logits(adapter)
    assert with_adapter == pytest.approx(logits(merged), abs=2e-4)
    assert not np.allclose(with_adapter, logits(base), atol=1e-2)


def test_an_adapter_of_a_classifier_is_refused(folder: Folder, tmp_path: Path) -> None:
    plain = auto_model.from_pretrained(folder("llama"))
    adapter = save_adapter(tmp_path / "adapter", plain, task_type=TaskType.CAUSAL_LM, target_modules=["q_proj"])
    config = adapter / "adapter_config.json"
    config.write_text(config.read_text(encoding="utf-8").replace("CAUSAL_LM", "SEQ_CLS"), encoding="utf-8")
    scored = model_from_name(str(adapter), ModelOptions(prompt=WORD, device="cpu"))
    refused("sequence classifier", scored.load)
