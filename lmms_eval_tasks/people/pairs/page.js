"use strict";

// The scale from 1 to 10, and the conditions.

const HELD = 1000; // milliseconds in which 0 after 1 makes 10

let one = null; // the timer of a 1 that may become 10, while it is not saved
let correcting = false; // whether that 0 came
let late = false; // whether the pair on the screen was just scored 1 by key, so that 0 means 10

function fill(question) {
  const sensitive = question.condition === "sens";
  get("task").textContent = question.task;
  get("condition").dataset.condition = question.condition;
  get("mode").textContent = sensitive ? "Sensitive" : "Invariant";
  list("summary", question.summary);
  list("conditions", question.conditions);
  get("note").textContent = `Note: ${question.note}`;
  get("lowest").textContent = `1 = ${question.ends[0]}`;
  get("highest").textContent = `10 = ${question.ends[1]}`;
  for (const button of get("scores").children) {
    const [lowest, highest] = question.ends;
    const end = { 1: `, ${lowest}`, 10: `, ${highest}` }[button.value] ?? "";
    button.setAttribute("aria-label", `${button.value}${end}`);
  }
}

function mark(score) {
  for (const button of get("scores").children) {
    button.setAttribute("aria-pressed", String(Number(button.value) === score));
  }
}

// A 1 by key is shown, and saved after a second: until then 0 makes it 10, another digit that one.
function typed(digit) {
  if (digit === 0 && late) return correct();
  if (!ready) return;
  drop();
  if (digit === 1) {
    one = setTimeout(() => keep(advance), HELD);
    mark(1);
    get("held").hidden = false;
  } else {
    rate(digit === 0 ? 10 : digit);
  }
}

// Save a 1 that is held, then go on; whether there was one.
function keep(next) {
  if (one === null) return false;
  drop();
  late = true;
  rate(1, next);
  return true;
}

function drop() {
  clearTimeout(one);
  one = null;
  get("held").hidden = true;
}

function leave() {
  drop();
  late = false;
}

// The 0 of a slow "10": the 1 was saved, but its pair is still on the screen.
function correct() {
  late = false;
  correcting = true;
  mark(10);
}

function saved(next) {
  if (!correcting) return false;
  correcting = false;
  ready = true;
  rate(10, next);
  return true;
}

function key(event) {
  if (/^[0-9]$/.test(event.key)) typed(Number(event.key));
  else if (one !== null && event.key === "Enter") keep(advance);
  else if (one !== null && (event.key === "Escape" || event.key === "Backspace")) open(place);
  else return false;
  return true;
}

for (let score = 1; score <= 10; score++) {
  const button = make("button", score);
  button.type = "button";
  button.value = score;
  button.addEventListener("click", () => rate(score));
  get("scores").append(button);
}
Object.assign(own, { title: "PairBench", fill, mark, leave, drop, keep, saved, pressed: key });
begin();
