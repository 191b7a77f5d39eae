// The model view: scores by part, hardest seeds, and how the model was scored.

// Per column: header, score of a part by its name in results, and how it is written.
const SOURCE_COLUMN = ["Source", "source_accuracy", percent];
const PART_COLUMNS = [
  ["Number", "groups", count],
  ["Seeds", "seed_accuracy", percent],
  ["Variants", "sample_accuracy", percent],
  ["PA", "pattern_accuracy", percent],
  ["QT", "qt", signed],
  ["MT", "mt", matching],
];

/** Return the columns for a model, with that of the source after the number of seeds if the model was scored on it. */
function partColumns(model) {
  const [number, ...others] = PART_COLUMNS;
  return model.source ? [number, SOURCE_COLUMN, ...others] : PART_COLUMNS;
}

const partsChart = new CurveChart(byId("model-chart"));
const theModel = () => theBoard().models.find((model) => model.key === state.model);

function renderModel() {
  const model = theModel();
  byId("model-title").textContent = model.name;
  byId("back").href = address({ model: "" });
  byId("model-notes").replaceChildren(...model.notes.map((note) => el("li", {}, note)));
  byId("model-notes").hidden = !model.notes.length;
  byId("model-stats").replaceChildren(...statTiles(model));
  const kinds = Object.entries(partsOf([model])).filter(([, parts]) => parts.length);
  const [by, drawn] = kinds.find(([kind]) => kind === state.by) ?? kinds[0] ?? ["", []];
  fillSelect(
    byId("by"),
    kinds.map(([kind]) => option([kind, KINDS[kind].toLowerCase()])),
    by,
  );
  renderParts(model, kinds, ["all", ...drawn]);
  renderSeeds(model);
  byId("model-about").replaceChildren(...aboutRows(model));
}

function statTiles(model) {
  const all = model.parts.all;
  const quality = theBoard().quality;
  const tile = (name, value, under) =>
    el("div", {}, el("dt", {}, name), el("dd", {}, value, under ? el("small", {}, under) : null));
  const scoreTile = (name, score, write) => {
    const ends = interval(all, score, write);
    return tile(name, `${write(all[score])}${write === signed ? "" : "%"}`, ends && `95%: ${ends}`);
  };
  return [
    ...(model.source ? [scoreTile("Source", "source_accuracy", percent)] : []),
    scoreTile("Seeds", "seed_accuracy", percent),
    scoreTile("Variants", "sample_accuracy", percent),
    scoreTile(`PA(${quality / 100})`, "pattern_accuracy", percent),
    scoreTile("QT", "qt", signed),
    tile(
      "Consistency",
      `${percent(all.consistency_seed_pattern_accuracy)}%`,
      `seeds of which at least ${quality}% of the variants get the seed's prediction`,
    ),
    ...(isCalibrated(model) ? [calibrationTile(model, tile)] : []),
  ];
}

function calibrationTile(model, tile) {
  const { brier, seed_brier: onSeeds, weakened } = model.parts.all;
  const score = (value) => (value === null ? NO_VALUE : value.toFixed(3));
  const weaker = weakened === null ? "" : `; gold label less probable but same answer on ${percent(weakened)}%`;
  return tile(
    "ECE",
    `${percent(calibrationError(model))}%`,
    `Brier score ${score(brier)}, on seeds ${score(onSeeds)}${weaker}`,
  );
}

function renderParts(model, kinds, chosen) {
  const lines = chosen.map((part) => ({
    name: partName(part),
    ...model.parts[part].curve,
    ...partStyle(part),
  }));
  partsChart.show(lines, theBoard().quality);
  const groups = [[null, ["all"]], ...kinds];
  const quality = theBoard().quality;
  const columns = partColumns(model);
  const head = columns.map(([name]) => el("th", { scope: "col" }, name === "PA" ? `PA(${quality / 100})` : name));
  const bodies = groups.map(([kind, parts]) =>
    el(
      "tbody",
      {},
      kind && el("tr", { class: "group" }, el("th", { scope: "rowgroup", colspan: columns.length + 1 }, KINDS[kind])),
      ...parts.map((part) => partRow(part, model.parts[part], columns, chosen.includes(part))),
    ),
  );
  byId("parts-table").replaceChildren(
    el(
      "caption",
      { class: "visually-hidden" },
      "Scores by part, in percent, with 95% intervals",
    ),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Measured on"), ...head)),
    ...bodies,
  );
  byId("parts-legend").textContent =
    "Number of seeds. Scores in percent, with 95% intervals over seeds below. " +
    "Rows of a masked LM cover the variants that it validated in at least one of the two texts.";
}

/** Return the line style of a part: word classes have the colors of the figures, all variants the last color. */
function partStyle(part) {
  if (part === "all") return lineStyle(COLORS.light.length - 1);
  const kind = part.split(":", 1)[0];
  const classes = Object.keys(CLASS_NAMES).map((name) => `word_class:${name}`);
  return lineStyle((kind === "word_class" ? classes : partsOf(theBoard().models)[kind]).indexOf(part));
}

function partRow(name, part, columns, drawn) {
  const swatch = el("i", { class: "swatch", "aria-hidden": "true" });
  swatch.style.setProperty("--line", drawn ? partStyle(name).color : "transparent");
  const cells = columns.map(([, score, write]) => {
    const under = interval(part, score, write);
    return el("td", {}, write(part[score]), under ? el("small", {}, under) : null);
  });
  return el("tr", {}, el("th", { scope: "row" }, swatch, partName(name)), ...cells);
}

/** Return how a language model was prompted, and what that took; null for what is unknown. */
function promptRows(prompt, run) {
  const number = (value) => (value === null ? null : value.toLocaleString("en", { maximumFractionDigits: 4 }));
  return {
    Prompt: `${prompt.title} [${prompt.prompt_digest.slice(0, 8)}]`,
    Answers: prompt.answers,
    Provider: prompt.provider,
    Temperature: prompt.temperature === null ? null : String(prompt.temperature),
    ...prompt.settings,
    Harness: [prompt.harness, prompt.harness_version].filter(Boolean).join(" "),
    Calls: number(prompt.calls),
    Retries: number(prompt.retries),
    "Input tokens": number(prompt.input_tokens),
    "Output tokens": number(prompt.output_tokens),
    "Reasoning tokens": number(prompt.reasoning_tokens),
    Cost: number(prompt.cost),
    "No answers": number(run.no_answers),
  };
}

function aboutRows(model) {
  const board = theBoard();
  const { architecture, parameters, training_data: training, revision, digest, labels, label_origin: origin } = model.model;
  const { dtype, device } = model.run;
  const versions = Object.entries(model.run.versions).map(([name, version]) => `${name} ${version}`);
  const rows = {
    Architecture: architecture,
    Parameters: parameters === null ? null : count(parameters),
    "Trained on": training?.join(", "),
    Commit: revision,
    Digest: digest,
    Labels: `${labels.join(", ")} (${origin})`,
    ...(model.prompt ? promptRows(model.prompt, model.run) : {}),
    Precision: dtype && `${dtype} on ${device}`,
    Versions: versions.join(", "),
    Source: model.source && `${model.source.name}, ${count(model.source.problems)} problems with a gold label`,
    "Data set": `${board.dataset}, config ${board.config}, version ${board.version}${board.revision ? `, commit ${board.revision}` : ""}`,
  };
  return Object.entries(rows).flatMap(([name, value]) => (value ? [el("dt", {}, name), el("dd", {}, value)] : []));
}

byId("by").addEventListener("change", (event) => choose({ by: event.target.value }));
