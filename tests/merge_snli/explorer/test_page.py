"""Tests of the page: its data against the data set and the results, and in Chromium each control, key and link."""

import gzip
import json
import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from merge_snli import MergeDataset, Result
from merge_snli.comparison.corpus import CorpusCounts
from merge_snli.explorer import data as explorer_data
from merge_snli.explorer.write import results_on, write_explorer
from merge_snli.leaderboard.boards import make_boards
from merge_snli.results import grouping
from merge_snli.results.rows import percent
from tests.browser import DESK, PHONE, Page, background, choose, errors_of, find, key, opened, texts_of
from tests.commands import Command
from tests.merge_snli.leaderboard.conftest import QUOTES, SCRIPT, SHIPPED, named
from tests.oracles import answers_of_groups, known, refused, variants_of
from tests.processes import wait_until


def unpacked(page: Path) -> dict[str, Any]:
    """Return the data of a page, as its script reads it."""
    content = gzip.decompress(b64decode(known(re.search(r'id="data">([^<]*)<', page.read_text(encoding="utf-8")))[1]))
    start = 4 + int.from_bytes(content[:4], "little")
    data: dict[str, Any] = json.loads(content[4:start])
    for name, kind, size in data["arrays"]:
        assert start % np.dtype(kind).itemsize == 0
        data[name] = np.frombuffer(content, f"<{kind}", size, start)
        start += data[name].nbytes
    assert start == len(content)
    return data


def test_the_page_has_every_answer(results: list[Result], bundled: MergeDataset, tmp_path: Path) -> None:
    data = unpacked(write_explorer(results, bundled, tmp_path))
    labels = data["labels"]
    words = data["words"]
    assert labels == ["entailment", "neutral", "contradiction", "not_entailment"]
    table = pq.read_table(SHIPPED / "data/all/test.parquet")
    assert (data["logOdds"] / 100).tolist() == pytest.approx(table["log_odds"].to_pylist(), abs=0.0051)
    for column in ("original", "replacement"):
        assert [words[number] for number in data[column]] == table[column].to_pylist()
    assert [data["classes"][number] for number in data["wordClass"]] == table["word_class"].to_pylist()
    seeds = [*dict.fromkeys(table["seed_id"].to_pylist())]
    assert data["ids"] == seeds
    starts = [table["seed_id"].to_pylist().index(seed) for seed in seeds]
    assert [*data["starts"]] == [*starts, len(table)]
    for result, answers in zip(results, data["answers"].reshape(len(results), -1), strict=True):
        expected = result.to_pandas(bundled).set_index("row_id")["answer"].to_dict()
        for name, answer in zip(table["variant_id"].to_pylist(), answers.tolist(), strict=True):
            if name not in expected:
                assert answer == 255
            elif isinstance(expected[name], str):
                assert labels[answer] == expected[name]
            else:
                assert answer == 254
    first, _, third = data["onSeeds"].reshape(len(results), -1)
    assert third[0] == 255
    assert [labels[each] for each in first] == list(answers_of_groups(results[0]).seeds or ())


def test_words_are_where_the_sentences_have_them(results: list[Result], bundled: MergeDataset, tmp_path: Path) -> None:
    texts = unpacked(write_explorer(results[:1], bundled, tmp_path))["texts"]
    for premise, hypothesis, words in zip(*(texts[name] for name in ("premises", "hypotheses", "words")), strict=True):
        assert words
        for word, *offsets in words:
            for sentence, starts in zip((premise, hypothesis), offsets, strict=True):
                assert starts
                assert {sentence[start : start + len(word)].lower() for start in starts} == {word.lower()}


@pytest.mark.parametrize(
    ("license_id", "with_text", "shown"),
    [("cc-by-sa-4.0", False, True), ("other", False, False), (None, False, False), (None, True, True)],
)
def test_sentences_are_shown_if_the_license_allows_or_on_request(
    results: list[Result], bundled: MergeDataset, tmp_path: Path, license_id: str | None, with_text: bool, shown: bool
) -> None:
    terms = replace(bundled.record.terms, license=license_id)
    dataset = replace(bundled, record=replace(bundled.record, terms=terms))
    data = unpacked(write_explorer(results[:1], dataset, tmp_path, with_text=with_text))
    assert (data["texts"] is not None) == shown


def test_names_are_data_and_no_markup(results: list[Result], bundled: MergeDataset, tmp_path: Path) -> None:
    page = write_explorer([named(results[0], SCRIPT, 1, None), named(results[1], QUOTES, 1, None)], bundled, tmp_path)
    text = page.read_text(encoding="utf-8")
    assert [part for part in (SCRIPT, 'onerror="document') if part in text] == []
    assert text.count("<script") == 2
    assert 'http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; script-src &#39;sha256-' in text
    assert not re.search(r'(src|href)="(?!#|https://arxiv|data:,)', text)


def test_the_scores_are_those_of_the_leaderboard(results: list[Result], bundled: MergeDataset, tmp_path: Path) -> None:
    data = unpacked(write_explorer(results_on(results, bundled), bundled, tmp_path))
    [board] = make_boards(results)
    assert data["models"] == [entry.name for entry in board.entries]
    for scores, entry in zip(data["scores"], board.entries, strict=True):
        row = entry.result.row
        assert scores["seeds"] == percent(row["seed_accuracy"])
        assert scores["variants"] == percent(row["sample_accuracy"])
        assert scores["pa"] == percent(row["pattern_accuracy"])
        assert scores["unranked"] == entry.unranked


def test_a_model_with_permuted_labels_is_in_no_mean(
    results: list[Result], bundled: MergeDataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reasons = {results[0].title: "they do"}
    for module in (grouping, explorer_data):
        monkeypatch.setattr(module, "permuted_labels", lambda result: reasons.get(result.title))
    data = unpacked(write_explorer(results, bundled, tmp_path))
    assert data["averaged"] == [*range(1, len(results))]
    assert [note for note in data["notes"] if note.endswith("because they do")]


def test_configs_with_results_are_named(results: list[Result], bundled: MergeDataset) -> None:
    refused(r"config noun of .* configs with results: all\)", results_on, results, bundled, "noun")
    refused(r"config all of .* configs with results: none\)", results_on, [], bundled)


def test_a_data_set_without_results_is_shown(
    bundled: MergeDataset, with_annotators: tuple[MergeDataset, list[Result]], tmp_path: Path, command: Command
) -> None:
    command("explore", "--dataset", "demo:dataset", "--out", tmp_path)
    data = unpacked(tmp_path / "index.html")
    assert (data["models"], data["scores"]) == ([], [])
    assert (len(data["ids"]), len(data["original"]), "answers" in data) == (78, 1073, False)
    nouns = unpacked(write_explorer([], bundled, tmp_path, config="noun"))
    assert nouns["config"] == "noun" and set(nouns["classes"]) == {"noun"}
    assert unpacked(write_explorer([], with_annotators[0], tmp_path))["annotators"] is not None


def test_the_command_writes_the_page(folder: Path, tmp_path: Path, command: Command) -> None:
    (tmp_path / "corpus.txt").write_text("A boy and a boy.\n")
    arguments = ["explore", str(folder), "--dataset", "demo:dataset", "--out", str(tmp_path / "site")]
    assert command(*arguments, "--corpus", tmp_path / "corpus.txt").out.split() == [
        str(tmp_path / "site" / "index.html")
    ]
    data = unpacked(tmp_path / "site" / "index.html")
    assert dict(zip(data["words"], data["frequency"], strict=True))["boy"] == 2


@pytest.fixture(scope="module")
def site(results: list[Result], bundled: MergeDataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    corpus = CorpusCounts("some text", "0" * 64, {"boy": 7, "girl": 3})
    return write_explorer(results, bundled, tmp_path_factory.mktemp("site"), corpus=corpus)


@pytest.fixture
def page(browser: Page, site: Path) -> Iterator[Page]:
    """The page of the explorer, in the order of the data."""
    open_page(browser, site, "#sort=data")
    yield browser
    assert errors_of(browser) == []


@pytest.fixture(scope="module")
def answers(results: list[Result], bundled: MergeDataset) -> pd.DataFrame:
    """All answers, a row per variant and model."""
    return pd.concat(
        [variants_of(result.to_pandas(bundled)).assign(model=result.title) for result in results], ignore_index=True
    )


def open_page(browser: Page, site: Path, link: str = "", **options: Any) -> None:  # noqa: ANN401 - of the screen
    opened(browser, site.as_uri() + link, **options)
    wait_until(lambda: browser.execute_script("return !document.body.classList.contains('loading')"))


def click(page: Page, selector: str) -> None:
    """Click what is below cards that are laid out only when they are scrolled to, and move it then."""
    scroll = (
        "const [one, done] = arguments; one.scrollIntoView({block: 'center'});"
        "requestAnimationFrame(() => setTimeout(done))"
    )
    for _ in range(2):
        page.execute_async_script(scroll, find(page, selector))
    find(page, selector).click()


def write(page: Page, name: str, text: str) -> None:
    find(page, f"#{name}").send_keys(text)


def selection(page: Page) -> list[str]:
    """Return the ids of the seeds on all pages, in order."""
    ids = texts_of(page, "#seeds .verdict code")
    while find(page, "#next").is_enabled():
        click(page, "#next")
        ids += texts_of(page, "#seeds .verdict code")
    assert texts_of(page, "#count")[0].startswith(f"{len(ids)} of 78 seeds" if ids else "No seed")
    return ids


def share(answers: pd.DataFrame, *, model: str | None = None) -> "pd.Series[float]":
    """Return the share of right variants of one or all models by seed, in the order of the data."""
    rows = answers if model is None else answers[answers["model"] == model]
    return (
        rows.dropna(subset="correct")
        .groupby("seed_id", sort=False)["correct"]
        .agg(lambda right: right.astype(bool).mean())
    )


@pytest.mark.slow
def test_the_hardest_seeds_stand_first_and_the_order_of_the_data_can_be_chosen(
    page: Page, site: Path, answers: pd.DataFrame
) -> None:
    open_page(page, site)
    assert selection(page) == [*share(answers).sort_values(kind="stable").index]
    choose(page, "#sort", "order of the data")
    assert selection(page) == [*answers["seed_id"].unique()]
    assert page.execute_script("return performance.getEntriesByType('resource').length") == 0


@pytest.mark.slow
def test_filters_by_class_label_and_search(page: Page, answers: pd.DataFrame) -> None:
    for control, column, value in (("#wordClass", "word_class", "verb"), ("#label", "label", "contradiction")):
        choose(page, control, value)
        assert selection(page) == [*answers.loc[answers[column] == value, "seed_id"].unique()]
        choose(page, control, "all")
    write(page, "q", "Boy")
    assert {*answers.loc[answers["replacement"] == "boy", "seed_id"]} <= {*selection(page)}
    find(page, "#clear").click()
    assert len(selection(page)) == 78
    write(page, "q", "no such word")
    assert selection(page) == []


@pytest.mark.slow
def test_filters_and_sorts_by_the_share_of_right_variants_and_fragile_seeds(page: Page, answers: pd.DataFrame) -> None:
    choose(page, "#model", "unsure")
    shares = share(answers, model="unsure")
    between = shares[(shares >= 0.4) & (shares <= 0.8)]
    write(page, "low", "40")
    write(page, "high", "80")
    assert selection(page) == [*between.index]
    choose(page, "#sort", "fewest right variants")
    assert selection(page) == [*between.sort_values(kind="stable").index]
    choose(page, "#sort", "most right variants")
    assert selection(page)[0] == between.sort_values(ascending=False, kind="stable").index[0]
    choose(page, "#sort", "most variants")
    assert len(selection(page)) == len(between)
    find(page, "#clear").click()
    choose(page, "#model", "unsure")
    choose(page, "#sort", "order of the data")
    find(page, "#fragile").click()
    own = answers[answers["model"] == "unsure"]
    right = {*own.loc[own["seed_correct"].astype(bool), "seed_id"]}
    expected = [seed for seed in shares.index if shares[seed] < 0.5 and seed in right]
    assert expected
    assert selection(page) == expected


@pytest.mark.slow
def test_seeds_on_which_two_models_differ(page: Page, answers: pd.DataFrame) -> None:
    choose(page, "#first", "org/careful")
    choose(page, "#second", "unsure")
    by_model = answers.fillna({"answer": "", "seed_answer": ""}).set_index("variant_id").groupby("model")
    one = by_model.get_group("org/careful")
    other = by_model.get_group("unsure")
    on_variants = (one["answer"] != other["answer"]).groupby(one["seed_id"]).sum()
    counts = on_variants + (one["seed_answer"] != other["seed_answer"]).groupby(one["seed_id"]).max()
    assert {*selection(page)} == {*counts[counts > 0].index}
    choose(page, "#sort", "most differing answers")
    found = [int(counts[seed]) for seed in selection(page)]
    assert found == sorted(found, reverse=True)


@pytest.mark.slow
def test_labels_of_annotators(
    browser: Page, site: Path, with_annotators: tuple[MergeDataset, list[Result]], tmp_path: Path
) -> None:
    dataset, models = with_annotators
    open_page(browser, site)
    assert not find(browser, "#agreement").is_displayed()
    open_page(browser, write_explorer(models, dataset, tmp_path), "#sort=data")
    rows = variants_of(models[1].to_pandas(dataset)).groupby("seed_id", sort=False).first()
    assert texts_of(browser, "#seeds .annotators")[0].split()[1] == "5"
    choose(browser, "#model", "two")
    write(browser, "agreement", "80")
    assert selection(browser) == [*rows.index[rows["agreement"] >= 0.8]]
    find(browser, "#clear").click()
    choose(browser, "#model", "two")
    choose(browser, "#sort", "farthest from the annotators' labels")
    shares = {seed: row[f"annotators:{row['seed_answer']}"] for seed, row in rows.iterrows()}
    assert shares[selection(browser)[0]] == np.nanmin([*shares.values()])


@pytest.mark.slow
def test_a_card_shows_each_answer_and_swaps_the_word(page: Page, answers: pd.DataFrame) -> None:
    first = "#seeds > li:first-child"
    own = answers[answers["seed_id"] == find(page, first).get_attribute("data-id")]
    find(page, f"{first} .more").click()
    rows = texts_of(page, f"{first} tbody tr:not(.of-seed) .word")
    assert {row.split(" → ")[1] for row in rows} == {*own["replacement"]}
    wrong = page.find_elements("css selector", f"{first} tr:not(.of-seed) .wrong")
    assert len(wrong) == (~own["correct"].dropna().astype(bool)).sum()
    find(page, f"{first} .more").click()
    assert len(texts_of(page, f"{first} tbody tr")) == 7
    button = find(page, f"{first} .word")
    button.click()
    assert {*texts_of(page, f"{first} mark.swapped")} == {button.text.split(" → ")[1]}
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    assert texts_of(page, f"{first} mark.swapped") == []


@pytest.mark.slow
def test_a_seed_and_a_view_have_links(page: Page, site: Path) -> None:
    seed = texts_of(page, "#seeds .verdict code")
    find(page, "#seeds > li:nth-child(2) .verdict a").click()
    wait_until(lambda: len(texts_of(page, "#seeds .verdict code")) == 1)
    link = page.current_url.partition("#")[2]
    open_page(page, site, f"#{link}")
    assert len(texts_of(page, "#seeds .verdict code")) == 1
    assert link == f"seed={texts_of(page, '#seeds .verdict code')[0]}"
    find(page, "#back").click()
    wait_until(lambda: len(texts_of(page, "#seeds .verdict code")) == len(seed))
    open_page(page, site, "#view=words&model=1&least=1")
    assert find(page, "#model").get_attribute("value") == "1"
    open_page(page, site, "#model=99&seed=none&sort=nonsense&page=-3&label=x")
    assert len(selection(page)) == 78


@pytest.mark.slow
def test_words_that_flip_answers(page: Page, answers: pd.DataFrame) -> None:
    find(page, "#view-words").click()
    choose(page, "#model", "org/careful")
    own = answers[answers["model"] == "org/careful"]
    flips = (own["answer"] != own["seed_answer"]).groupby(own["replacement"]).agg(["size", "sum"])
    words, shown, shares, frequencies = (
        texts_of(page, f"#words tbody td:{place}")
        for place in ("first-child", "nth-child(3)", "nth-child(4)", "last-child")
    )
    expected = flips.loc[flips["size"] >= 5, "sum"].astype(str).to_dict()
    assert dict(zip(words, shown, strict=True)) == expected
    assert frequencies[words.index("boy")] == "7"
    numbers = [float(text) for text in shares]
    assert numbers == sorted(numbers, reverse=True)
    for at, name in enumerate(texts_of(page, "#words thead button")):
        page.find_elements("css selector", "#words thead button")[at].click()
        assert texts_of(page, "#words th[aria-sort=descending]") == [name]
    find(page, "#least").clear()
    write(page, "least", "1")
    assert len(texts_of(page, "#words tbody tr")) == own["replacement"].nunique()
    find(page, "#words tbody a").click()
    wait_until(lambda: find(page, "#seeds-view").is_displayed())
    assert find(page, "#q").get_attribute("value") != ""


@pytest.mark.slow
def test_csv_of_the_selection(browser: Page, site: Path, answers: pd.DataFrame, tmp_path: Path) -> None:
    browser.execute_cdp_cmd("Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    open_page(browser, site, "#label=2&wordClass=0")
    find(browser, "#csv").click()
    wait_until(lambda: (tmp_path / "seeds.csv").exists())
    rows = pd.read_csv(tmp_path / "seeds.csv", keep_default_na=False).set_index("variant_id")
    own = answers[answers["model"] == "org/careful"].set_index("variant_id")
    first = rows.iloc[0]
    chosen = own[(own["label"] == first["label"]) & (own["word_class"] == first["word_class"])]
    assert {*rows.index} == {*chosen.index}
    assert rows.loc[chosen.index, "org/careful"].tolist() == chosen["answer"].tolist()
    find(browser, "#view-words").click()
    find(browser, "#csv").click()
    wait_until(lambda: (tmp_path / "words.csv").exists())
    assert (tmp_path / "words.csv").read_text(encoding="utf-8").startswith("word,variants,flips,share,odds,frequency\n")


@pytest.mark.slow
def test_keys(page: Page) -> None:
    def press(letter: str) -> None:
        page.switch_to.active_element.send_keys(letter)

    def focused() -> str | None:
        found: str | None = page.execute_script("return document.activeElement.dataset.id ?? document.activeElement.id")
        return found

    first_page = texts_of(page, "#seeds .verdict code")
    for letter, expected in (("j", first_page[0]), ("j", first_page[1]), ("k", first_page[0])):
        press(letter)
        assert focused() == expected
    press(key("ENTER"))
    assert len(texts_of(page, "#seeds > li:first-child tbody tr")) > 7
    press("n")
    assert texts_of(page, "#position")[0].startswith("page 2")
    press("p")
    assert texts_of(page, "#seeds .verdict code") == first_page
    for letter, view in (("w", "#words-view"), ("s", "#seeds-view")):
        press(letter)
        assert find(page, view).is_displayed()
    press("/")
    assert focused() == "q"
    press("j")
    assert find(page, "#q").get_attribute("value") == "j"


@pytest.mark.slow
def test_links_and_buttons_of_the_frame(page: Page) -> None:
    page.switch_to.active_element.send_keys(key("TAB"))
    skip = page.switch_to.active_element
    assert skip.text == "Skip to content"
    skip.send_keys(key("ENTER"))
    assert page.switch_to.active_element.get_attribute("id") == "main"
    for view in ("words", "seeds"):
        find(page, f"#view-{view}").click()
        assert find(page, f"#{view}-view").is_displayed()
    choose(page, "#label", "neutral")
    assert len(selection(page)) < 78
    find(page, "#home").click()
    wait_until(lambda: find(page, "#label").get_attribute("value") == "")
    assert len(selection(page)) == 78


@pytest.mark.slow
@pytest.mark.parametrize(("screen", "theme"), [(DESK, "dark"), (PHONE, "light"), (PHONE, "dark")])
def test_it_fits_phones_and_follows_the_theme(browser: Page, site: Path, screen: dict[str, Any], theme: str) -> None:
    for link in ("", "#view=words"):
        open_page(browser, site, link, screen=screen, theme=theme)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= screen["width"]
        heights = "return [...document.querySelectorAll('.field:not([hidden])')].map((one) => one.offsetHeight)"
        assert max(browser.execute_script(heights)) < 80  # a label, and its control beside or below it
    before = background(browser)
    assert (sum(map(int, before[4:-1].split(","))) < 200) == (theme == "dark")
    for shown in ("light", "dark"):
        find(browser, "#theme").click()
        assert texts_of(browser, "#theme") == [f"Theme: {shown}"]
    assert (background(browser) == before) == (theme == "dark")
    find(browser, "#theme").click()
    assert texts_of(browser, "#theme") == ["Theme: auto"]


@pytest.mark.slow
def test_without_answers_the_page_shows_seeds_variants_and_words(
    browser: Page, bundled: MergeDataset, tmp_path: Path
) -> None:
    open_page(browser, write_explorer([], bundled, tmp_path))
    assert len(selection(browser)) == 78
    for hidden in ("#model", "#low", "#first", "#fragile", "#models", ".of-seed"):
        assert not find(browser, hidden).is_displayed(), hidden
    open_page(browser, tmp_path / "index.html", "#sort=fewest&by=share")
    rows = pq.read_table(SHIPPED / "data/all/test.parquet").to_pandas()
    sizes = rows["seed_id"].value_counts()
    counts = [int(text.split()[0]) for text in texts_of(browser, "#seeds .verdict span:nth-of-type(2)")]
    assert counts == [sizes[name] for name in texts_of(browser, "#seeds .verdict code")]
    choose(browser, "#sort", "variants")
    assert sizes[texts_of(browser, "#seeds .verdict code")[0]] == sizes.max()
    find(browser, "#view-words").click()
    assert texts_of(browser, "#words thead th") == ["Replacement", "Variants", "Mean log-odds"]
    word, variants, _ = texts_of(browser, "#words tbody tr:first-child td")
    words = rows["replacement"].value_counts()
    assert words[word] == int(variants) == words.max()
    assert errors_of(browser) == []


@pytest.mark.slow
def test_pages(page: Page) -> None:
    first = texts_of(page, "#seeds .verdict code")
    assert not find(page, "#previous").is_enabled()
    click(page, "#next")
    assert texts_of(page, "#position") == ["page 2 of 8"]
    second = texts_of(page, "#seeds .verdict code")
    assert not {*first} & {*second}
    click(page, "#next")
    click(page, "#previous")
    assert texts_of(page, "#seeds .verdict code") == second
    click(page, "#previous")
    assert texts_of(page, "#seeds .verdict code") == first
