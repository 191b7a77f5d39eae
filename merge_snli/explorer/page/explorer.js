// The explorer: unpack the data, count right answers once, then filter and sort seeds or words by counts.

const PAGE_SIZE = 10;
const ROWS_SHOWN = 6;
const WORDS_SHOWN = 200;
const NO_ANSWER = 254;
const NOT_ASKED = 255;
const ARRAYS = { u4: Uint32Array, i2: Int16Array, u1: Uint8Array };

/** Return a number with some digits, never -0.0. */
const fixed = (value, digits) => (Number(value.toFixed(digits)) || 0).toFixed(digits);

const DEFAULTS = {
  view: "seeds",
  seed: "",
  q: "",
  wordClass: "",
  label: "",
  model: "",
  low: "",
  high: "",
  first: "",
  second: "",
  fragile: "",
  agreement: "",
  sort: "fewest",
  page: "0",
  least: "5",
  by: "share",
};

const SORTS = {
  data: "order of the data",
  fewest: "fewest right variants",
  most: "most right variants",
  differ: "most differing answers",
  variants: "most variants",
  label: "gold label",
  wordClass: "word class",
  annotators: "farthest from the annotators' labels",
};

let data;
let state = { ...DEFAULTS };
let totals;
let shown = [];
let shownWords = [];
const wholeSeeds = new Set();

async function unpack() {
  const coded = atob(byId("data").textContent);
  const bytes = new Uint8Array(coded.length);
  for (let at = 0; at < coded.length; at++) bytes[at] = coded.charCodeAt(at);
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const buffer = await new Response(plain).arrayBuffer();
  let start = 4 + new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, start - 4)));
  for (const [name, type, size] of header.arrays) {
    header[name] = new ARRAYS[type](buffer, start, size);
    start += size * ARRAYS[type].BYTES_PER_ELEMENT;
  }
  byId("data").textContent = "";
  return header;
}

/** Prepare what every filter needs: the seed of each variant, and counts of right variants by model, class and seed. */
function prepare() {
  const { models, classes, ids, starts, labels } = data;
  const n = data.original.length;
  const seeds = ids.length;
  data.n = n;
  data.right = labels.map((gold) => labels.map((answer) => answer === gold || isRightInTwo(gold, answer, labels)));
  data.seedOf = new Uint32Array(n);
  for (let seed = 0; seed < seeds; seed++) data.seedOf.fill(seed, starts[seed], starts[seed + 1]);
  data.predicted = models.map(() => classes.map(() => new Uint32Array(seeds)));
  data.correct = models.map(() => classes.map(() => new Uint32Array(seeds)));
  for (let model = 0; model < models.length; model++) {
    const offset = model * n;
    for (let row = 0; row < n; row++) {
      const answer = data.answers[offset + row];
      if (answer === NOT_ASKED) continue;
      const seed = data.seedOf[row];
      const ofClass = data.wordClass[row];
      data.predicted[model][ofClass][seed]++;
      if (answer !== NO_ANSWER && data.right[data.gold[seed]][answer]) data.correct[model][ofClass][seed]++;
    }
  }
  data.searched = ids.map((id, seed) =>
    [id, ...(data.texts ? [data.texts.premises[seed], data.texts.hypotheses[seed]] : [])].join("\n").toLowerCase(),
  );
  data.lowerWords = data.words.map((word) => word.toLowerCase());
}

/** Return the share of the annotators of a seed who gave a label, or one that it stands for; NaN without their labels. */
function shareOfAnnotators(seed, label) {
  const votes = data.annotators[seed];
  const given = votes.reduce((sum, number, gold) => sum + (data.right[gold][label] ? number : 0), 0);
  return given / votes.reduce((sum, number) => sum + number, 0);
}

/** Return the distance of the answers to each seed from its annotators' labels, mean over the models that answer. */
function annotatorDistances() {
  return data.ids.map((_, seed) => {
    const answers = chosenModels().map((model) => onSeed(model, seed)).filter((answer) => answer < NO_ANSWER);
    return answers.reduce((sum, answer) => sum + 1 - shareOfAnnotators(seed, answer), 0) / answers.length;
  });
}

/** Return whether a model with two labels is right: its not_entailment stands for neutral and contradiction. */
const isRightInTwo = (gold, answer) => answer === "not_entailment" && (gold === "neutral" || gold === "contradiction");

const isRight = (seed, answer) => answer < NO_ANSWER && data.right[data.gold[seed]][answer];
const answerOf = (model, row) => data.answers[model * data.n + row];
const onSeed = (model, seed) => data.onSeeds[model * data.ids.length + seed];
const chosenModels = () => (state.model === "" ? data.averaged : [Number(state.model)]);

/** Return whether each word class is chosen, by its number. */
const chosenClasses = () => Uint8Array.from(data.classes, (_, at) => state.wordClass === "" || at === Number(state.wordClass));

/** Return how many variants each seed has in the chosen classes. */
function variantCounts() {
  const variants = new Uint32Array(data.ids.length);
  const inClass = chosenClasses();
  data.wordClass.forEach((ofClass, row) => (variants[data.seedOf[row]] += inClass[ofClass]));
  return variants;
}

/** Return how many variants of each seed some models predicted, and how many of them right. */
function counts(models) {
  const predicted = new Uint32Array(data.ids.length);
  const right = new Uint32Array(data.ids.length);
  chosenClasses().forEach((isChosen, ofClass) => {
    if (!isChosen) return;
    for (const model of models) {
      const [predictedOf, correctOf] = [data.predicted[model][ofClass], data.correct[model][ofClass]];
      for (let seed = 0; seed < predicted.length; seed++) {
        predicted[seed] += predictedOf[seed];
        right[seed] += correctOf[seed];
      }
    }
  });
  return { predicted, right };
}

/** Return whether each seed is answered right and most of its variants wrong, by any of the chosen models. */
function fragileSeeds() {
  const fragile = new Uint8Array(data.ids.length);
  for (const model of chosenModels()) {
    const { predicted, right } = counts([model]);
    for (let seed = 0; seed < fragile.length; seed++) {
      const mostWrong = predicted[seed] > 0 && right[seed] < predicted[seed] / 2;
      if (mostWrong && isRight(seed, onSeed(model, seed))) fragile[seed] = 1;
    }
  }
  return fragile;
}

/** Return the number of answers that differ on each seed: of the two chosen models, or of any to the first one's. */
function differences() {
  const [differing, inClass, { n, answers, wordClass, seedOf }] = [new Uint32Array(data.ids.length), chosenClasses(), data];
  const pair = state.first !== "" && state.second !== "";
  const [one, ...others] = pair ? [Number(state.first), Number(state.second)] : data.models.map((_, at) => at);
  for (const other of others) {
    for (let seed = 0; seed < differing.length; seed++) differing[seed] += onSeed(one, seed) !== onSeed(other, seed);
    for (let row = 0; row < n; row++) {
      if (answers[one * n + row] !== answers[other * n + row] && inClass[wordClass[row]]) differing[seedOf[row]]++;
    }
  }
  return differing;
}

/** Return the words that a search finds, as flags by number; null for an empty search. */
function wordsFound() {
  const query = state.q.trim().toLowerCase();
  return query && Uint8Array.from(data.lowerWords, (word) => word.includes(query));
}

function seedsFound() {
  const query = state.q.trim().toLowerCase();
  const matches = new Uint8Array(data.ids.length);
  const words = wordsFound();
  if (words) {
    const [inClass, { n, wordClass, original, replacement, seedOf }] = [chosenClasses(), data];
    for (let row = 0; row < n; row++) {
      if (inClass[wordClass[row]] && (words[replacement[row]] || words[original[row]])) matches[seedOf[row]] = 1;
    }
    data.searched.forEach((text, seed) => (matches[seed] |= text.includes(query)));
  } else matches.fill(1);
  return matches;
}

/** Return the numbers of the seeds that pass all filters, sorted. */
function selected() {
  if (state.seed !== "") return [data.ids.indexOf(state.seed)];
  const matches = seedsFound();
  const pair = state.first !== "" && state.second !== "";
  const differ = pair || state.sort === "differ" ? differences() : null;
  const fragile = state.fragile === "" ? null : fragileSeeds();
  const { variants, predicted, right } = totals;
  const distance = state.sort === "annotators" ? annotatorDistances() : null;
  const share = Float64Array.from(right, (number, seed) => number / predicted[seed]);
  const seeds = [];
  for (let seed = 0; seed < matches.length; seed++) {
    if (
      matches[seed] &&
      (data.models.length ? predicted : variants)[seed] > 0 &&
      (state.label === "" || data.gold[seed] === Number(state.label)) &&
      (state.low === "" || share[seed] * 100 >= Number(state.low)) &&
      (state.high === "" || share[seed] * 100 <= Number(state.high)) &&
      (state.agreement === "" || shareOfAnnotators(seed, data.gold[seed]) * 100 >= Number(state.agreement)) &&
      (!pair || differ[seed] > 0) &&
      (!fragile || fragile[seed])
    )
      seeds.push(seed);
  }
  const orders = {
    fewest: (a, b) => share[a] - share[b],
    most: (a, b) => share[b] - share[a],
    differ: (a, b) => differ[b] - differ[a],
    variants: (a, b) => variants[b] - variants[a],
    label: (a, b) => data.gold[a] - data.gold[b],
    wordClass: (a, b) => data.wordClass[data.starts[a]] - data.wordClass[data.starts[b]],
    annotators: (a, b) => (Number.isNaN(distance[a]) - Number.isNaN(distance[b])) || distance[b] - distance[a],
  };
  return state.sort in orders ? seeds.sort((a, b) => orders[state.sort](a, b) || a - b) : seeds;
}

// Seeds as cards.

function sentence(name, text, replaced, side, original, replacement) {
  const words = replaced
    .flatMap(([word, ...offsets]) => offsets[side].map((start) => [start, word]))
    .sort((a, b) => a[0] - b[0]);
  const pieces = [];
  let end = 0;
  for (const [start, word] of words) {
    if (start < end) continue;
    const written = text.slice(start, start + word.length);
    const swapped = word === original;
    const now = swapped ? inCaseOf(replacement, written, word) : written;
    pieces.push(text.slice(end, start), el("mark", { class: swapped ? "swapped" : null }, now));
    end = start + word.length;
  }
  return [el("abbr", { title: name }, name[0].toUpperCase() + (/\d+$/.exec(name) ?? "")), ...pieces, text.slice(end)];
}

/** Return a replacement in the case in which the original is written at a position. */
function inCaseOf(replacement, written, original) {
  if (written === original) return replacement;
  if (written === written.toUpperCase()) return replacement.toUpperCase();
  const isCapital = written[0] === written[0].toUpperCase();
  return (isCapital ? replacement[0].toUpperCase() : replacement[0].toLowerCase()) + replacement.slice(1);
}

const cells = new Map();

/** Return a cell of the table: a copy of one that was made for the same model, answer and verdict. */
function answerCell(seed, answer, model) {
  const key = `${model} ${answer} ${isRight(seed, answer)} ${String(model) === state.model}`;
  if (!cells.has(key)) cells.set(key, newCell(answer, isRight(seed, answer) ? "right" : "wrong", model));
  return cells.get(key).cloneNode(true);
}

function newCell(answer, verdict, model) {
  const chosen = { class: String(model) === state.model ? "chosen" : null };
  if (answer === NOT_ASKED) return el("td", chosen);
  const label = answer === NO_ANSWER ? "no answer" : data.labels[answer];
  const title = `${data.models[model]}: ${label}, ${verdict}`;
  const text = answer === NO_ANSWER ? "?" : (SHORT[label] ?? label);
  const hidden = el("span", { class: "visually-hidden" }, ` ${verdict}`);
  return el("td", chosen, el("span", { class: `cell ${verdict}`, "data-label": label, title }, text, hidden));
}

/** Return the variants of a seed in the chosen class, those with the most wrong answers of the chosen models first. */
function rowsOf(seed) {
  const [models, inClass] = [chosenModels(), chosenClasses()];
  const rows = [];
  for (let row = data.starts[seed]; row < data.starts[seed + 1]; row++) {
    if (!inClass[data.wordClass[row]]) continue;
    let wrong = 0;
    for (const model of models) {
      const answer = answerOf(model, row);
      wrong += answer !== NOT_ASKED && !isRight(seed, answer);
    }
    rows.push([wrong, row]);
  }
  return rows.sort((a, b) => b[0] - a[0] || a[1] - b[1]).map(([, row]) => row);
}

const oddsOf = (row) => data.logOdds[row] / data.logOddsScale;

/** Return how many variants of a seed are right, by the chosen models; without models, how many it has. */
function countText(seed) {
  const [variants, predicted, right] = [totals.variants[seed], totals.predicted[seed], totals.right[seed]];
  if (!data.models.length) return `${count(variants)} variants`;
  const mean = state.model === "" ? "answers to variants right" : `variants right by ${data.models[Number(state.model)]}`;
  return `${count(right)} of ${count(predicted)} ${mean} (${percent(right / predicted, 0)}%)`;
}

function card(seed) {
  const id = data.ids[seed];
  const link = el("a", { href: address({ ...DEFAULTS, seed: id }), title: "Link to this seed" }, el("code", {}, id));
  const votes = data.annotators?.[seed].map((number, label) => (number ? `${number} ${data.labels[label]}` : "")).filter(Boolean);
  const head = el(
    "p",
    { class: "verdict" },
    labelChip(data.labels[data.gold[seed]], "gold"),
    el("span", {}, countText(seed)),
    ...(votes?.length ? [el("span", { class: "annotators" }, `Annotators: ${votes.join(", ")}`)] : []),
    link,
  );
  const premise = el("p", { class: "sentence" });
  const hypothesis = el("p", { class: "sentence" });
  const show = (original, replacement) => {
    const { premises, hypotheses, words } = data.texts;
    premise.replaceChildren(...sentence(data.textNames[0], premises[seed], words[seed], 0, original, replacement));
    hypothesis.replaceChildren(...sentence(data.textNames[1], hypotheses[seed], words[seed], 1, original, replacement));
  };
  if (data.texts) show(null, null);
  const item = el("li", { tabindex: "-1", "data-id": id }, head, ...(data.texts ? [premise, hypothesis] : []));
  item.append(...answerTable(seed, show, item));
  return item;
}

function answerTable(seed, show, item) {
  const rows = rowsOf(seed);
  const isWhole = wholeSeeds.has(seed) || state.seed !== "";
  const visible = isWhole ? rows : rows.slice(0, ROWS_SHOWN);
  const head = el(
    "tr",
    {},
    el("th", { scope: "col" }, "Replacement"),
    el("th", { scope: "col", class: "odds" }, "Log-odds"),
    ...data.shortNames.map((name, at) =>
      el("th", { scope: "col", title: data.models[at], class: String(at) === state.model ? "chosen" : null }, el("span", {}, name)),
    ),
  );
  const cellsOf = (answer) => data.models.map((_, model) => answerCell(seed, answer(model), model));
  const first = el(
    "tr",
    { class: "of-seed of-answers" },
    el("th", { scope: "row" }, "seed"),
    el("td", {}),
    ...cellsOf((model) => onSeed(model, seed)),
  );
  const body = visible.map((row) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, wordButton(row, show, item)),
      el("td", { class: "odds" }, fixed(oddsOf(row), 1)),
      ...cellsOf((model) => answerOf(model, row)),
    ),
  );
  const table = el("table", { class: "answers" }, el("thead", {}, head), el("tbody", {}, first, ...body));
  const more = el("button", { type: "button", class: "quiet more", onclick: () => toggleRows(seed, item) });
  more.textContent = isWhole ? `Show ${ROWS_SHOWN} variants` : `Show all ${count(rows.length)} variants`;
  const scroll = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Answers" }, table);
  return [scroll, ...(rows.length > ROWS_SHOWN && state.seed === "" ? [more] : [])];
}

function wordButton(row, show, item) {
  const [original, replacement] = [data.words[data.original[row]], data.words[data.replacement[row]]];
  const toggle = (event) => {
    const press = event.currentTarget.getAttribute("aria-pressed") === "false";
    for (const button of item.querySelectorAll(".word")) button.setAttribute("aria-pressed", "false");
    event.currentTarget.setAttribute("aria-pressed", String(press));
    if (data.texts) show(press ? original : null, replacement);
  };
  const button = el("button", { type: "button", class: "word", "aria-pressed": "false", onclick: toggle });
  button.append(el("small", {}, `${original} → `), replacement);
  return button;
}

function toggleRows(seed, item) {
  if (!wholeSeeds.delete(seed)) wholeSeeds.add(seed);
  const next = card(seed);
  item.replaceWith(next);
  next.focus();
}

function renderSeeds() {
  totals = { variants: variantCounts(), ...counts(chosenModels()) };
  shown = selected();
  const pages = Math.max(1, Math.ceil(shown.length / PAGE_SIZE));
  const page = Math.min(Math.max(0, Number(state.page) || 0), pages - 1);
  state.page = String(page);
  byId("seeds").replaceChildren(...shown.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE).map(card));
  byId("position").textContent = `page ${page + 1} of ${count(pages)}`;
  byId("previous").disabled = page === 0;
  byId("next").disabled = page === pages - 1;
  byId("back-line").hidden = state.seed === "";
  byId("count").textContent = shown.length
    ? `${count(shown.length)} of ${count(data.ids.length)} seeds`
    : "No seed matches these filters.";
}

/** Return the share of the variants that a model answers otherwise than their seed. */
function flipsOf(model) {
  let [pairs, flips] = [0, 0];
  for (let row = 0; row < data.n; row++) {
    const [answer, before] = [answerOf(model, row), onSeed(model, data.seedOf[row])];
    if (answer >= NO_ANSWER || before >= NO_ANSWER) continue;
    pairs++;
    flips += answer !== before;
  }
  return pairs ? flips / pairs : null;
}

function renderModels() {
  const head = ["Model", "Seeds", "Variants", "PA(0.9)", "Flips"];
  const rows = data.models.map((name, model) => {
    const button = el("button", { type: "button", class: "word", onclick: () => choose({ model: String(model) }) }, name);
    const { seeds, variants, pa, unranked } = data.scores[model];
    const apart = unranked && el("small", { title: unranked }, ` not ranked: ${unranked}`);
    const shares = [seeds, variants, pa].map((share) => el("td", {}, share === null ? NO_VALUE : share.toFixed(1)));
    return el("tr", {}, el("th", { scope: "row" }, button, apart), ...shares, el("td", {}, percent(flipsOf(model))));
  });
  const titles = el("tr", {}, ...head.map((title) => el("th", { scope: "col" }, title)));
  byId("models").replaceChildren(el("thead", {}, titles), el("tbody", {}, ...rows));
}

// Words: how often a replacement flips the answer.

function wordRows() {
  const size = data.words.length;
  const [variants, flips, odds] = [new Uint32Array(size), new Uint32Array(size), new Float64Array(size)];
  const words = wordsFound();
  const [models, inClass] = [chosenModels(), chosenClasses()];
  const ofLabel = Uint8Array.from(data.gold, (gold) => state.label === "" || gold === Number(state.label));
  for (let row = 0; row < data.n; row++) {
    const seed = data.seedOf[row];
    const word = data.replacement[row];
    if (!inClass[data.wordClass[row]] || (words && !words[word]) || !ofLabel[seed]) continue;
    if (!data.models.length) {
      variants[word]++;
      odds[word] += data.logOdds[row];
    }
    for (const model of models) {
      const answer = answerOf(model, row);
      const before = onSeed(model, seed);
      if (answer >= NO_ANSWER || before >= NO_ANSWER) continue;
      variants[word]++;
      odds[word] += data.logOdds[row];
      if (answer !== before) flips[word]++;
    }
  }
  const least = Math.max(1, Number(state.least) || 1) * (models.length || 1);
  const rows = [];
  for (let word = 0; word < size; word++) {
    if (variants[word] < least) continue;
    rows.push({
      word: data.words[word],
      variants: variants[word],
      flips: flips[word],
      share: flips[word] / variants[word],
      odds: odds[word] / variants[word] / data.logOddsScale,
      frequency: data.frequency ? data.frequency[word] : null,
    });
  }
  const by = wordColumns().includes(state.by) ? state.by : data.models.length ? "share" : "variants";
  return rows.sort((a, b) => (by === "word" ? a.word.localeCompare(b.word) : b[by] - a[by]) || b.variants - a.variants);
}

const rowsBy = { word: "Replacement", variants: "Answers", flips: "Flips", share: "Flips, %", odds: "Mean log-odds", frequency: "Frequency" };
const OF_ANSWERS = ["flips", "share"];

/** Return the columns of the table of words that the page has numbers for. */
const wordColumns = () =>
  Object.keys(rowsBy).filter((name) =>
    name === "frequency" ? data.frequency : data.models.length || !OF_ANSWERS.includes(name),
  );

function renderWords() {
  shownWords = wordRows();
  const columns = wordColumns();
  const head = columns.map((name) => {
    const button = el("button", { type: "button", onclick: () => choose({ by: name }) }, rowsBy[name]);
    return el("th", { scope: "col", "aria-sort": state.by === name ? "descending" : "none" }, button);
  });
  const write = {
    word: (row) => el("a", { href: address({ ...DEFAULTS, q: row.word, model: state.model }) }, row.word),
    variants: (row) => count(row.variants),
    flips: (row) => count(row.flips),
    share: (row) => percent(row.share),
    odds: (row) => fixed(row.odds, 2),
    frequency: (row) => count(row.frequency),
  };
  const rows = shownWords.slice(0, WORDS_SHOWN).map((row) => el("tr", {}, ...columns.map((name) => el("td", {}, write[name](row)))));
  byId("words").replaceChildren(el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows));
  const more = shownWords.length > WORDS_SHOWN ? `, the first ${WORDS_SHOWN} are shown` : "";
  byId("count").textContent = `${count(shownWords.length)} replacements${more}`;
}

// The state, which links have, the controls and the keys.

function address(next) {
  return `#${new URLSearchParams(Object.entries(next).filter(([name, value]) => value !== DEFAULTS[name]))}`;
}

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  state = Object.fromEntries(Object.entries(DEFAULTS).map(([name, value]) => [name, given.get(name) ?? value]));
  if (!data.ids.includes(state.seed)) state.seed = "";
  const isIndex = (name, list) => /^\d+$/.test(state[name]) && Number(state[name]) < list.length;
  for (const name of ["model", "first", "second"]) if (!isIndex(name, data.models)) state[name] = "";
  if (!isIndex("wordClass", data.classes)) state.wordClass = "";
  if (!isIndex("label", data.labels)) state.label = "";
  if (!data.annotators) state.agreement = "";
  if (!(state.sort in SORTS)) state.sort = DEFAULTS.sort;
  if (state.view !== "words") state.view = DEFAULTS.view;
}

/** Change the state, without a new entry in the history; another filter starts at the first page. */
function choose(changes) {
  Object.assign(state, { page: "0" }, changes);
  history.replaceState(null, "", address(state));
  render();
}

const CONTROLS = ["q", "wordClass", "label", "model", "low", "high", "first", "second", "agreement", "sort", "least"];

function render() {
  for (const name of CONTROLS) if (byId(name).value !== state[name]) byId(name).value = state[name];
  byId("fragile").checked = state.fragile !== "";
  const isWords = state.view === "words";
  byId("view-seeds").setAttribute("aria-pressed", String(!isWords));
  byId("view-words").setAttribute("aria-pressed", String(isWords));
  byId("seeds-view").hidden = isWords;
  byId("words-view").hidden = !isWords;
  for (const element of document.querySelectorAll(".of-seeds")) element.hidden = isWords;
  for (const element of document.querySelectorAll(".of-words")) element.hidden = !isWords;
  if (isWords) renderWords();
  else renderSeeds();
}

function fill(id, names, values = names.map((_, at) => String(at)), all = "all") {
  const options = names.map((name, at) => el("option", { value: values[at] }, name));
  byId(id).replaceChildren(...(all === null ? [] : [el("option", { value: "" }, all)]), ...options);
}

function csvCell(value) {
  const text = String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvLines() {
  if (state.view === "words") {
    const columns = wordColumns();
    return [columns, ...shownWords.map((row) => columns.map((name) => row[name]))];
  }
  const text = (answer) => (answer === NOT_ASKED ? "" : answer === NO_ANSWER ? "no answer" : data.labels[answer]);
  const lines = [["variant_id", "seed_id", "word_class", "original", "replacement", "log_odds", "label", ...data.models]];
  for (const seed of shown) {
    for (const row of rowsOf(seed).sort((a, b) => a - b)) {
      const [id, ofClass] = [data.ids[seed], data.classes[data.wordClass[row]]];
      const [original, replacement] = [data.words[data.original[row]], data.words[data.replacement[row]]];
      const variant = [id, ofClass, original, replacement];
      const answers = data.models.map((_, model) => text(answerOf(model, row)));
      lines.push([variant.join(":"), ...variant, oddsOf(row), data.labels[data.gold[seed]], ...answers]);
    }
  }
  return lines;
}

function download() {
  const content = csvLines().map((line) => `${line.map(csvCell).join(",")}\n`);
  const url = URL.createObjectURL(new Blob(content, { type: "text/csv" }));
  el("a", { href: url, download: `${state.view}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function moveFocus(step) {
  const cards = [...byId("seeds").children];
  const now = cards.indexOf(document.activeElement.closest?.("#seeds > li"));
  const next = cards[Math.min(Math.max(0, now + step), cards.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function turn(step) {
  choose({ page: String(Number(state.page) + step) });
  byId("seeds").firstElementChild?.focus();
  scrollTo(0, byId("seeds-view").offsetTop);
}

const KEYS = {
  j: () => moveFocus(1),
  k: () => moveFocus(-1),
  n: () => turn(1),
  p: () => turn(-1),
  w: () => choose({ view: "words" }),
  s: () => choose({ view: "seeds" }),
  "/": () => byId("q").focus(),
  Enter: () => document.activeElement.matches("#seeds > li") && document.activeElement.querySelector(".more")?.click(),
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, button, a, summary")) return;
  if (!Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
}

function connect() {
  for (const name of CONTROLS) {
    const kind = byId(name).tagName === "SELECT" ? "change" : "input";
    byId(name).addEventListener(kind, (event) => choose({ seed: "", [name]: event.target.value }));
  }
  byId("fragile").addEventListener("change", (event) => choose({ seed: "", fragile: event.target.checked ? "1" : "" }));
  byId("view-seeds").addEventListener("click", () => choose({ view: "seeds" }));
  byId("view-words").addEventListener("click", () => choose({ view: "words" }));
  byId("clear").addEventListener("click", () => choose({ ...DEFAULTS, view: state.view }));
  byId("csv").addEventListener("click", download);
  byId("previous").addEventListener("click", () => turn(-1));
  byId("next").addEventListener("click", () => turn(1));
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // keep the view state in the URL
    byId("main").focus();
  });
  addEventListener("keydown", onKey);
  addEventListener("hashchange", () => {
    readAddress();
    render();
    scrollTo(0, 0);
  });
}

async function start() {
  data = await unpack();
  prepare();
  const { dataset, config, models, ids, license, terms, corpus } = data;
  byId("facts").textContent =
    `Config ${config}: ${count(ids.length)} seeds, ${count(data.n)} variants` +
    (models.length ? `, ${count(models.length)} models` : "") +
    (corpus ? `; words counted in ${corpus}.` : ".");
  byId("terms").textContent = data.texts
    ? `Texts from ${dataset}, license: ${license}. ${terms}`
    : "This page has no sentences, because their license may forbid to share them: create it with --with-text to add them.";
  byId("notes").replaceChildren(...data.notes.map((note) => el("li", {}, note)));
  fill("wordClass", data.classes);
  fill("label", data.labels.filter((_, at) => data.gold.includes(at)), data.labels.map((_, at) => at).filter((at) => data.gold.includes(at)).map(String));
  const leftOut = models.filter((_, at) => !data.averaged.includes(at));
  fill("model", models, undefined, leftOut.length ? `all models but ${leftOut.join(", ")}` : "all models");
  fill("first", models, undefined, "–");
  fill("second", models, undefined, "–");
  if (!models.length) {
    document.body.classList.add("without-answers");
    for (const name of ["fewest", "most", "differ", "annotators"]) delete SORTS[name];
    DEFAULTS.sort = "data";
    rowsBy.variants = "Variants";
  }
  if (!data.annotators) {
    delete SORTS.annotators;
    const field = byId("agreement").parentElement;
    field.classList.remove("of-seeds");
    field.hidden = true;
  }
  fill("sort", Object.values(SORTS), Object.keys(SORTS), null);
  renderModels();
  byId("filters").open = !matchMedia("(max-width: 720px)").matches;
  connect();
  readAddress();
  render();
  document.body.classList.remove("loading");
}

start();
