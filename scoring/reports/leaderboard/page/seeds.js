// A model's hardest seeds, with the words that change its answer marked and ready to be put in.

const SHORT = { entailment: "E", neutral: "N", contradiction: "C", not_entailment: "¬E" };

function renderSeeds(model) {
  const board = theBoard();
  const { wrong, undone, hopeless } = model.counts;
  byId("hard").value = state.hard;
  byId("hard-about").textContent =
    `Of ${count(model.parts.all.n)} seeds it gets ${count(wrong)} wrong and ${count(undone)} right until a word is ` +
    `replaced; of ${count(hopeless)} it gets no variant right.`;
  const shown = Object.keys(board.texts).length > 0;
  byId("seeds").replaceChildren(...model[state.hard].map((seed) => seedCard(board, seed)));
  byId("terms").textContent = shown
    ? `The texts are those of ${board.dataset}, licence: ${board.licence}. ${board.terms}`
    : "Result files hold no texts. Make this page with --dataset and the folder or Hub id of the data set, and the " +
      "sentences and the words that change the answer stand here.";
}

function seedCard(board, seed) {
  const text = Object.hasOwn(board.texts, seed.id) ? board.texts[seed.id] : null;
  const head = el(
    "p",
    { class: "verdict" },
    labelChip(seed.gold, "gold"),
    el("span", {}, `${seed.right} of ${seed.of} variants right`),
    seed.predicted === seed.gold ? null : el("span", {}, "answers the seed itself ", labelChip(seed.predicted)),
    el("code", {}, seed.id),
  );
  if (!text) return el("li", {}, head);
  const premise = el("p", { class: "sentence" });
  const hypothesis = el("p", { class: "sentence" });
  const show = (word, replacement) => {
    premise.replaceChildren(
      el("abbr", { title: "Premise" }, "P"),
      ...marked(text.p, text.words, "p", word, replacement),
    );
    hypothesis.replaceChildren(
      el("abbr", { title: "Hypothesis" }, "H"),
      ...marked(text.h, text.words, "h", word, replacement),
    );
  };
  show(null, null);
  return el("li", {}, head, premise, hypothesis, flipButtons(text, seed, show));
}

/** The words that change the answer, as buttons that put the word into the sentences. */
function flipButtons(text, seed, show) {
  if (!seed.flips.length) return null;
  const buttons = seed.flips.map(([word, replacement, answer]) => {
    const name = `${replacement} for ${text.words[word].w}, answered ${answer}`;
    const chip = labelChip(answer);
    return el(
      "button",
      { type: "button", class: "flip", "aria-pressed": "false", "aria-label": name },
      replacement,
      chip,
    );
  });
  buttons.forEach((button, index) =>
    button.addEventListener("click", () => {
      const press = button.getAttribute("aria-pressed") === "false";
      buttons.forEach((one) => one.setAttribute("aria-pressed", "false"));
      button.setAttribute("aria-pressed", String(press));
      const [word, replacement] = seed.flips[index];
      show(press ? word : null, replacement);
    }),
  );
  const more = seed.flipped - seed.flips.length;
  const rows = text.words.map((word, index) => {
    const ofWord = buttons.filter((_, place) => seed.flips[place][0] === index);
    return ofWord.length ? el("div", { class: "flips" }, el("span", {}, `${word.w} →`), ...ofWord) : null;
  });
  const rest = more > 0 ? el("p", { class: "flips" }, `and ${count(more)} more`) : null;
  return el("div", { role: "group", "aria-label": "Words that change its answer" }, ...rows.filter(Boolean), rest);
}

/** A sentence with its replaced words marked, one of them exchanged where `word` says which. */
function marked(sentence, words, side, word, replacement) {
  const places = words.flatMap((one, index) => one[side].map((start) => [start, index])).sort((a, b) => a[0] - b[0]);
  const pieces = [];
  let end = 0;
  for (const [start, index] of places) {
    if (start < end) continue;
    const swapped = index === word;
    const text = swapped ? replacement : words[index].w;
    pieces.push(sentence.slice(end, start), el("mark", { class: swapped ? "swapped" : null }, text));
    end = start + words[index].w.length;
  }
  return [...pieces, sentence.slice(end)];
}

const labelChip = (label, kind = "answer") =>
  el(
    "span",
    { class: `chip ${kind}`, "data-label": label, title: label },
    kind === "gold" ? label : (SHORT[label] ?? label),
    kind === "gold" ? null : el("span", { class: "visually-hidden" }, ` (${label})`),
  );

byId("hard").addEventListener("change", (event) => choose({ hard: event.target.value }));
