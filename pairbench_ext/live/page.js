"use strict";
// Counts and first numbers of a run. Names and reasons go into the page as text alone.

const EVERY = 3000; // milliseconds between two looks
const byId = (id) => document.getElementById(id);
const count = (n) => n.toLocaleString("en");

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Seconds in words, as exactly as one can know. */
function duration(seconds) {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

function said(task, now) {
  const words = [];
  if (task.expected === null) words.push(`${count(task.answers)} answers`);
  else words.push(`${count(task.expected - task.left)} of ${count(task.expected)} answered`, `${count(task.left)} left`);
  if (task.rate !== null) words.push(`${task.rate.toPrecision(3)} a second`);
  if (task.left) words.push(task.seconds === null ? "" : `about ${duration(task.seconds)} to go`);
  if (task.last !== null) words.push(`last answer ${duration(Math.max(0, now - task.last))} ago`);
  return words.filter(Boolean).join(" · ");
}

function card(task, now) {
  const own = make("section", { class: "task" }, make("h2", {}, task.name));
  if (task.expected) {
    const bar = make("progress", { class: "bar", max: task.expected, value: task.expected - task.left, "aria-label": `${task.name}: answered` });
    own.append(bar);
  }
  own.append(make("p", { class: "soft" }, said(task, now)));
  if (task.numbers.length) {
    const three = (value) => (value === null ? "" : value.toFixed(3).replace("-", "\u2212"));
    const rows = task.numbers.map(([title, value, low, high]) =>
      make("tr", {}, make("th", { scope: "row" }, title), make("td", {}, three(value)),
        make("td", {}, low === null ? "" : `${three(low)} to ${three(high)}`)));
    own.append(make("table", { "aria-label": `First numbers of ${task.name}` }, make("tbody", {}, ...rows)));
    own.append(make("p", { class: "soft" }, `from ${count(task.scored)} trials`));
  }
  if (task.note) own.append(make("p", { class: "soft" }, task.note));
  return own;
}

function show(state) {
  const now = Date.now() / 1000;
  byId("error").textContent = state.error;
  byId("error").hidden = !state.error;
  byId("tasks").classList.toggle("stale", Boolean(state.error));
  if (!state.tasks) return;
  const torn = state.torn ? ` · ${count(state.torn)} damaged records will be asked again` : "";
  byId("about").textContent = `${state.folder} · ${state.writing ? "a run is writing" : "no run is writing"}${torn}`;
  byId("tasks").replaceChildren(...state.tasks.map((task) => card(task, now)));
  const left = state.tasks.reduce((sum, task) => sum + (task.left ?? 0), 0);
  document.title = left ? `${count(left)} left` : "Nothing left";
}

async function look() {
  try {
    show(await (await fetch("/state")).json());
  } catch {
    byId("error").textContent = "The command that serves this page has ended.";
    byId("error").hidden = false;
    byId("tasks").classList.add("stale");
  }
  setTimeout(look, EVERY);
}

look();
