"use strict";

// What every study's page does. All that the server says goes in as text, never as markup. The
// page's own script says what is its own, in `own`, and calls `begin`.

const get = (id) => document.getElementById(id);
const rater = new URLSearchParams(location.search).get("rater");
const PAUSE = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 160;
const AWAY = 1500; // milliseconds after which a server that did not answer is asked again

let study = null; // as the server describes it
let place = 0; // which of its questions is shown
let ready = false; // whether this one can be scored: it is on the screen, no other request runs
let shown = 0; // counts what is put on the screen, so that what comes late is dropped
let again = null; // what "Try again" does
let waiting = null; // the timer that asks whether a server is back

const own = {
  title: "", // of the window
  one: "The pair is rated", // when it is finished
  all: "pairs are rated",
  named: (score) => String(score), // a score in words
  fill: () => {}, // what is said of a question, but for its images
  mark: () => {}, // show which score is chosen
  leave: () => {}, // a question goes off the screen
  drop: () => {}, // a score that is typed and not saved is none
  keep: () => false, // save it, then go on; whether there was one
  saved: () => false, // a score is saved; whether the page goes on by itself
  pressed: () => false, // whether a key is one of its own
};

class Refused extends Error {}

class Unreachable extends Error {
  constructor() {
    super("The server does not answer. Is its command still running? This page goes on when it is back.");
  }
}

async function ask(method, path, body) {
  const options = { method, cache: "no-store" };
  if (body !== undefined) {
    options.headers = { "Content-Type": "application/json" };
    options.body = JSON.stringify(body);
  }
  let reply;
  try {
    reply = await fetch(path, options);
  } catch {
    throw new Unreachable();
  }
  const said = await reply.json();
  if (!reply.ok) throw new Refused(said.error);
  return said;
}

function make(tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}

function list(id, texts) {
  get(id).replaceChildren(...texts.map((text) => make("li", text)));
}

function show(section) {
  for (const id of ["choose", "rate", "finished"]) get(id).hidden = id !== section;
  for (const id of ["progress", "who", "bottom"]) get(id).hidden = section === "choose";
}

function complain(error, retry) {
  again = retry;
  get("alert-text").textContent = error.message;
  get("alert").hidden = false;
  clearTimeout(waiting);
  if (error instanceof Unreachable) waiting = setTimeout(lookForServer, AWAY, retry);
}

function forgive() {
  clearTimeout(waiting);
  get("alert").hidden = true;
}

// What was not done for want of a server is done when it is back, unless something else was since.
async function lookForServer(retry) {
  const asked = waiting;
  let isBack = true;
  try {
    await fetch("/icon.svg", { cache: "no-store" });
  } catch {
    isBack = false;
  }
  if (asked !== waiting || get("alert").hidden) return;
  if (isBack) retry();
  else waiting = setTimeout(lookForServer, AWAY, retry);
}

const unrated = () => study.questions.findIndex((question) => question.score === null);

async function begin() {
  try {
    const raters = await ask("GET", "/api/raters");
    get("others").hidden = raters.length < 2;
    const known = raters[Number(rater ?? NaN)] !== undefined;
    if (!known && (rater !== null || raters.length > 1)) {
      choose(raters);
      if (rater !== null) complain(new Error(`There is no rater "${rater}". Who rates?`), begin);
      return;
    }
    enter(await ask("GET", `/api/raters/${encodeURIComponent(rater ?? "0")}`));
  } catch (error) {
    complain(error, begin);
  }
}

function choose(raters) {
  forgive();
  get("raters").replaceChildren(
    ...raters.map((one, number) => {
      const link = make("a", one.rater);
      link.href = `/?rater=${number}`;
      const item = make("li");
      item.append(link, make("span", `${one.rated} of ${one.of} rated`));
      return item;
    }),
  );
  show("choose");
}

function enter(state) {
  study = state;
  get("rater").textContent = study.rater;
  get("file").textContent = study.file;
  get("restart").hidden = study.round + 1 >= study.rounds;
  const first = unrated();
  if (first < 0) finish();
  else open(first);
}

function progress() {
  const n = study.questions.length;
  const rated = study.questions.filter((question) => question.score !== null).length;
  get("bar").max = n;
  get("bar").value = rated;
  get("progress-text").textContent = `${rated} of ${n} done, ${n - rated} to go`;
  document.title = `${rated} / ${n} · ${own.title}`;
}

function open(number) {
  own.leave();
  const focused = get("rate").hidden || get("rate").contains(document.activeElement);
  forgive();
  place = number;
  ready = false;
  const question = study.questions[place];
  get("position").textContent = `Sample ${place + 1} of ${study.questions.length}`;
  own.fill(question);
  own.mark(question.score);
  get("back").disabled = place === 0;
  get("undo").disabled = study.last === null;
  show("rate");
  progress();
  showPair(question);
  if (focused) get("position").focus({ preventScroll: true });
}

async function showPair(question) {
  const turn = ++shown;
  const images = [];
  get("pair").replaceChildren(...question.data.map((datum) => framed(datum, images)));
  get("pair").setAttribute("aria-busy", "true");
  try {
    await Promise.all(images.map(loaded));
  } catch {
    if (turn === shown) complain(await why(images), () => open(place));
    return;
  }
  if (turn !== shown) return;
  get("pair").setAttribute("aria-busy", "false");
  ready = true;
  preload(study.questions[place + 1]);
}

function framed(datum, images) {
  const figure = make("figure");
  const frame = make("div", undefined, "frame");
  if (datum.image === undefined) {
    frame.append(make("blockquote", datum.text));
  } else {
    const image = make("img");
    image.alt = `${datum.label} of the pair`;
    image.src = datum.image;
    frame.addEventListener("click", zoom);
    images.push(image);
    frame.append(image);
  }
  figure.append(make("figcaption", datum.label), frame);
  return figure;
}

function loaded(image) {
  return new Promise((resolve, reject) => {
    if (image.complete && image.naturalWidth) resolve();
    image.addEventListener("load", resolve);
    image.addEventListener("error", reject);
  });
}

async function why(images) {
  for (const image of images) {
    if (image.complete && image.naturalWidth) continue;
    try {
      const reply = await fetch(image.src, { cache: "no-store" });
      if (!reply.ok) return new Error(`An image cannot be shown: ${(await reply.json()).error}`);
    } catch {
      return new Unreachable();
    }
  }
  return new Error("An image cannot be shown.");
}

function preload(question) {
  for (const datum of question?.data ?? []) {
    if (datum.image !== undefined) new Image().src = datum.image;
  }
}

const mine = (what) => `/api/raters/${encodeURIComponent(rater ?? "0")}/${what}`;

async function rate(score, next = advance) {
  if (!ready) return;
  own.drop();
  ready = false;
  forgive();
  const question = study.questions[place];
  own.mark(score);
  try {
    await ask("PUT", mine("scores"), { question: question.id, score, was: question.score });
  } catch (error) {
    own.leave();
    own.mark(question.score);
    ready = true;
    complain(error, error instanceof Refused ? begin : () => rate(score, next));
    return;
  }
  question.score = score;
  study.last = question.id;
  get("status").textContent = `Saved ${own.named(score)} for sample ${place + 1}.`;
  await new Promise((done) => setTimeout(done, PAUSE));
  if (!own.saved(next)) next();
}

async function undo() {
  const last = study.questions.find((question) => question.id === study.last);
  if (last === undefined || (!ready && !get("rate").hidden)) return;
  own.drop();
  try {
    study = await ask("POST", mine("undo"), { question: last.id, score: last.score });
    open(study.questions.findIndex((question) => question.id === last.id));
    get("status").textContent = `Took back ${own.named(last.score)} of sample ${place + 1}.`;
  } catch (error) {
    complain(error, error instanceof Refused ? begin : undo);
  }
}

function zoom() {
  const on = document.body.classList.toggle("zoomed");
  get("zoom").setAttribute("aria-pressed", String(on));
}

function advance() {
  if (own.keep(advance)) return;
  if (place + 1 < study.questions.length) open(place + 1);
  else if (unrated() >= 0) open(unrated());
  else finish();
}

function back() {
  if (own.keep(back)) return;
  if (!get("finished").hidden) open(study.questions.length - 1);
  else if (place > 0) open(place - 1);
}

function finish() {
  own.leave();
  shown++;
  ready = false;
  const n = study.questions.length;
  get("finished-title").textContent = n === 1 ? own.one : `All ${n} ${own.all}`;
  get("thanks").textContent = `Thank you, ${study.rater}. You may close this page.`;
  show("finished");
  progress();
  get("finished-title").focus({ preventScroll: true });
}

async function restart() {
  get("sure").close();
  try {
    enter(await ask("POST", mine("restart"), { round: study.round + 1 }));
  } catch (error) {
    complain(error, error instanceof Refused ? begin : restart);
  }
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (study === null || get("sure").open || !get("keys").checked) return;
  const rating = !get("rate").hidden;
  if (rating && own.pressed(event)) {
    // It did what it does.
  } else if (event.key === "u" || event.key === "U") undo();
  else if (rating && (event.key === "z" || event.key === "Z")) zoom();
  else if (event.key === "ArrowLeft" || event.key === "Backspace") back();
  else if (rating && event.key === "ArrowRight") advance();
  else return;
  event.preventDefault();
}

try {
  get("keys").checked = localStorage.getItem("keys") !== "off";
  get("keys").addEventListener("change", (event) => {
    localStorage.setItem("keys", event.target.checked ? "on" : "off");
  });
} catch {
  // The browser keeps nothing: the choice holds until the page is closed.
}
get("back").addEventListener("click", back);
get("next").addEventListener("click", advance);
get("undo").addEventListener("click", undo);
get("zoom").addEventListener("click", zoom);
get("review").addEventListener("click", () => open(0));
get("restart").addEventListener("click", () => get("sure").showModal());
get("stay").addEventListener("click", () => get("sure").close());
get("go").addEventListener("click", restart);
get("retry").addEventListener("click", () => {
  clearTimeout(waiting);
  waiting = null;
  again();
});
document.addEventListener("keydown", pressed);
