"use strict";
// The judge card. Texts of models and data sets go into the page as text alone, never as markup.

const ASKED = 1, RIGHT = 2, WRONG = 4, UNREAD = 8, FLIPPED = 16, DISAGREES = 32, NOT_TRUSTED = 64, UNLIKE_PEOPLE = 128;
const STATES = { "": 0, wrong: WRONG, unread: UNREAD, differ: DISAGREES, order: FLIPPED, unlike: UNLIKE_PEOPLE, person: NOT_TRUSTED };
const ROW = 56; // pixels, as the style sheet has it
const AROUND = 6; // rows that are drawn beyond those seen
const PIECE = 20; // items
const PIECES_KEPT = 12;
const LONG = 400; // characters of a text that is shown without a box to scroll in
const REPEATED = 80; // characters of a prompt that other items have, too, and that are folded
const AT_ONCE = 6000; // characters of a reply that are shown at once
const byId = (id) => document.getElementById(id);

/** An element with attributes, texts and elements in it. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A text as it is shown: control characters as signs of their own, so that all of it is seen. */
function visible(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, (sign) => {
    const code = sign.charCodeAt(0);
    return code === 127 ? "\u2421" : String.fromCharCode(0x2400 + code);
  });
}

// ---------------------------------------------------------------------------------------- data

/** JSON of a block of the page: base64 of compressed text. */
async function unpacked(id) {
  const binary = atob(byId(id).textContent);
  const bytes = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place++) bytes[place] = binary.charCodeAt(place);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** The samples of a task: an index in columns, and details that are unpacked when needed. */
class Task {
  constructor(number, about) {
    this.number = number;
    this.about = about;
    this.pieces = new Map();
    this.texts = null;
  }

  async open() {
    if (this.index) return this;
    const index = await unpacked(`index-${this.number}`);
    this.starts = [0];
    for (const n of index.questions) this.starts.push(this.starts.at(-1) + n);
    this.size = index.names.length;
    this.judges = [...index.marks.keys()].filter((judge) => index.marks[judge].some(Boolean)); // asked
    this.place = new Map(index.names.map((name, place) => [name, place]));
    this.common = new Set(index.common.split("\n").filter((line) => line.trim()));
    this.index = index;
    return this;
  }

  /** The details of an item; of pieces that were opened before, the last few are kept. */
  async item(place) {
    const number = Math.floor(place / PIECE);
    let piece = this.pieces.get(number);
    this.pieces.delete(number);
    piece ??= unpacked(`detail-${this.number}-${number}`);
    this.pieces.set(number, piece);
    if (this.pieces.size > PIECES_KEPT) this.pieces.delete(this.pieces.keys().next().value);
    return (await piece)[place % PIECE];
  }

  /** The lines that are in the prompts of most items near an item. */
  async repeatedLines(place) {
    await this.item(place);
    const near = await this.pieces.get(Math.floor(place / PIECE));
    const items = new Map();
    for (const { questions } of near) {
      const texts = questions.flatMap(({ system, parts }) => [system, ...parts.filter((part) => typeof part === "string")]);
      for (const line of new Set(texts.join("\n").split("\n"))) items.set(line, (items.get(line) ?? 0) + 1);
    }
    return new Set([...items.keys()].filter((line) => items.get(line) > Math.max(1, near.length / 2)));
  }

  /** All texts of every item in lower case, to search in; made once. */
  searchable() {
    this.texts ??= (async () => {
      const found = [];
      for (let number = 0; number * PIECE < this.size; number++) {
        for (const item of await unpacked(`detail-${this.number}-${number}`)) {
          const said = item.questions.flatMap((question) => [
            ...question.parts.filter((part) => typeof part === "string"),
            ...Object.values(question.fields),
            ...question.replies.flatMap((reply) =>
              reply ? [reply.verdict, reply.why, ...Object.values(reply.log), ...reply.exchanges.flatMap(({ label, asked, text }) => [label, asked, text])] : [],
            ),
          ]);
          found.push(`${item.name}\n${said.join("\n")}`.toLowerCase());
        }
      }
      return found;
    })();
    return this.texts;
  }

  /** The items that pass, each with the first of its questions that does. */
  filtered(wanted) {
    const { index } = this;
    const judges = wanted.judge < 0 ? index.marks.map((_, judge) => judge) : [wanted.judge];
    const found = [];
    for (let item = 0; item < this.size; item++) {
      if (wanted.group >= 0 && index.group[item] !== wanted.group) continue;
      if (wanted.texts && !wanted.texts[item].includes(wanted.text)) continue;
      for (let q = this.starts[item]; q < this.starts[item + 1]; q++) {
        if (wanted.condition >= 0 && index.condition[q] !== wanted.condition) continue;
        const passes = judges.some((judge) => {
          const mark = index.marks[judge][q];
          if (!(mark & ASKED) || (mark & wanted.state) !== wanted.state) return false;
          return wanted.why < 0 || index.why[judge][q] === wanted.why;
        });
        if (passes) {
          found.push({ item, question: q - this.starts[item] });
          break;
        }
      }
    }
    return found;
  }

  /** Found items by the values of a column, those without one last. */
  sorted(found, column, sign) {
    if (column === null) return found;
    const { names, groups, group } = this.index;
    const value = {
      name: (item) => names[item],
      group: (item) => groups[group[item]],
      mean: (item) => this.score(item, this.judges),
    }[column] ?? ((item) => this.score(item, [column]));
    const values = new Map(found.map(({ item }) => [item, value(item)]));
    return found.toSorted((a, b) => {
      const [x, y] = [values.get(a.item), values.get(b.item)];
      if (x === null || y === null) return (x === null) - (y === null);
      return sign * (typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y);
    });
  }

  /** The mean score of judges' answers about an item in percent; null without one. */
  score(item, judges) {
    let sum = 0, n = 0;
    for (const judge of judges)
      for (let q = this.starts[item]; q < this.starts[item + 1]; q++)
        if (this.index.score[judge][q] >= 0) (sum += this.index.score[judge][q]), n++;
    return n ? sum / n : null;
  }

  /** All that is marked of an item's answers by a judge. */
  marks(item, judge) {
    let found = 0;
    for (let q = this.starts[item]; q < this.starts[item + 1]; q++) found |= this.index.marks[judge][q];
    return found;
  }
}

function pictureSource(number) {
  const data = byId(`picture-${number}`);
  return data ? `data:image/webp;base64,${data.textContent}` : "";
}

// -------------------------------------------------------------------------------------- parts

const parts = [...document.querySelectorAll(".part")];
const links = [...document.querySelectorAll(".top nav a")];

/** Show one part of the page. */
function show(name) {
  const id = `part-${name.replaceAll("/", "-")}`;
  const chosen = byId(id) ?? parts[0];
  for (const part of parts) part.hidden = part !== chosen;
  for (const link of links) {
    const current = `part-${link.dataset.part.replaceAll("/", "-")}` === chosen.id;
    if (current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  return chosen;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The part, and in it the sample, that the address names. */
async function route() {
  const [part, ...rest] = location.hash.slice(1).split("/");
  if (part === "samples") {
    show("samples");
    await samples.go(rest.map(decoded));
  } else {
    const chosen = show([part, ...rest].join("/"));
    if (part) scrollTo(0, 0);
    document.title = `${chosen.querySelector("h1").textContent} · ${title}`;
  }
}

// ------------------------------------------------------------------------------------- tables

// A click on the head of a finding's column sorts its rows, each with the line that follows it; a
// click on a number opens the samples of the judge.
for (const table of document.querySelectorAll(".pb table")) {
  const body = table.tBodies[0];
  const label = (cell) => (cell.dataset.value === undefined ? cell.textContent : cell.dataset.value);
  table.tHead.addEventListener("click", ({ target }) => {
    const head = target.closest("th[data-column]");
    if (!head) return;
    const down = head.getAttribute("aria-sort") !== "descending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...body.querySelectorAll("tr[data-row]")].map((row) => [row, row.nextElementSibling]);
    const value = ([row]) => {
      const text = label(row.cells[head.cellIndex]);
      return text === "" ? null : Number.isNaN(Number(text)) ? text : Number(text);
    };
    rows.sort((a, b) => {
      const [one, two] = [value(a), value(b)];
      if (one === null || two === null) return (one === null) - (two === null);
      return (one < two ? -1 : one > two ? 1 : 0) * (down ? -1 : 1);
    });
    for (const [row, after] of rows) body.append(row, ...(after?.matches(".pb-why") ? [after] : []));
  });
  const [first, ...others] = table.dataset.tasks.split(" ");
  if (first)
    body.addEventListener("click", ({ target }) => {
      const name = target.closest("td.pb-num")?.parentElement.dataset.row;
      if (name === undefined) return;
      const task = [first, ...others].find((one) => name.endsWith(`, ${one}`));
      if (task) openSamples(task, name.slice(0, -task.length - 2));
      else openSamples(first, name);
    });
}

// A part that is of one judge at a time shows the one that is chosen.
for (const select of document.querySelectorAll("select[data-bodies]"))
  select.addEventListener("change", () => {
    for (const body of byId(`part-${select.dataset.bodies}`).querySelectorAll(".pb"))
      body.hidden = body.dataset.judge !== select.value;
  });

/** Open the samples of a task, those of a judge in a state alone. */
async function openSamples(task, judge, state = "") {
  history.pushState(null, "", `#samples/${encodeURIComponent(task)}`);
  await route();
  const known = [...byId("judge").options].find((one) => one.textContent === judge);
  byId("judge").value = known?.value ?? "-1";
  samples.state = state;
  await samples.filter(Boolean(state));
}

for (const link of document.querySelectorAll("a[data-state]"))
  link.addEventListener("click", (event) => {
    event.preventDefault();
    openSamples(link.getAttribute("href").replace("#samples/", ""), link.dataset.judge, link.dataset.state);
  });

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { class: "unseen", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    await copy(byId(`table-${button.dataset.copy}`).content.textContent);
    byId("copied").textContent = "copied";
    setTimeout(() => (byId("copied").textContent = ""), 2000);
  });
}

// ------------------------------------------------------------------------------------ samples

class Samples {
  constructor(page) {
    this.page = page;
    this.tasks = page.tasks.map((about, number) => new Task(number, about));
    this.found = [];
    this.at = 0; // of those found
    this.state = "";
    this.column = null; // by which the list is sorted
    this.sign = 1;
    this.condition = null;
    const options = page.tasks.map((task, number) => [number, task.name || "plain rows"]);
    fill(byId("task"), options);
    fill(byId("judge"), [[-1, "any"], ...page.judges.map((name, number) => [number, name])]);
    byId("judge-label").hidden = page.judges.length < 2;
    byId("states").querySelector("[value=differ]").hidden = page.judges.length < 2;
    this.listen();
  }

  listen() {
    byId("task").addEventListener("change", () => this.choose(this.tasks[byId("task").value]));
    for (const id of ["why", "judge", "group", "condition"])
      byId(id).addEventListener("change", () => this.filter());
    byId("find").addEventListener("input", () => this.filter());
    for (const button of byId("states").querySelectorAll("button"))
      button.addEventListener("click", () => {
        this.state = button.value;
        this.filter();
      });
    byId("filters").addEventListener("submit", (event) => event.preventDefault());
    byId("filters").addEventListener("reset", (event) => {
      event.preventDefault();
      this.clear();
      this.filter();
    });
    byId("list").addEventListener("scroll", () => this.draw());
    byId("list").addEventListener("keydown", (event) => {
      const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8, Home: -Infinity, End: Infinity };
      if (!(event.key in steps)) return;
      event.preventDefault();
      this.step(steps[event.key]);
    });
    addEventListener("resize", () => this.draw());
  }

  clear() {
    this.state = byId("find").value = "";
    this.column = null;
    for (const id of ["why", "judge", "group", "condition"]) byId(id).value = "-1";
  }

  /** Open a task, with its own groups, conditions and reasons to filter by. */
  async open(task) {
    if (this.task === task) return;
    await task.open();
    this.task = task;
    byId("task").value = task.number;
    byId("common").hidden = !task.index.common;
    byId("common").lastElementChild.textContent = visible(task.index.common);
    const { groups, conditions, reasons } = task.index;
    const named = (names) => names.map((name, number) => [number, name || "(none)"]);
    fill(byId("group"), [[-1, "all"], ...named(groups)]);
    fill(byId("condition"), [[-1, "all"], ...named(conditions)]);
    fill(byId("why"), [[-1, "any reason"], ...named(reasons).filter(([, name]) => name !== "(none)")]);
    byId("group-label").hidden = groups.length < 2;
    byId("condition-label").hidden = conditions.length < 2;
    this.clear();
    await this.filter(false);
  }

  async choose(task) {
    await this.open(task);
    this.select(0);
  }

  /** What an address says: task, item, question. What the page lacks is said, not passed over. */
  async go([taskName, itemName, question]) {
    const named = this.tasks.find((one) => one.about.name === taskName);
    const task = named ?? this.task ?? this.tasks[0];
    const changed = task !== this.task;
    await this.open(task);
    const known = named !== undefined && itemName !== undefined && task.place.has(itemName);
    if (known) {
      const item = task.place.get(itemName);
      if (!this.found.some((one) => one.item === item)) {
        this.clear();
        await this.filter(false);
      }
      const at = this.found.findIndex((one) => one.item === item);
      await this.select(at, Number(question) || 0);
    } else if (changed || !this.shown) await this.select(0);
    else {
      this.draw();
      this.address();
    }
    const asked = this.shown?.details.questions.length ?? 0;
    let lacks = "";
    if (taskName !== undefined && !named) lacks = `This page has no task ${taskName}.`;
    else if (itemName !== undefined && !known) lacks = `${taskName} has no item ${itemName}.`;
    else if (question !== undefined && !(Number(question) < asked)) lacks = `${itemName} has no question ${question}.`;
    byId("lacks").textContent = lacks && `${lacks} Another one is shown.`;
  }

  /** Find the items that pass the filters now. */
  async filter(follow = true) {
    const wanted = {
      state: STATES[this.state],
      why: this.state === "unread" ? Number(byId("why").value) : -1,
      judge: Number(byId("judge").value),
      group: Number(byId("group").value),
      condition: Number(byId("condition").value),
      text: byId("find").value.trim().toLowerCase(),
    };
    byId("why-label").hidden = this.state !== "unread";
    const turn = (this.turn = (this.turn ?? 0) + 1);
    if (wanted.text) {
      wanted.texts = await this.task.searchable();
      if (turn !== this.turn) return; // something else was typed meanwhile
    }
    this.found = this.task.sorted(this.task.filtered(wanted), this.column, this.sign);
    for (const button of byId("states").querySelectorAll("button")) {
      const passing = this.task.filtered({ ...wanted, state: STATES[button.value], why: -1 });
      button.querySelector("span").textContent = passing.length.toLocaleString("en");
      button.setAttribute("aria-pressed", String(button.value === this.state));
    }
    this.heads();
    const { items, shown } = this.task.about;
    const of = shown < items ? `${shown} shown of ${items}` : `${items}`;
    byId("count").textContent = `${this.found.length} of ${of} items`;
    if (follow) this.select(0);
  }

  step(by) {
    if (!this.found.length) return;
    this.select(Math.max(0, Math.min(this.found.length - 1, this.at + by)));
  }

  /** Show an item of those found. */
  async select(at, question) {
    const list = byId("list");
    byId("lacks").textContent = "";
    this.at = Math.max(0, at);
    const found = this.found[this.at];
    if (!found) {
      this.shown = null;
      byId("item").replaceChildren(make("p", { class: "empty" }, "No item passes these filters."));
      this.draw();
      return;
    }
    const top = this.at * ROW;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
    this.draw();
    const task = this.task;
    const [details, repeated] = await Promise.all([task.item(found.item), task.repeatedLines(found.item)]);
    if (this.task !== task || this.found[this.at]?.item !== found.item) return;
    this.shown = { details, repeated, item: found.item, question: question ?? found.question };
    this.condition = details.questions[this.shown.question]?.condition ?? "";
    this.address();
    this.render();
  }

  /** The address of what is shown, without a step in the history. */
  address() {
    const words = ["samples", this.task.about.name, this.shown.details.name];
    if (this.shown.question) words.push(String(this.shown.question));
    const hash = `#${words.map((word) => encodeURIComponent(word)).join("/")}`;
    if (location.hash !== hash) history.replaceState(null, "", hash);
    document.title = `${this.shown.details.name} · ${title}`;
  }

  // --------------------------------------------------------------------------------- the list

  /** The buttons above the columns of the list: a click sorts, a third one goes back to the log's order. */
  heads() {
    const { judges, index } = this.task;
    const group = index.groups.length > 1 ? [["group", "Group"]] : [];
    const mean = judges.length > 1 ? [["mean", "Mean"]] : [];
    const button = ([column, name]) => {
      const sorted = column === this.column;
      return make("button", { type: "button", title: name, "aria-pressed": String(sorted), onclick: () => this.sortBy(column) },
        make("span", {}, visible(shortened(name, 7, 12))), ...(sorted ? signed(this.sign > 0 ? " ▲" : " ▼", this.sign > 0 ? "ascending" : "descending") : []));
    };
    byId("heads").replaceChildren(
      make("span", { class: "names" }, ...[["name", "Item"], ...group].map(button)),
      ...[...mean, ...judges.map((judge) => [judge, this.page.judges[judge]])].map(button),
    );
    byId("table").style.setProperty("--columns", mean.length + judges.length);
    byId("table").classList.toggle("many", judges.length > 4);
  }

  async sortBy(column) {
    if (this.column !== column) [this.column, this.sign] = [column, 1];
    else if (this.sign > 0) this.sign = -1;
    else this.column = null;
    const place = [...byId("heads").querySelectorAll("button")].indexOf(document.activeElement);
    await this.filter();
    byId("heads").querySelectorAll("button")[place]?.focus();
  }

  /** Draw the rows that are seen, and a few around them. */
  draw() {
    const list = byId("list"), rows = byId("rows");
    if (!this.task || byId("part-samples").hidden) return;
    rows.style.height = `${this.found.length * ROW}px`;
    const from = Math.max(0, Math.floor(list.scrollTop / ROW) - AROUND);
    const to = Math.min(this.found.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + AROUND);
    const made = [];
    for (let at = from; at < to; at++) made.push(this.row(at));
    rows.replaceChildren(...made);
    const current = byId(`row-${this.at}`);
    if (current) list.setAttribute("aria-activedescendant", current.id);
    else list.removeAttribute("aria-activedescendant");
  }

  row(at) {
    const { item } = this.found[at];
    const { index } = this.task;
    const number = index.first[item];
    const states = this.task.judges.map((j) => stateOf(this.task.marks(item, j), this.page.judges[j]));
    const signs = states.map(({ sign, kind, words }) => make("span", { class: `sign ${kind}`, title: words || null }, ...signed(sign, words)));
    const mean = this.task.score(item, this.task.judges);
    const pictured = this.page.images !== "none" && index.first.some((one) => one >= 0);
    let image = null;
    if (number >= 0) image = make("img", { src: pictureSource(number), alt: "", loading: "lazy" });
    else if (pictured) image = make("span", { class: "no-image" });
    const row = make(
      "div",
      {
        class: pictured ? "row" : "row plain-row",
        id: `row-${at}`,
        role: "option",
        "aria-selected": String(at === this.at),
        "aria-posinset": at + 1,
        "aria-setsize": this.found.length,
        title: visible(index.names[item]),
        onclick: () => this.select(at),
      },
      image,
      make(
        "span",
        {},
        make("div", { class: "name" }, visible(shortened(index.names[item]))),
        make("div", { class: "kind" }, visible(kindOf(index.names[item], index.groups[index.group[item]]))),
      ),
      states.length > 1 ? make("span", { class: "sign soft" }, mean === null ? "–" : (mean / 100).toFixed(2)) : null,
      ...signs,
    );
    row.style.top = `${at * ROW}px`;
    return row;
  }

  // --------------------------------------------------------------------------------- the item

  render() {
    const { details } = this.shown;
    const asked = details.questions.filter((one) => one.condition === this.condition);
    const orders = [...new Set(asked.map((one) => one.order))].sort();
    const inOrder = (order) => asked.filter((one) => one.order === order);
    const named = (order) => (orders.length > 1 ? order : "");
    const columns = this.page.judges
      .map((name, judge) => ({ name, judge }))
      .filter(({ judge }) => asked.some((one) => one.replies[judge]))
      .map(({ name, judge }) =>
        make("section", { class: "judge-column" },
          make("h3", { class: "judge-name" }, visible(name)),
          ...orders.map((order) => this.answers(inOrder(order), judge, named(order)))));
    const replies = make("div", { class: "replies", role: "region", tabindex: "0", "aria-label": "Replies" }, ...columns);
    replies.style.setProperty("--rows", orders.length + 1);
    const content = [
      this.head(details),
      this.conditions(details),
      ...orders.map((order, n) => this.question(inOrder(order)[0], named(order), n > 0)),
      replies,
    ];
    byId("item").replaceChildren(...content.filter(Boolean));
  }

  head(details) {
    const words = ["samples", this.task.about.name, details.name, ...(this.shown.question ? [String(this.shown.question)] : [])];
    return make(
      "header",
      { class: "item-head" },
      make("h2", { id: "item-name" }, visible(details.name)),
      kindOf(details.name, details.group) ? make("span", { class: "chip" }, visible(details.group)) : null,
      make("a", { class: "permalink", href: `#${words.map(encodeURIComponent).join("/")}` }, "Link to this sample"),
      make(
        "span",
        { class: "steps" },
        make("button", { type: "button", id: "previous", disabled: this.at === 0, "aria-label": "Previous item", onclick: () => this.step(-1) }, "←"),
        make("span", { class: "soft", id: "place" }, `${this.at + 1} of ${this.found.length}`),
        make("button", { type: "button", id: "next", disabled: this.at + 1 >= this.found.length, "aria-label": "Next item", onclick: () => this.step(1) }, "→"),
      ),
    );
  }

  conditions(details) {
    const conditions = [...new Set(details.questions.map((one) => one.condition))];
    if (conditions.length < 2) return null;
    const tabs = conditions.map((condition) =>
      make("button", {
        type: "button",
        "aria-pressed": String(condition === this.condition),
        onclick: () => this.turnTo(details.questions.findIndex((one) => one.condition === condition)),
      }, visible(condition) || "(none)"),
    );
    return make("div", { class: "tabs", role: "group", "aria-label": "Condition" }, ...tabs);
  }

  turnTo(question) {
    this.shown.question = question;
    this.condition = this.shown.details.questions[question].condition;
    this.address();
    this.render();
  }

  /** What was asked: texts and pictures in their order; folded for the other orders of a question. */
  question(question, order, folded) {
    const content = [];
    for (const part of question.parts) {
      const kind = typeof part === "string" ? "texts" : "pictures";
      if (content.at(-1)?.className !== kind) content.push(make("div", { class: kind }));
      content.at(-1).append(...(kind === "texts" ? this.prompt(part) : [picture(part, `image ${content.length} of the prompt`)]));
    }
    for (const { title: heading, pictures: own } of question.more) {
      content.push(
        make("figure", { class: "further" },
          make("figcaption", { class: "soft" }, visible(heading)),
          make("div", { class: "pictures" }, ...own.map((part) => picture(part, heading)))),
      );
    }
    if (this.page.images === "none") content.push(make("p", { class: "soft" }, "This page was written without images."));
    if (question.problem) content.push(make("p", { class: "soft" }, visible(question.problem)));
    const facts = Object.entries(question.fields);
    const heading = [
      "Asked",
      order ? make("span", { class: "chip note-chip" }, orderName(order)) : null,
      question.target ? make("span", {}, "truth ", make("strong", {}, visible(question.target))) : null,
    ].filter(Boolean);
    return make(
      folded ? "details" : "section",
      { class: "asked", "aria-label": order ? `Asked, ${orderName(order)}` : "Asked" },
      folded ? make("summary", { class: "ask" }, ...heading) : make("h3", {}, ...heading),
      make("div", { class: "parts", role: "group", tabindex: "0", "aria-label": "Prompt" },
        question.system ? make("div", { class: "texts" }, ...this.prompt(question.system)) : null,
        ...content,
        facts.length ? make("details", { class: "log" }, make("summary", {}, "Fields of the log"), definitions(facts)) : null),
    );
  }

  /** A text of a prompt without what every item has; lines that most other items have are folded. */
  prompt(text) {
    const runs = [];
    const { common } = this.task;
    for (const line of text.split("\n").filter((one) => !common.has(one))) {
      const again = this.shown.repeated.has(line) || (!line.trim() && Boolean(runs.at(-1)?.again));
      if (runs.at(-1)?.again !== again) runs.push({ again, lines: [] });
      runs.at(-1).lines.push(line);
    }
    return runs
      .map(({ again, lines }) => ({ again, own: lines.join("\n").trim() }))
      .filter(({ own }) => own)
      .map(({ again, own }) =>
        again && own.length >= REPEATED
          ? make("details", {}, make("summary", { class: "same" }, "As in other items: ", visible(own)), make("p", { class: "text" }, visible(own)))
          : make("p", { class: "text" }, visible(own)));
  }

  answers(questions, judge, order) {
    const given = questions.map((one) => one.replies[judge]);
    const cards = given.map((reply, n) => (reply ? this.answer(reply, questions[n], judge, given.length > 1 ? n + 1 : 0) : null));
    const known = cards.filter(Boolean);
    return make(
      "div",
      { class: "judge-row" },
      order ? make("p", { class: "label" }, orderName(order)) : null,
      ...(known.length ? known : [make("p", { class: "soft" }, "not asked")]),
    );
  }

  answer(reply, question, judge, vote) {
    const number = this.task.starts[this.shown.item] + this.shown.details.questions.indexOf(question);
    const marks = this.task.index.marks[judge][number];
    const unread = Boolean(marks & UNREAD);
    const kind = unread && !(marks & (WRONG | RIGHT)) ? "unread" : marks & WRONG ? "wrong" : marks & RIGHT ? "right-answer" : "";
    const known = marks & WRONG ? "wrong" : marks & RIGHT ? "right" : "";
    const word = unread ? (reply.unread && reply.unread < reply.replies ? `${reply.unread} of ${reply.replies} unreadable` : "unreadable") : known;
    const said = unread ? reply.why : reply.verdict;
    const chips = [
      unread && known ? make("span", { class: `chip ${known === "right" ? "good" : "bad"}` }, known) : null,
      word ? make("span", { class: `chip ${word === "right" ? "good" : "bad"}` }, word) : null,
      said ? make("span", { class: "said" }, unread ? visible(said) : make("strong", {}, visible(said))) : null,
      reply.score >= 0 && reply.score % 100 ? make("span", { class: "soft" }, `score ${(reply.score / 100).toFixed(2)}`) : null,
      marks & FLIPPED ? make("span", { class: "chip bad" }, "⇄ order changes the answer") : null,
      marks & UNLIKE_PEOPLE ? make("span", { class: "chip bad" }, "people say otherwise") : null,
      marks & NOT_TRUSTED ? make("span", { class: "chip" }, "not trusted: ask a person") : null,
      reply.changed ? make("span", { class: "chip bad" }, "images have changed") : null,
      vote ? make("span", { class: "vote" }, `vote ${vote}`) : null,
    ];
    const log = Object.entries(reply.log).filter(([, value]) => value && value !== reply.verdict);
    return make(
      "section",
      { class: `answer ${kind}` },
      make("header", {}, ...chips.filter(Boolean)),
      ...reply.tables.map(smallTable),
      ...(reply.exchanges.length > 1 ? [rounded(reply.exchanges)] : reply.exchanges.map(replyText)),
      log.length ? definitions(log) : null,
    );
  }
}

/** A sign that is seen, and the words that are read in its place. */
const signed = (sign, words) => [make("span", { "aria-hidden": "true" }, sign), make("span", { class: "unseen" }, words)];

/** The group of an item, where its name does not say it already. */
const kindOf = (name, group) => (!group || name.includes(group) ? "" : group);

/** A name without its middle, where it is long: names mostly differ at their ends. */
function shortened(name, first = 12, last = 26) {
  const signs = [...name];
  if (signs.length <= first + last + 4) return name;
  return `${signs.slice(0, first).join("")}…${signs.slice(-last).join("")}`;
}

const orderName = (order) => ({ fwd: "as in the data", rev: "reversed" })[order] ?? visible(order);

function stateOf(marks, judge) {
  if (!(marks & ASKED)) return { sign: "·", kind: "soft", words: "" };
  const words = [];
  let sign = "", kind = "soft";
  if (marks & WRONG) (sign += "✕"), (kind = "bad"), words.push("wrong");
  else if (marks & RIGHT) (sign += "✓"), (kind = "good");
  if (marks & UNREAD) (sign += "?"), (kind = "bad"), words.push("unreadable");
  if (marks & FLIPPED) (sign += "⇄"), (kind = "bad"), words.push("order changes the answer");
  return { sign: sign || "·", kind, words: words.length ? `${judge}: ${words.join(", ")}` : "" };
}

function fill(select, options) {
  select.replaceChildren(...options.map(([value, name]) => make("option", { value }, visible(name))));
}

function definitions(pairs) {
  return make("dl", { class: "fields" }, ...pairs.flatMap(([name, value]) => [
    make("dt", {}, visible(name.replaceAll("_", " "))), make("dd", {}, visible(value)),
  ]));
}

function smallTable({ title: caption, columns, rows }) {
  const cells = (tag, row) => row.map((text, n) => make(n ? tag : "th", tag === "th" ? { scope: "col" } : n ? {} : { scope: "row" }, visible(text)));
  return make("table", { class: "small" },
    make("caption", {}, visible(caption)),
    make("thead", {}, make("tr", {}, ...cells("th", columns))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...cells("td", row)))));
}

/** A text of a prompt; a long one has a box of its own to scroll in. */
function longText(text) {
  const long = text.length > LONG;
  return make("p", { class: long ? "text long" : "text", tabindex: long ? "0" : null }, visible(text));
}

function picture({ number, width, height }, words) {
  const source = pictureSource(number);
  const image = make("img", { src: source, width, height, alt: words, tabindex: "0", role: "button", loading: "lazy" });
  const open = () => {
    const dialog = make("dialog", { class: "zoom", "aria-label": words }, make("img", { src: source, alt: words }));
    dialog.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  };
  image.addEventListener("click", open);
  image.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      open();
    }
  });
  return image;
}

/** A reply, with what was read of it marked. */
function replyText({ text, start, end }) {
  const box = make("pre", { class: "text reply", tabindex: "0", "aria-label": "Reply" });
  const until = (length) => {
    const known = start >= 0 && end <= text.length;
    const pieces = known
      ? [text.slice(0, start), make("mark", {}, visible(text.slice(start, end))), text.slice(end, Math.max(end, length))]
      : [text.slice(0, length)];
    box.replaceChildren(...pieces.map((one) => (typeof one === "string" ? visible(one) : one)));
  };
  until(AT_ONCE);
  if (!text) box.append(make("span", { class: "soft" }, "(empty)"));
  if (text.length <= Math.max(AT_ONCE, end)) return box;
  const more = make("button", { type: "button" }, `Show all ${text.length.toLocaleString("en")} characters`);
  more.addEventListener("click", () => {
    until(text.length);
    more.remove();
    box.focus();
  });
  return make("div", { class: "judge-row" }, box, more);
}

/** The exchanges of a trial in rounds. */
function rounded([first, ...others]) {
  return make("div", { class: "judge-row" },
    first.label ? make("p", { class: "label" }, visible(first.label)) : null,
    replyText(first),
    make("details", {}, make("summary", {}, `${others.length} more ${others.length === 1 ? "exchange" : "exchanges"}`),
      ...others.map((one) => make("div", { class: "judge-row" },
        one.label ? make("p", { class: "label" }, visible(one.label)) : null,
        one.asked ? longText(one.asked) : null, replyText(one)))));
}

// -------------------------------------------------------------------------------------- start

const title = document.title;
let samples = null;

/** Keys that do something here; not while somebody types, nor with another key held. */
function key(event) {
  if (!samples || !byId("keys").checked || event.ctrlKey || event.metaKey || event.altKey) return;
  const at = event.target;
  if (at.matches?.("input:not([type=checkbox]), textarea, select") || document.querySelector("dialog[open]")) {
    if (event.key === "Escape" && at.id === "find") byId("list").focus();
    return;
  }
  if (byId("part-samples").hidden) return;
  const act = {
    j: () => samples.step(1),
    k: () => samples.step(-1),
    f: () => byId("find").focus(),
  }[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act();
}

(async () => {
  samples = new Samples(await unpacked("page"));
  addEventListener("hashchange", route);
  addEventListener("keydown", key);
  await route();
  document.documentElement.dataset.ready = "yes";
})();
