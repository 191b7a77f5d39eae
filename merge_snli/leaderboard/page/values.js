// The data of the page, and number formats of the leaderboard.

const DATA = JSON.parse(document.getElementById("data").textContent);
const THRESHOLDS = Array.from({ length: 101 }, (_, percent) => percent);
const DEFAULT_LINES = 6;

const counted = (number, unit) => `${count(number)} ${unit}${number === 1 ? "" : "s"}`;

function signed(share) {
  if (share === null || share === undefined) return NO_VALUE;
  const rounded = Number((share * 100).toFixed(1)) || 0;
  return `${rounded < 0 ? "−" : "+"}${Math.abs(rounded).toFixed(1)}`;
}

/** Return the interval of a score of a part as text; empty if it has none. */
function interval(part, score, write) {
  const [low, high] = [part?.[`${score}_low`] ?? null, part?.[`${score}_high`] ?? null];
  return low === null ? "" : `${write(low)} to ${write(high)}`;
}

/** Return MT as text: a threshold in whole percent. */
const matching = (threshold) => percent(threshold, 0);

function parameters(number) {
  if (number === null) return NO_VALUE;
  for (const [unit, letter] of [
    [1e9, "B"],
    [1e6, "M"],
    [1e3, "K"],
  ]) {
    if (number >= unit) return `${(number / unit).toPrecision(number / unit >= 100 ? 3 : 2)}${letter}`;
  }
  return String(number);
}

/** Convert a curve from integer differences to shares. */
function unpack(curve) {
  if (!curve) return { mean: null, low: null, high: null };
  const sums = (steps) => {
    let sum = 0;
    return steps.map((step) => (sum += step) / DATA.curveScale);
  };
  const mean = sums(curve.mean); // without a band, the mean is used for it
  return { mean, low: curve.low ? sums(curve.low) : mean, high: curve.high ? sums(curve.high) : mean };
}

for (const board of DATA.boards) {
  for (const model of board.models) {
    for (const part of Object.values(model.parts)) {
      DATA.scores.forEach((name, index) => (part[name] = part.scores[index]));
      part.curve = unpack(part.curve);
    }
  }
}

const KINDS = { prompt: "Prompt", word_class: "Word class", label: "Gold label", masked_lm: "Validated in either sentence by" };
const CLASS_NAMES = { noun: "nouns", verb: "verbs", adj: "adjectives", adv: "adverbs" };

/** Return the parts that any of some models has, as {kind: [part, …]}. */
function partsOf(models) {
  const kinds = { prompt: [], word_class: [], label: [], masked_lm: [] };
  const names = new Set(models.flatMap((model) => Object.keys(model.parts)));
  for (const name of names) {
    const kind = name.split(":", 1)[0];
    if (kind in kinds) kinds[kind].push(name);
  }
  return kinds;
}

function partName(part) {
  if (part === "all") return "all variants";
  const name = part.slice(part.indexOf(":") + 1);
  return CLASS_NAMES[name] && part.startsWith("word_class:") ? CLASS_NAMES[name] : name;
}

const hasSource = (board) => board.models.some((model) => model.source);
const hasProbabilities = (board) => board.models.some(isCalibrated);
const hasLetters = (board) => board.models.some((model) => model.letters);
const isCalibrated = (model) => model.parts.all.seed_brier !== null;
const calibrationError = (model) => model.parts.all.calibration_error;

/** Return the letters of the tests, which are of all variants at the quality threshold; null elsewhere. */
const lettersOf = (model, part, threshold) =>
  part === "all" && threshold === theBoard().quality ? model.letters : null;

const at = (model, part, threshold) => model.parts[part]?.curve.mean?.[threshold] ?? null;
