// The model view: scores by part, hardest seeds, and how the model was scored.

// Per column: name, value of a part, and its interval.
const SOURCE_COLUMN = ["Source", (part) => percent(part.source), (part) => interval(part.sourceInterval, percent)];
const PART_COLUMNS = [
  ["Number", (part) => count(part.n), () => null],
  ["Seeds", (part) => percent(part.seeds), (part) => interval(part.ci?.seeds, percent)],
  ["Variants", (part) => percent(part.variants), (part) => interval(part.ci?.variants, percent)],
  ["PA", (part) => percent(part.curve.mean?.[theBoard().quality]), (part) => interval(part.ci?.pa, percent)],
  ["QT", (part) => signed(part.qt), (part) => interval(part.ci?.qt, signed)],
  ["MT", (part) => String(part.mt ?? NO_VALUE), () => null],
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
  const range = (ends, write) => (ends ? `95%: ${interval(ends, write)}` : null);
  const onSource =
    model.source && tile("Source", `${percent(all.source)}%`, range(all.sourceInterval, percent));
  return [
    ...(onSource ? [onSource] : []),
    tile("Seeds", `${percent(all.seeds)}%`, range(all.ci?.seeds, percent)),
    tile("Variants", `${percent(all.variants)}%`, range(all.ci?.variants, percent)),
    tile(
      `PA(${quality / 100})`,
      `${percent(all.curve.mean?.[quality])}%`,
      range(all.ci?.pa, percent),
    ),
    tile("QT", signed(all.qt), range(all.ci?.qt, signed)),
    tile(
      "Consistency",
      `${percent(model.consistency.seed?.pa)}%`,
      `seeds of which at least ${quality}% of the variants get the seed's prediction`,
    ),
    ...(model.calibration ? [calibrationTile(model, tile)] : []),
  ];
}

function calibrationTile(model, tile) {
  const { brier, seed_brier: onSeeds, weakened } = model.calibration;
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
  const cells = columns.map(([, write, ci]) => {
    const under = ci(part);
    return el("td", {}, write(part), under ? el("small", {}, under) : null);
  });
  return el("tr", {}, el("th", { scope: "row" }, swatch, partName(name)), ...cells);
}

function aboutRows(model) {
  const board = theBoard();
  const versions = Object.entries(model.versions).map(([name, version]) => `${name} ${version}`);
  const rows = {
    Architecture: model.architecture,
    Parameters: model.parameters === null ? null : count(model.parameters),
    "Trained on": model.training?.join(", "),
    Commit: model.revision,
    Digest: model.digest,
    Labels: `${model.labels.join(", ")} (${model.labelOrigin})`,
    ...model.prompt,
    Precision: model.dtype && `${model.dtype} on ${model.device}`,
    Versions: versions.join(", "),
    Source: model.source && `${model.source.name}, ${count(model.source.problems)} problems with a gold label`,
    "Data set": `${board.dataset}, config ${board.config}, version ${board.version}${board.revision ? `, commit ${board.revision}` : ""}`,
  };
  return Object.entries(rows).flatMap(([name, value]) => (value ? [el("dt", {}, name), el("dd", {}, value)] : []));
}

byId("by").addEventListener("change", (event) => choose({ by: event.target.value }));
