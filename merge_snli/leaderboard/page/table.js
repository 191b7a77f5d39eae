// The sortable table of models; rows are reused when scores change.

const size = (model) => model.model.parameters ?? -1;

/** Return a column of a score, by its name in results, with its interval. */
const scoreColumn = (id, name, score, write, more = {}) => ({
  id,
  name,
  about: DATA.definitions[name],
  value: (model, part) => model.parts[part]?.[score] ?? null,
  write: (model, part) => write(model.parts[part]?.[score]),
  ci: (model, part) => interval(model.parts[part], score, write),
  ...more,
});

const COLUMNS = [
  { id: "model", name: "Model", first: "up", value: (model) => model.name.toLowerCase() },
  { id: "size", name: "Size", first: "up", value: size, write: (model) => parameters(model.model.parameters) },
  scoreColumn("source", "Source", "source_accuracy", percent, { on: hasSource }),
  scoreColumn("seeds", "Seeds", "seed_accuracy", percent),
  scoreColumn("variants", "Variants", "sample_accuracy", percent),
  {
    id: "pa",
    name: "PA",
    about: "Pattern accuracy at the selected threshold",
    value: at,
    write: (model, part, threshold) => percent(at(model, part, threshold)),
    ci: (model, part, threshold) =>
      threshold === theBoard().quality ? interval(model.parts[part], "pattern_accuracy", percent) : "",
  },
  scoreColumn("qt", "QT", "qt", signed),
  scoreColumn("mt", "MT", "mt", matching),
  {
    id: "ece",
    name: "ECE",
    about: DATA.definitions.ECE,
    first: "up",
    on: hasProbabilities,
    value: (model, part) => (part === "all" ? calibrationError(model) : null),
    write: (model, part) => percent(part === "all" ? calibrationError(model) : null),
  },
  {
    id: "letters",
    name: "Letters",
    about: DATA.lettersAbout,
    first: "up",
    on: hasLetters,
    value: lettersOf,
    write: (...at) => lettersOf(...at) ?? NO_VALUE,
  },
];

const phone = matchMedia("(max-width: 720px)");

/** Return the columns of a board: those of source, calibration and letters only if a model has them. */
function columnsOf(board) {
  const columns = COLUMNS.filter((column) => !column.on || column.on(board));
  if (!phone.matches) return columns;
  const first = columns.filter((column) => column.id === "model" || column.id === "pa"); // in view without scrolling
  return [...first, ...columns.filter((column) => !first.includes(column))];
}

/** Sort models by the selected column; models without a value come last, and those that are not ranked after them. */
function sorted(models) {
  const column = COLUMNS.find((one) => one.id === state.sort);
  const sign = state.dir === "up" ? 1 : -1;
  const keyed = models.map((model) => [column.value(model, state.on, theThreshold()), model]);
  keyed.sort(([one, first], [other, second]) => {
    if (!first.unranked !== !second.unranked) return first.unranked ? 1 : -1;
    if (one === null || other === null) return (one === null) - (other === null);
    return (one < other ? -sign : one > other ? sign : 0) || first.name.localeCompare(second.name);
  });
  return keyed.map(([, model]) => model);
}

class ModelTable {
  constructor(table, { onToggle }) {
    Object.assign(this, { table, onToggle, rows: new Map(), board: null });
  }

  build(board) {
    this.board = board;
    this.columns = columnsOf(board);
    this.rows = new Map(board.models.map((model) => [model.key, this.row(model)]));
    this.headers = new Map(this.columns.map((column) => [column.id, this.header(column)]));
    this.body = el("tbody");
    const head = el("tr", {}, el("th", { scope: "col", class: "rank" }, "#"), ...this.headers.values());
    this.table.replaceChildren(
      el(
        "caption",
        { class: "visually-hidden" },
        "Models with scores in percent. Select a header to sort.",
      ),
      el("thead", {}, head),
      this.body,
    );
  }

  header(column) {
    const sort = () => {
      const reversed = state.dir === "up" ? "down" : "up";
      choose({ sort: column.id, dir: state.sort === column.id ? reversed : (column.first ?? "down") });
    };
    const button = el("button", { type: "button", onclick: sort, title: column.about }, el("span", {}, column.name));
    return el("th", { scope: "col", class: column.id }, button);
  }

  row(model) {
    const box = el("input", {
      type: "checkbox",
      "aria-label": `Draw the curve of ${model.name}`,
      onchange: () => this.onToggle(model.key),
    });
    const link = el("a", { class: "name" }, ...breakable(model.name));
    const under = el(
      "span",
      { class: "under" },
      ...aboutModel(model),
      model.unranked && el("b", { title: model.unranked }, "not ranked"),
      ...model.flags.map((flag) => el("b", {}, flag)),
    );
    const cells = this.columns.filter((column) => column.write).map((column) => {
      const cell = el("td", { class: column.id });
      return [column, cell];
    });
    const rank = el("td", { class: "rank" });
    const name = el("th", { scope: "row", class: "model" }, el("div", {}, box, el("span", {}, link, under)));
    const element = el("tr", {}, rank, name, ...cells.map(([, cell]) => cell));
    return { element, rank, box, link, cells, model };
  }

  /** Show models in this order; `lines` has the line style of each model in the chart, by key. */
  update(models, lines) {
    for (const [id, header] of this.headers) {
      header.setAttribute("aria-sort", id !== state.sort ? "none" : state.dir === "up" ? "ascending" : "descending");
    }
    this.headers.get("pa").querySelector("span").textContent = `PA(${theThreshold() / 100})`;
    const column = this.columns.find((one) => one.id === state.sort);
    const texts = models.map((model) => column.write?.(model, state.on, theThreshold()) ?? model.name);
    models.forEach((model, index) => this.fill(this.rows.get(model.key), texts.indexOf(texts[index]), lines));
    const rows = models.map((model) => this.rows.get(model.key).element);
    const same =
      rows.length === this.body.children.length && rows.every((row, i) => row === this.body.children[i]);
    if (!same) this.body.replaceChildren(...rows);
  }

  fill(row, index, lines) {
    row.rank.textContent = row.model.unranked ? NO_VALUE : String(index + 1);
    row.link.href = address({ model: row.model.key });
    const style = lines.get(row.model.key);
    row.box.checked = style !== undefined;
    row.box.style.setProperty("--line", style ? style.color : "transparent");
    for (const [column, cell] of row.cells) {
      const text = column.write(row.model, state.on, theThreshold());
      const ci = column.ci?.(row.model, state.on, theThreshold()) ?? "";
      const bar = column.id === "pa" ? this.bar(row.model, style) : null;
      const under = ci && el("small", { "aria-label": `95% interval ${ci}` }, ci);
      cell.replaceChildren(...[bar, el("span", {}, text), under].filter(Boolean));
    }
  }

  bar(model, style) {
    const bar = el("i", { class: "bar", "aria-hidden": "true" });
    bar.style.setProperty("--share", String(at(model, state.on, theThreshold()) ?? 0));
    if (style) bar.style.setProperty("--line", style.color);
    return bar;
  }
}

/** Return the training data of a model, after its size if the size column is hidden. */
function aboutModel(model) {
  const { parameters: number, training_data: data } = model.model;
  const training = (data ?? []).map((name) => name.slice(name.lastIndexOf("/") + 1)).join(", ");
  const gap = training ? " · " : " ";
  const size = number === null ? null : el("span", { class: "narrow" }, `${parameters(number)}${gap}`);
  return [size, training && `${training} `].filter(Boolean);
}

/** Allow line breaks after slashes and underscores of a name. */
const breakable = (name) => name.split(/(?<=[/_])/).flatMap((piece, index) => (index ? [el("wbr"), piece] : [piece]));
