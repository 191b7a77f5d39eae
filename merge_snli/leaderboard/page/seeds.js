// A model's hardest seeds, with buttons for the replacements that change its prediction.

function renderSeeds(model) {
  const board = theBoard();
  const { wrong, inconsistent, all_wrong: allWrong } = model.counts;
  const shown = Object.keys(board.texts?.seeds ?? {}).length > 0;
  byId("hard").value = state.hard;
  byId("hard-about").textContent =
    `Of ${count(model.parts.all.groups)} seeds, ${count(wrong)} are predicted incorrectly, and ${count(inconsistent)} ` +
    `correctly but not all of their variants. ${allWrong ? `No variant of ${counted(allWrong, "seed")} is correct. ` : ""}` +
    (shown ? "Buttons show replacements that change the prediction, each with the first letter of what is predicted." : "");
  const answers = model.prompts > 1 ? `answers with ${model.prompts} prompts` : "variants";
  byId("seeds").replaceChildren(...model[state.hard].map((seed) => seedCard(board, seed, answers)));
  byId("terms").textContent = shown
    ? `Texts from ${board.dataset}, license: ${board.texts.license}. ${board.texts.terms}`
    : "Result files contain no texts. To show sentences and replacements here, create this page with --dataset and " +
      "the folder or Hub id of the data set, and --with-text if the license may forbid to share its sentences.";
}

function seedCard(board, seed, answers) {
  const texts = board.texts?.seeds ?? {};
  const text = Object.hasOwn(texts, seed.seed_id) ? texts[seed.seed_id] : null;
  const head = el(
    "p",
    { class: "verdict" },
    labelChip(seed.gold, "gold"),
    el("span", {}, `${seed.correct} of ${seed.variants} ${answers} correct`),
    seed.predicted === seed.gold ? null : el("span", {}, "predicts for the seed ", labelChip(seed.predicted)),
    el("code", {}, seed.seed_id),
  );
  if (!text) return el("li", {}, head);
  const words = text[2];
  const sentences = [0, 1].map(() => el("p", { class: "sentence" }));
  const names = board.texts.names.map((name) => el("abbr", { title: name }, initial(name)));
  const show = (word, replacement) => {
    sentences.forEach((one, side) =>
      one.replaceChildren(names[side], ...marked(text[side], words, side + 1, word, replacement)),
    );
  };
  show(null, null);
  return el("li", {}, head, ...sentences, flipButtons(words, seed, show));
}

/** Return the first letter of the name of a text and its number, such as S2 for sentence2. */
function initial(name) {
  return name[0].toUpperCase() + (/\d+$/.exec(name) ?? "");
}

/** Return buttons that insert the replacements which change the prediction into the sentences. */
function flipButtons(words, seed, show) {
  if (!seed.flips.length) return null;
  const buttons = seed.flips.map(([word, replacement, answer]) => {
    const name = `${replacement} for ${word}, predicted ${answer}`;
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
  const rows = words.map(([word]) => {
    const ofWord = buttons.filter((_, number) => seed.flips[number][0] === word);
    return ofWord.length ? el("div", { class: "flips" }, el("span", {}, `${word} →`), ...ofWord) : null;
  });
  const rest = more > 0 ? el("p", { class: "flips" }, `and ${count(more)} more`) : null;
  const label = "Replacements that change the prediction";
  return el("div", { role: "group", "aria-label": label }, ...rows.filter(Boolean), rest);
}

/**
 * Mark the words of a sentence that are replaced in variants, and replace `word`.
 * Of each word, `side` is the index of its offsets in this sentence.
 */
function marked(sentence, words, side, word, replacement) {
  const occurrences = words.flatMap((one, index) => one[side].map((start) => [start, index])).sort((a, b) => a[0] - b[0]);
  const pieces = [];
  let end = 0;
  for (const [start, index] of occurrences) {
    if (start < end) continue;
    const swapped = words[index][0] === word;
    const text = swapped ? replacement : words[index][0];
    pieces.push(sentence.slice(end, start), el("mark", { class: swapped ? "swapped" : null }, text));
    end = start + words[index][0].length;
  }
  return [...pieces, sentence.slice(end)];
}

byId("hard").addEventListener("change", (event) => choose({ hard: event.target.value }));
