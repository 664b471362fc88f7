// The page put together: one history of pages, shown on the sheet, in the formula and in the tree.

import { announce } from "./announce.js";
import { readInk, readPicture } from "./api.js";
import { Cards } from "./cards.js";
import { collect } from "./collection.js";
import { Corrector } from "./correct.js";
import { correctionsOf, withCorrections, withInk } from "./corrections.js";
import { Crop } from "./crop.js";
import { Device } from "./device.js";
import { Editor } from "./editor.js";
import { foldable } from "./fold.js";
import { offerExamples } from "./empty.js";
import { Formula } from "./formula.js";
import { BLANK, History } from "./history.js";
import { Pad } from "./ink.js";
import { keep, kept, whenTaken } from "./keep.js";
import { listenForKeys } from "./keys.js";
import { numbered } from "./known.js";
import { scratched } from "./lasso.js";
import { Link, symbolUnder, together } from "./link.js";
import { listenForMoves } from "./moves.js";
import { pageNotes } from "./notes.js";
import { Notice } from "./notice.js";
import { Paper } from "./paper.js";
import { besides, onSheet } from "./part.js";
import { pictureOf } from "./photo.js";
import { PictureView } from "./picture.js";
import { Pictures } from "./pictures.js";
import { Reader } from "./reader.js";
import { Records } from "./records.js";
import { Result, spoken } from "./result.js";
import { Selection } from "./selection.js";
import { freshId } from "./store.js";
import { TakeAway } from "./takeaway.js";
import { sentence, t, told, translate } from "./texts.js";
import { Tree } from "./tree.js";

translate(document.body);
const $ = (id) => document.getElementById(id);
const history = new History({ ...BLANK, ...kept() });
const link = new Link();
const pad = new Pad($("ink"));
const view = new PictureView($("picture"), $("surface"), $("lit-box"));
const crop = new Crop(view, $("frame"));
const formula = new Formula($("formula"), link, (words) => ($("spoken").textContent = words));
const tree = new Tree($("tree"), link, formula);
const cards = new Cards($("cards"));
const corrector = new Corrector($("correct"));
const editor = new Editor({
  form: $("editor"),
  field: $("typed"),
  fault: $("fault"),
  source: $("source"),
  start: $("edit"),
  cancel: $("cancel-edit"),
});
const reader = new Reader();
const notice = new Notice(
  { line: $("notice"), text: $("notice-text"), retry: $("retry"), token: $("token"), kept: $("kept"), unkept: $("unkept") },
  () => (reader.pending ? reader.retry() : read(true)),
);
const result = new Result(
  {
    surety: $("surety"),
    doubtful: $("doubtful"),
    tabs: $("formats"),
    source: $("source"),
    others: $("others"),
    alternatives: $("alternatives"),
    actions: [$("copy"), $("edit")],
  },
  link,
);
const takeAway = new TakeAway(
  { menu: $("copy-menu"), more: $("copy-more"), copy: $("copy"), files: document.querySelectorAll("[data-download]"), ofAll: $("of-all"), ofOne: $("of-one") },
  { page: () => history.now, result, say },
);
const selection = new Selection($("selection"), pad, {
  strokes: () => history.now.strokes,
  change: (strokes, moved) => (cards.follow(moved), turnTo(written(strokes, moved))),
  readPart: (part) => turnTo({ ...written(history.now.strokes), part }),
});
foldable($("fold-tree"), document.body);
offerExamples($("examples"), $("ink"), (strokes) => (showInk(strokes), $("ink").focus({ preventScroll: true })));
new Paper($("paper"), pad, { larger: $("larger"), smaller: $("smaller"), whole: $("whole-sheet"), kind: $("paper-kind") });
const records = new Records();
const device = new Device($("device"), records);
const pictures = new Pictures(view, crop, {
  $,
  say,
  begin: () => (reader.cancel(), corrector.close(false), editor.close(), stale(true)),
  busy: () => notice.working(t("Reading …")),
  fail: (error) => {
    if (error.status === 401) return askForToken();
    say(error.message, true);
    if (reader.pending) notice.withAnswer(error.message);
  },
  write: (strokes) => showInk(strokes),
  read: (picture) => turnTo({ ...written(history.now.strokes), picture }),
  leave: (framing) => (framing ? show() : turnTo(written(history.now.strokes))),
  whole: () => history.now.picture.whole,
  shown: () => history.now.picture !== null,
});
let preview = null; // the formula as it would be, while its LaTeX is edited

// --- showing ---------------------------------------------------------------------------------

function show() {
  const page = history.now;
  selection.choose([]);
  pad.show(page.strokes);
  $("ink").setAttribute("aria-label", t("Sheet to write on, {number} strokes", { number: page.strokes.length }));
  pictures.stop();
  view.show(page.picture?.canvas ?? null);
  notice.tellKept(keep(page));
  $("hint").hidden = page.strokes.length > 0 || page.picture !== null;
  if (!$("hint").hidden) useTool("write"); // as it says: there is nothing to erase, choose or point at
  corrector.close(false);
  if (page.result) {
    reader.cancel();
    showResult(page.result);
    tell();
  } else if (page.picture || page.strokes.length) {
    stale(true);
    read(page.picture !== null);
  } else {
    reader.cancel();
    showResult(null);
    notice.quiet();
  }
  showTools();
}

function showResult(shown) {
  stale(pictures.uncut !== null); // a picture that is framed will be read
  editor.drop();
  preview = null;
  link.light(null);
  formula.show(shown);
  tree.show(shown);
  result.show(shown);
  cards.show(history.now);
  const all = history.now.formulas;
  mark(
    all.flatMap((one) => one.unread ?? []),
    [...all.flatMap((one) => one.crossed_out ?? []), ...besides(history.now)],
  );
  $("empty").hidden = shown !== null;
  takeAway.offer(history.now);
  $("collect").disabled = !shown;
  records.note(history.now);
  if (shown) $("spoken").textContent = spoken(shown);
}

/** Ink that was not read, or is crossed out, on the sheet or on the picture; blocks that were left out on this. */
function mark(unread, crossedOut) {
  const onPicture = history.now.picture !== null;
  const strokes = (parts) => (onPicture ? [] : parts.flatMap((part) => part.strokes ?? []));
  const boxes = (places) => (onPicture ? places.map((place) => place.box) : []);
  view.mark(boxes(unread), boxes(history.now.leftOut));
  pad.mark(strokes(unread), strokes(crossedOut));
}

/** What has to be said of what was read, or else that it is there; how quickly, to who points at it. */
const tell = (quietly, details) => notice.answer(pageNotes(history.now), quietly, details);

function say(text, isTrouble = false) {
  if (isTrouble) notice.trouble(text);
  else notice.quiet(text);
  $("spoken").textContent = text;
}

const askForToken = () => notice.trouble(t("This server asks for its token."), { token: true });

/** What is shown belongs to earlier ink until the reader has answered. */
function stale(old) {
  $("result").setAttribute("aria-busy", old);
  document.body.classList.toggle("stale", old);
}

const isStale = () => document.body.classList.contains("stale");

function showTools() {
  pictures.tools();
  $("redo-picture").disabled = !history.canRedo;
  $("undo").disabled = !history.canUndo;
  $("redo").disabled = !history.canRedo;
  $("clear").disabled = history.now.strokes.length === 0;
}

// --- reading ---------------------------------------------------------------------------------

function read(soon = false) {
  const page = history.now;
  if (page.picture) reader.read((signal) => readPicture(page.picture.blob, signal), soon);
  else if (page.strokes.length) {
    const ink = page.part ?? page.strokes;
    const known = page.known.filter((one) => one.strokes.every((stroke) => ink.includes(stroke)));
    reader.read((signal) => readInk(ink, numbered(known, ink), signal), soon || page.part !== null);
  }
}

announce(reader, notice);
reader.addEventListener("read", async ({ detail }) => {
  const page = history.now;
  const read = page.picture ? { formulas: detail.formulas } : await withCorrections(onSheet(detail.formulas, page), page);
  if (history.now !== page) return;
  Object.assign(page, read, { notes: detail.notes, leftOut: detail.left_out, chosen: cards.same(read.formulas, page.strokes) });
  const answer = (page.result = page.formulas[page.chosen] ?? null);
  showResult(answer);
  if (!answer) {
    notice.trouble(pageNotes(page) || sentence(t("No formula was found here")));
    return;
  }
  if (answer.expression.symbols.length) tell(t("Read."), t("{number} ms", { number: Math.round(detail.milliseconds) }));
  else notice.trouble(t("No formula was found here. Write larger, or crop closer to the formula."));
});
reader.addEventListener("refused", ({ detail: error }) => {
  showResult(null);
  if (error.status === 401) askForToken();
  else notice.trouble(sentence(told(error.message)), { retry: error.status >= 500 });
});

// --- writing ---------------------------------------------------------------------------------

function turnTo(page) {
  history.push(page);
  show();
}

/** A sheet of other ink, all of it in sight. */
function showInk(strokes, sheet = freshId()) {
  turnTo({ ...BLANK, strokes, sheet });
  pad.showAll();
}

/** A page of these strokes; what was corrected of them stays so. `moved`: by stroke, where it is now. */
function written(strokes, moved = new Map()) {
  const now = (stroke) => moved.get(stroke) ?? stroke;
  const corrections = correctionsOf(history.now, [...strokes, ...moved.keys()]);
  return { ...BLANK, sheet: history.now.sheet ?? freshId(), strokes, ...withInk(corrections, now) };
}

pad.addEventListener("begin", () => {
  reader.cancel();
  link.light(null);
  $("hint").hidden = true;
});
pad.addEventListener("cancel", show);
pad.addEventListener("stroke", ({ detail: stroke }) => {
  const { strokes } = history.now;
  const gone = new Set(scratched(stroke, strokes));
  if (!gone.size) {
    turnTo(written([...strokes, stroke]));
    return;
  }
  turnTo(written(strokes.filter((_, number) => !gone.has(number))));
  say(t("Scratched out. Undo brings it back."));
});
pad.addEventListener("erase", ({ detail: left }) => {
  if (left.length < history.now.strokes.length) turnTo(written(left));
  else show();
});

function useTool(tool) {
  pad.tool = tool;
  selection.choose([]);
  $("ink").dataset.tool = tool;
  for (const button of document.querySelectorAll("button[data-tool]")) {
    button.setAttribute("aria-pressed", button.dataset.tool === tool);
  }
}

const actions = {
  write: () => useTool("write"),
  erase: () => useTool("erase"),
  lasso: () => useTool("lasso"),
  point: () => useTool("point"),
  undo: () => (pictures.uncut ? pictures.leave() : (history.undo(), show())),
  redo: () => (history.redo(), show()),
  clear: () => {
    if (pictures.uncut || history.now.picture || !history.now.strokes.length) return false;
    if (selection.isEmpty) turnTo(BLANK);
    else selection.remove();
    return true;
  },
  open: () => $("file").click(),
  copy: () => (history.now.result ? takeAway.copyShown() : false),
  copyAs: () => takeAway.openMenu(),
  readPart: () => (pictures.uncut ? pictures.readPart() : false),
  back: () => (pictures.uncut || history.now.picture ? pictures.leave() : false),
  edit: () => {
    if (!history.now.result || isStale()) return false;
    result.showLatex();
    corrector.close(false);
    editor.open(history.now.result);
    return true;
  },
  help: () => $("help").showModal(),
  device: () => device.open(),
  collect: () => (history.now.result ? keepSample() : false),
};
for (const id of ["undo", "redo", "clear", "open", "help", "device", "collect"]) {
  $(["help", "device"].includes(id) ? `open-${id}` : id).addEventListener("click", () => actions[id]());
}
$("undo-picture").addEventListener("click", actions.undo);
$("redo-picture").addEventListener("click", actions.redo);
for (const button of document.querySelectorAll("button[data-tool]")) {
  button.addEventListener("click", () => useTool(button.dataset.tool));
}
listenForKeys($("sheet"), actions);

// --- linking ---------------------------------------------------------------------------------

function symbols() {
  return isStale() ? [] : ((preview ?? history.now.result)?.expression.symbols ?? []);
}

const symbolAt = (place) => symbolUnder(symbols(), place, history.now.picture !== null);

for (const surface of [pad, view]) {
  surface.addEventListener("hover", ({ detail: at }) => {
    if (!pad.busy && !pictures.uncut) link.light(at && symbolAt(at));
  });
  surface.addEventListener("tap", ({ detail: at }) => {
    const id = pictures.uncut ? null : symbolAt(at);
    const { box } = symbols()[id] ?? {};
    link.light(id);
    if (id === null) return;
    link.choose(id, history.now.picture ? view.onScreen() : box ? pad.onScreen(box) : formula.onScreen(id));
  });
}
link.addEventListener("light", ({ detail: id }) => {
  light(id === null ? [] : symbols().slice(id, id + 1));
});
function light(some) {
  const { box, strokes } = together(some);
  if (history.now.picture) view.light(box);
  else pad.light(strokes, box);
}
link.addEventListener("choose", ({ detail: { id, anchor } }) => {
  if (symbols().length && !editor.isOpen) corrector.open(history.now.result, id, anchor);
});
listenForMoves(link, tree, {
  result: () => (symbols().length && !editor.isOpen ? history.now.result : null),
  replace: replaceResult,
  say,
});
corrector.addEventListener("corrected", ({ detail }) => replaceResult(detail));
editor.addEventListener("edited", ({ detail }) => replaceResult(detail));
editor.addEventListener("cancel", () => showResult(history.now.result));
editor.addEventListener("preview", ({ detail }) => {
  preview = detail;
  link.light(null);
  formula.show(detail);
  tree.show(detail);
});
$("edit").addEventListener("click", () => actions.edit());
$("source").addEventListener("dblclick", () => actions.edit());
result.addEventListener("take", ({ detail }) => replaceResult(detail));

/** Another reading of the formula that is shown, unless that is of earlier ink. */
function replaceResult(corrected) {
  const page = history.now;
  if (isStale()) return;
  turnTo({ ...page, formulas: page.formulas.with(page.chosen, corrected), result: corrected });
}

cards.addEventListener("choose", ({ detail: number }) => {
  const page = history.now;
  corrector.close(false);
  if (!page.formulas.length) return; // it is being read: the card is shown then
  Object.assign(page, { chosen: number, result: page.formulas[number] });
  showResult(page.result);
  tell();
  light(symbols()); // which of the formulas it is
});

// --- what this device keeps ------------------------------------------------------------------

async function keepSample() {
  try {
    await collect(history.now);
    say(t("Kept on this device, to train on."));
  } catch {
    say(t("It could not be kept: the server does not answer, or this browser stores nothing."), true);
  }
}

device.addEventListener("open", async ({ detail: { id, strokes, picture } }) => {
  if (picture) pictures.frame(await pictureOf(picture));
  else if (strokes.length) showInk(strokes, id);
});

// Two tabs that began with one sheet go on with two: neither takes the other's place in the history.
whenTaken(() => history.now.strokes.length && (history.now.sheet = freshId()));

useTool("write");
show();
