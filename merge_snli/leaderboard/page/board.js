// The board view: filters, curves, threshold slider and ranked table.

const SIZES = [
  ["", "any"],
  ["s", "under 50M", 0, 50e6],
  ["m", "50M to 200M", 50e6, 200e6],
  ["l", "200M to 500M", 200e6, 500e6],
  ["xl", "500M and more", 500e6, Infinity],
  ["none", "unknown"],
];
const UNKNOWN = "?";
const THUMB = 22;

const trainingOf = (model) => model.model.training_data?.join(" + ") ?? UNKNOWN;

function fits(model) {
  if (!model.name.toLowerCase().includes(state.q.trim().toLowerCase())) return false;
  if (state.data && trainingOf(model) !== state.data) return false;
  const { parameters } = model.model;
  if (state.size === "none") return parameters === null;
  const [, , from, to] = SIZES.find(([id]) => id === state.size) ?? SIZES[0];
  return from === undefined || (parameters !== null && parameters >= from && parameters < to);
}

/** Return the keys of the models in the chart: the chosen ones, or the best at the quality threshold. */
function drawnKeys(models) {
  if (state.show === "none") return [];
  const chosen = state.show.split(",").filter((key) => models.some((model) => model.key === key));
  if (chosen.length) return chosen;
  return models.slice(0, DEFAULT_LINES).map((model) => model.key);
}

/** Return the line style of each model in the chart, by key: that of its first model with the same curve. */
function drawnLines(models) {
  const curves = theBoard().models.map((model) => JSON.stringify(model.parts[state.on]?.curve));
  const keys = theBoard().models.map((model) => model.key);
  return new Map(drawnKeys(models).map((key) => [key, lineStyle(curves.indexOf(curves[keys.indexOf(key)]))]));
}

const boardChart = new CurveChart(byId("chart"), {
  onPick: (threshold) => choose({ t: String(threshold) }),
  onLayout: (left, width) => {
    byId("threshold").style.marginLeft = `${left - THUMB / 2}px`;
    byId("threshold").style.width = `${width + THUMB}px`;
    byId("line-names").hidden = boardChart.wide();
  },
});
const modelTable = new ModelTable(byId("models"), { onToggle: toggleLine });
let chartShown = "";

function toggleLine(key) {
  const keys = drawnKeys(theBoard().models.filter(fits));
  const toggled = keys.includes(key) ? keys.filter((one) => one !== key) : [...keys, key];
  choose({ show: toggled.join(",") || "none" });
}

function fillSelect(select, options, chosen) {
  select.replaceChildren(...options);
  select.value = chosen;
}

const option = ([value, text]) => el("option", { value }, text);

function partOptions(board) {
  const groups = Object.entries(partsOf(board.models)).filter(([, parts]) => parts.length);
  return [
    option(["all", "all variants"]),
    ...groups.map(([kind, parts]) =>
      el("optgroup", { label: KINDS[kind] }, ...parts.map((part) => option([part, partName(part)]))),
    ),
  ];
}

function buildBoard(board) {
  modelTable.build(board);
  byId("board-title").textContent =
    `${board.dataset}${board.config === "all" ? "" : `, ${CLASS_NAMES[board.config]}`}`;
  byId("board-facts").textContent =
    [counted(board.seeds, "seed"), counted(board.variants, "variant"), counted(board.subsamples, "subsample")].join(" · ") +
    ` · version ${board.version}`;
  byId("quality").textContent = `${board.quality}%`;
  const trained = [...new Set(board.models.map(trainingOf))].sort();
  const names = trained.map((name) => [name, name === UNKNOWN ? "unknown" : name]);
  fillSelect(byId("part"), partOptions(board), state.on);
  fillSelect(byId("training"), [["", "anything"], ...names].map(option), "");
  fillSelect(byId("size"), SIZES.map(option), "");
}

function renderBoard() {
  const board = theBoard();
  if (modelTable.board !== board) buildBoard(board);
  const fitting = board.models.filter(fits);
  const lines = drawnLines(fitting);
  showControls(fitting.length, board);
  modelTable.update(sorted(fitting), lines);
  showCurves(board, fitting, lines);
}

function showControls(shown, board) {
  const values = { part: state.on, size: state.size, training: state.data, threshold: state.t };
  for (const [id, value] of Object.entries(values)) byId(id).value = value;
  if (byId("query") !== document.activeElement) byId("query").value = state.q;
  const share = thresholdText(board);
  byId("threshold").setAttribute("aria-valuetext", share);
  byId("threshold-text").textContent = `A seed passes if ${share} of its variants are correct.`;
  byId("reset-threshold").disabled = theThreshold() === board.quality;
  const all = board.models.length;
  byId("count").textContent = `${shown === all ? "" : `${shown} of `}${counted(all, "model")}`;
  byId("nothing").hidden = shown > 0;
  byId("legend").replaceChildren(
    "Scores in percent, with the 95% interval below. ",
    el("span", { class: "of-ranks" }, "Equal scores have equal ranks. "),
    ...columnsOf(board)
      .filter((column) => column.name in DATA.definitions)
      .map((column) => `${column.name}: ${column.about}. `),
    hasLetters(board) ? `${DATA.lettersAbout} ` : "",
    `Bands: lowest to highest subsample${board.models.some((model) => model.prompts > 1) ? " and prompt" : ""}.`,
  );
}

function thresholdText(board) {
  const t = theThreshold();
  const of = board.drawn ? ` (${Math.ceil((t * board.drawn) / 100)} of ${board.drawn})` : "";
  return t === 100 ? "all" : `at least ${t}%${of}`;
}

/** Return the lines of the chart; models with the same curve share one, with the name of each. */
function chartLines(models, lines) {
  const merged = new Map();
  for (const [key, style] of lines) {
    const model = models.find((one) => one.key === key);
    const curve = model.parts[state.on]?.curve ?? { mean: null };
    const same = JSON.stringify(curve);
    if (!merged.has(same)) merged.set(same, { names: [], labels: [], ...curve, ...style });
    merged.get(same).names.push(model.name);
    merged.get(same).labels.push(model.label);
  }
  return [...merged.values()].map((line) => ({ ...line, name: line.names.join(", ") }));
}

function showCurves(board, models, lines) {
  const drawn = chartLines(models, lines);
  byId("drawn").textContent = lines.size < models.length
    ? `${lines.size} of ${counted(models.length, "model")} drawn: choose them with the boxes in the table.`
    : "";
  const shown = JSON.stringify([state.board, state.on, [...lines]]);
  if (shown !== chartShown) boardChart.show(drawn, theThreshold());
  else boardChart.moveTo(theThreshold());
  chartShown = shown;
  const values = drawn.map((line) => `${line.name} ${percent(line.mean?.[theThreshold()])}`);
  byId("chart-summary").textContent =
    `Pattern accuracy on ${partName(state.on)} at ${theThreshold()}%: ${values.join("; ") || "no model selected"}. ` +
    "The curves are also shown as a table below the chart.";
  byId("line-names").replaceChildren(...drawn.map(lineName));
  showCurveTable(drawn);
}

/** Return the name of a line with its color and dashes, for charts without room for names. */
function lineName(line) {
  const swatch = el("i", { class: "swatch", "aria-hidden": "true" });
  swatch.style.setProperty("--line", line.color);
  swatch.classList.toggle("dashed", line.dash.length > 0);
  return el("li", {}, swatch, line.labels.join(", "));
}

function showCurveTable(drawn) {
  const thresholds = [...new Set([...THRESHOLDS.filter((one) => one % 10 === 0), theThreshold()])].sort(
    (a, b) => a - b,
  );
  const head = el(
    "tr",
    {},
    el("th", { scope: "col" }, "Threshold"),
    ...drawn.map((line) => el("th", { scope: "col" }, line.name)),
  );
  const rows = thresholds.map((one) =>
    el(
      "tr",
      one === theThreshold() ? { class: "current" } : {},
      el("th", { scope: "row" }, `${one}%`),
      ...drawn.map((line) => el("td", {}, percent(line.mean?.[one]))),
    ),
  );
  byId("curve-table").replaceChildren(
    el("caption", { class: "visually-hidden" }, "Pattern accuracy by threshold, in percent"),
    el("thead", {}, head),
    el("tbody", {}, ...rows),
  );
}

byId("threshold").addEventListener("input", (event) => choose({ t: event.target.value }));
byId("reset-threshold").addEventListener("click", () => choose({ t: String(theBoard().quality) }));
byId("part").addEventListener("change", (event) => choose({ on: event.target.value }));
byId("query").addEventListener("input", (event) => choose({ q: event.target.value }));
byId("size").addEventListener("change", (event) => choose({ size: event.target.value }));
byId("training").addEventListener("change", (event) => choose({ data: event.target.value }));
byId("clear").addEventListener("click", () => {
  byId("query").value = "";
  choose({ q: "", size: "", data: "", show: "", sort: DEFAULTS.sort, dir: DEFAULTS.dir });
});
