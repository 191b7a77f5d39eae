// PA curves with uPlot: bands from the lowest to the highest subsample, the threshold, and labels at the line ends.

// The light colors are those of the figures.
const COLORS = {
  light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#a97900", "#3a97d3", "#6a51a3", "#333333"],
  dark: ["#4fa8e0", "#ff8c42", "#2fc79a", "#e79cc6", "#e6b93c", "#8fd0f5", "#b09be8", "#d8d8d8"],
};
const DASHES = [[], [8, 4], [2, 4], [10, 4, 2, 4]];
const LABEL_GAP = 17;
const LABEL_ROOM = 168; // at least, and a third of the chart at most
const LABEL_START = 18; // behind the line from a curve to its label
const NARROW = 640;
const TICK_ROOM = 24; // for half of the last tick label
const FONT = "12px system-ui, sans-serif";

const isDark = () =>
  document.documentElement.dataset.theme === "dark" ||
  (document.documentElement.dataset.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);

function lineStyle(index) {
  const colors = COLORS[isDark() ? "dark" : "light"];
  return {
    color: colors[index % colors.length],
    dash: DASHES[Math.floor(index / colors.length) % DASHES.length],
  };
}

const cssColor = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

class CurveChart {
  /** Create a chart in `host`. `onPick` gets the clicked threshold, `onLayout` the position and width of the plot. */
  constructor(host, { onPick = null, onLayout = null } = {}) {
    Object.assign(this, { host, onPick, onLayout, plot: null, lines: [], threshold: 90 });
    new ResizeObserver(() => this.resize()).observe(host);
  }

  /** Show lines, each {name, labels, mean, low, high, color, dash}, shares by threshold; `null` if unknown. */
  show(lines, threshold) {
    this.lines = lines.filter((line) => line.mean);
    this.threshold = threshold;
    this.plot?.destroy();
    this.plot = new uPlot(this.options(), this.columns(), this.host);
  }

  moveTo(threshold) {
    this.threshold = threshold;
    this.plot?.redraw(false);
  }

  resize() {
    if (!this.plot || !this.host.clientWidth) return;
    if (this.wide() === this.wasWide) this.plot.setSize(this.size());
    else this.show(this.lines, this.threshold);
  }

  wide() {
    return this.host.clientWidth >= NARROW;
  }

  size() {
    return { width: this.host.clientWidth, height: this.host.clientHeight };
  }

  columns() {
    const scaled = (shares) => shares.map((share) => share * 100);
    return [THRESHOLDS, ...this.lines.flatMap((line) => [line.high, line.low, line.mean].map(scaled))];
  }

  options() {
    this.wasWide = this.wide();
    this.labelRoom = this.roomForLabels();
    const grid = { stroke: cssColor("--grid"), width: 1 };
    const title = { labelFont: FONT, labelSize: 22, labelGap: 2 };
    const axis = { stroke: cssColor("--soft"), grid, ticks: { show: false }, font: FONT, ...title };
    const edge = { stroke: "transparent", width: 0, points: { show: false } };
    const series = this.lines.flatMap((line) => [
      edge,
      edge,
      { stroke: line.color, width: 2.25, dash: line.dash, points: { show: false } },
    ]);
    const bands = this.lines.map((line, index) => ({
      series: [3 * index + 1, 3 * index + 2],
      fill: `${line.color}22`,
    }));
    return {
      ...this.size(),
      padding: [26, this.wide() ? this.labelRoom : TICK_ROOM, 0, 0],
      legend: { show: false },
      cursor: {
        show: this.onPick !== null,
        x: true,
        y: false,
        points: { show: false },
        drag: { x: false, y: false },
      },
      scales: { x: { time: false, range: [0, 100] }, y: { range: [this.floor(), 100] } },
      axes: [
        {
          ...axis,
          grid: { show: false },
          label: this.wide() ? "Threshold: share of a seed’s variants that must be correct" : "Threshold",
          values: (_, ticks) => ticks.map((tick) => `${tick}%`),
          space: 44,
          size: 34,
        },
        { ...axis, label: "Pattern accuracy", values: (_, ticks) => ticks.map((tick) => `${tick}%`), size: 46 },
      ],
      series: [{}, ...series],
      bands,
      hooks: { ready: [(plot) => this.listen(plot)], draw: [(plot) => this.annotate(plot)] },
    };
  }

  /** Return the width that the longest label needs, since names of models often differ in the middle only. */
  roomForLabels() {
    const context = document.createElement("canvas").getContext("2d");
    context.font = FONT;
    const widths = this.lines.flatMap(labelsOf).map((label) => context.measureText(label).width + LABEL_START + 4);
    return Math.max(LABEL_ROOM, Math.min(this.host.clientWidth / 3, Math.max(...widths, 0)));
  }

  /** Return the lower limit of the y axis: the lowest value, rounded down to ten percent. */
  floor() {
    const least = Math.min(...this.lines.flatMap((line) => line.low ?? line.mean), 0.9);
    return Math.floor(least * 10) * 10;
  }

  listen(plot) {
    if (!this.onPick) return;
    const pick = (event) => {
      const left = event.clientX - plot.over.getBoundingClientRect().left;
      this.onPick(Math.min(100, Math.max(0, Math.round(plot.posToVal(left, "x")))));
    };
    plot.over.addEventListener("pointerdown", pick);
    plot.over.addEventListener("pointermove", (event) => event.buttons && pick(event));
  }

  annotate(plot) {
    const ratio = devicePixelRatio || 1;
    const context = plot.ctx;
    this.onLayout?.(plot.bbox.left / ratio, plot.bbox.width / ratio);
    context.save();
    context.font = `${12 * ratio}px system-ui, sans-serif`;
    const x = Math.round(plot.valToPos(this.threshold, "x", true));
    this.drawThreshold(context, plot, x, ratio);
    for (const line of this.lines) this.drawDot(context, plot, x, line, ratio);
    if (this.wide()) this.drawNames(context, plot, ratio);
    context.restore();
  }

  drawThreshold(context, plot, x, ratio) {
    const { top, height, left, width } = plot.bbox;
    context.strokeStyle = context.fillStyle = cssColor("--ink");
    context.lineWidth = 1.25 * ratio;
    context.setLineDash([4 * ratio, 3 * ratio]);
    context.beginPath();
    context.moveTo(x, top - 4 * ratio);
    context.lineTo(x, top + height);
    context.stroke();
    context.setLineDash([]);
    context.textAlign = x > left + width - 30 * ratio ? "right" : x < left + 30 * ratio ? "left" : "center";
    context.fillText(`${this.threshold}%`, x, top - 10 * ratio);
  }

  drawDot(context, plot, x, line, ratio) {
    context.beginPath();
    context.arc(x, plot.valToPos(line.mean[this.threshold] * 100, "y", true), 4.5 * ratio, 0, 2 * Math.PI);
    context.fillStyle = line.color;
    context.strokeStyle = cssColor("--card");
    context.lineWidth = 2 * ratio;
    context.fill();
    context.stroke();
  }

  /** Draw labels to the right of the line ends, moved apart so that they do not overlap. */
  drawNames(context, plot, ratio) {
    const { top, height, left, width } = plot.bbox;
    const ends = this.lines.flatMap((line) =>
      labelsOf(line).map((name) => ({ line, name, y: plot.valToPos(line.mean[100] * 100, "y", true) })),
    );
    ends.sort((one, other) => one.y - other.y);
    const gap = LABEL_GAP * ratio;
    const room = top + height;
    ends.forEach((end, index) => (end.labelY = Math.max(end.y, index ? ends[index - 1].labelY + gap : top)));
    for (let index = ends.length - 1, most = room; index >= 0; index -= 1, most -= gap) {
      ends[index].labelY = Math.min(ends[index].labelY, most);
    }
    const ink = cssColor("--ink");
    context.textAlign = "left";
    context.textBaseline = "middle";
    for (const { line, name, y, labelY } of ends) {
      context.strokeStyle = line.color;
      context.fillStyle = ink; // line colors lack contrast for small text
      context.lineWidth = 2 * ratio;
      context.beginPath();
      context.moveTo(left + width + 2 * ratio, y);
      context.lineTo(left + width + 14 * ratio, labelY);
      context.stroke();
      const label = fitted(context, name, (this.labelRoom - LABEL_START - 4) * ratio);
      context.fillText(label, left + width + LABEL_START * ratio, labelY);
    }
  }
}

const labelsOf = (line) => line.labels ?? [line.name];

/** Return a name with the middle elided if it does not fit, or more of the middle that is elided already. */
function fitted(context, name, room) {
  if (context.measureText(name).width <= room) return name;
  const middle = name.includes("…") ? name.indexOf("…") : Math.ceil(name.length / 2);
  let [start, end] = [name.slice(0, middle), name.slice(middle).replace("…", "")];
  while (start || end) {
    if (start.length < end.length) end = end.slice(1);
    else start = start.slice(0, -1);
    if (context.measureText(`${start}…${end}`).width <= room) break;
  }
  return `${start}…${end}`;
}
