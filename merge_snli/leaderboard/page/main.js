// Navigation between the board and model views.

const pageTitle = document.title;
let shownModel = null;

function render() {
  const inModel = state.model !== "";
  byId("board-view").hidden = inModel;
  byId("model-view").hidden = !inModel;
  for (const section of document.querySelectorAll(".sets")) section.hidden = inModel;
  for (const one of byId("findings").children) {
    one.hidden = one.dataset.board !== state.board || (one.dataset.model ?? "") !== state.model;
  }
  byId(inModel ? "model-title" : "board-title").after(byId("findings"));
  byId("home").href = address({ model: "" });
  if (inModel) renderModel();
  else renderBoard();
  document.title = `${inModel ? theModel().name : theBoard().dataset} · ${pageTitle}`;
  if (shownModel !== null && shownModel !== state.model) {
    scrollTo(0, 0);
    byId(inModel ? "model-title" : "main").focus({ preventScroll: true });
  }
  shownModel = state.model;
}

function redrawCharts() {
  chartShown = "";
  render();
}

byId("theme").addEventListener("click", redrawCharts); // after the theme has changed
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawCharts);

phone.addEventListener("change", () => {
  modelTable.board = null;
  render();
});

byId("board").addEventListener("change", (event) => choose({ ...DEFAULTS, board: event.target.value, t: state.t }));
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // keep the view state in the URL
  byId("main").focus();
});
addEventListener("hashchange", () => {
  readAddress();
  byId("board").value = state.board;
  render();
});

readAddress();
const boardNames = DATA.boards.map((board, index) => [
  String(index),
  `${board.dataset}, ${board.config} (${board.version})`,
]);
fillSelect(byId("board"), boardNames.map(option), state.board);
byId("board-choice").hidden = DATA.boards.length < 2;
render();
document.body.classList.remove("loading"); // shown last, because its parts move in the first render
