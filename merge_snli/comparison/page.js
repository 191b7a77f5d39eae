// What the leaderboard and the explorer share: elements made from text, number formats, labels, and the theme.

const NO_VALUE = "–";

const byId = (id) => document.getElementById(id);

/** Create an element with attributes, event listeners (`on…`), and children (elements or text). */
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const percent = (share, digits = 1) =>
  share === null || share === undefined ? NO_VALUE : (share * 100).toFixed(digits);

const count = (number) => number.toLocaleString("en");

const SHORT = { entailment: "E", neutral: "N", contradiction: "C", not_entailment: "¬E" };

const labelChip = (label, kind = "answer") =>
  el(
    "span",
    { class: `chip ${kind}`, "data-label": label, title: label },
    kind === "gold" ? label : (SHORT[label] ?? label),
    kind === "gold" ? null : el("span", { class: "visually-hidden" }, ` (${label})`),
  );

const THEMES = ["auto", "light", "dark"];

function storedTheme() {
  try {
    return localStorage.getItem("merge-theme") ?? "auto";
  } catch {
    return "auto";
  }
}

function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  byId("theme").textContent = `Theme: ${theme}`;
  try {
    localStorage.setItem("merge-theme", theme);
  } catch {
    // Storage may be unavailable for pages opened from the file system.
  }
}

byId("theme").addEventListener("click", () => {
  const now = document.documentElement.dataset.theme ?? "auto";
  setTheme(THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
});

const theme = storedTheme();
setTheme(THEMES.includes(theme) ? theme : "auto");
