// The view state, stored in the URL so that links show the same view.

const DEFAULTS = {
  board: "0",
  on: "all",
  t: "",
  sort: "pa",
  dir: "down",
  q: "",
  size: "",
  data: "",
  show: "",
  model: "",
  by: "", // the first one of the model
  hard: "inconsistent",
};

let state = { ...DEFAULTS };

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  state = Object.fromEntries(Object.entries(DEFAULTS).map(([name, value]) => [name, given.get(name) ?? value]));
  const board = DATA.boards[Number(state.board)] ?? DATA.boards[0];
  state.board = String(DATA.boards.indexOf(board));
  const threshold = Number(state.t);
  if (state.t === "" || !Number.isInteger(threshold) || threshold < 0 || threshold > 100)
    state.t = String(board.quality);
  if (!board.models.some((model) => Object.hasOwn(model.parts, state.on))) state.on = "all";
  if (!columnsOf(board).some((column) => column.id === state.sort)) state.sort = DEFAULTS.sort;
  if (state.dir !== "up") state.dir = "down";
  if (!Object.hasOwn(KINDS, state.by)) state.by = DEFAULTS.by;
  if (state.hard !== "hardest") state.hard = "inconsistent";
  if (!board.models.some((model) => model.key === state.model)) state.model = "";
}

const theBoard = () => DATA.boards[Number(state.board)];
const theThreshold = () => Number(state.t);

/** Return the URL of the current view with some changes, without default values. */
function address(changes = {}) {
  const next = { ...state, ...changes };
  const changed = Object.entries(next).filter(
    ([name, value]) => value !== DEFAULTS[name] && !(name === "t" && Number(value) === theBoard().quality),
  );
  return `#${new URLSearchParams(changed)}`;
}

/** Update the state without a new history entry, and render. */
function choose(changes) {
  Object.assign(state, changes);
  history.replaceState(null, "", address());
  render();
}
