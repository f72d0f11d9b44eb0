"use strict";

// A question with options, and one image, or two side by side or one after the other.

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const BY_LETTER = 5; // options that are chosen by their letters: further letters do other things

function fill(question) {
  get("question").textContent = question.question;
  get("note").textContent = question.note;
  get("alone").hidden = question.data.length < 2;
  get("scores").replaceChildren(
    ...question.options.map((text, place) => {
      const button = make("button");
      button.type = "button";
      button.value = place + 1;
      button.append(make("kbd", LETTERS[place]), make("span", text));
      button.addEventListener("click", () => rate(place + 1));
      return button;
    }),
  );
  get("pair").dataset.front = 0;
}

function mark(score) {
  for (const button of get("scores").children) {
    button.setAttribute("aria-pressed", String(Number(button.value) === score));
  }
}

// Both at once, or one of them in the same place as the other.
function alone() {
  const on = get("pair").classList.toggle("alone");
  get("alone").setAttribute("aria-pressed", String(on));
  get("flip").hidden = !on;
}

function flip() {
  get("pair").dataset.front = 1 - Number(get("pair").dataset.front);
}

function key(event) {
  const typed = event.key.toUpperCase();
  const number = /^[1-9]$/.test(typed) ? Number(typed) : LETTERS.indexOf(typed) + 1;
  const letter = /^[A-Z]$/.test(typed);
  if (/^[1-9A-Z]$/.test(typed) && !(letter && number > BY_LETTER)) {
    if (number <= study.questions[place].options.length) rate(number);
  } else if (get("alone").hidden) {
    return false;
  } else if (typed === "S") {
    alone();
  } else if (typed === "F") {
    if (get("pair").classList.contains("alone")) flip();
    else alone();
  } else {
    return false;
  }
  return true;
}

get("alone").addEventListener("click", alone);
get("flip").addEventListener("click", flip);
Object.assign(own, {
  title: document.title.split(":")[0],
  one: "The question is answered",
  all: "questions are answered",
  named: (score) => LETTERS[score - 1],
  fill,
  mark,
  pressed: key,
});
begin();
