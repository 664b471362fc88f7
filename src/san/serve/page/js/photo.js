// Pictures and ink from outside: opened, photographed, dropped or pasted; several at once, too.

import { Busy, Refused } from "./api.js";
import { isDocument, pagesOf } from "./documents.js";
import { isInkFile, strokesOf } from "./inkfile.js";
import { sentence, t, told } from "./texts.js";

const LONGEST = 2400; // pixels of a side: more than a reader needs, less than a phone's camera makes

/** Calls `take(pictures)` with what promises a canvas for each picture that comes, the first of them at once;
 * `write(strokes)` with ink; `fail(error)` with what is neither, an Unreadable; `say(text)` of the others. */
export function listenForPictures({ inputs, dropZone, take, write, fail, say }) {
  const open = async (files) => {
    const [pictures, notes, failed] = [[], [], []];
    for (const file of files) {
      try {
        if (isInkFile(file)) write(strokesOf(await file.text()));
        else pictures.push(...(await picturesOf(file, say, notes)));
      } catch (error) {
        failed.push(unreadable(file, error));
      }
    }
    if (pictures.length) await take(pictures);
    if (notes.length) say(notes.join(" "));
    if (failed.length) fail(together(failed)); // last: whatever else is said would hide it
  };
  for (const input of inputs) {
    input.addEventListener("change", () => {
      open([...input.files]);
      input.value = ""; // the same file may be chosen again
    });
  }
  addEventListener("paste", (event) => {
    const file = imageOf(event.clipboardData);
    if (!file) return;
    event.preventDefault();
    open([file]);
  });
  listenForDrops(dropZone, open, fail);
}

function listenForDrops(zone, open, fail) {
  let depth = 0; // enter and leave also fire for every child
  const hover = (over) => zone.classList.toggle("dropping", over);
  addEventListener("dragenter", () => hover((depth += 1) > 0));
  addEventListener("dragleave", () => hover((depth = Math.max(0, depth - 1)) > 0));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    hover(false);
    const files = [...event.dataTransfer.files];
    if (files.length) open(files);
    else fail(new Unreadable(t("What was dropped is not a file. Save the picture first, or copy and paste it.")));
  });
}

/** A file that cannot be shown; the message says why, to who opened it. `status`: of a server that refused it. */
export class Unreadable extends Error {
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
}

/** What is wrong with each of several files, once; who asks for a token is heard before all others. */
function together(failed) {
  const asking = failed.find(({ status }) => status === 401);
  return asking ?? new Unreadable([...new Set(failed.map(({ message }) => message))].join(" "), failed[0].status);
}

function unreadable(file, error) {
  const name = file.name || t("This");
  if (isInkFile(file)) return new Unreadable(t("{name} has no ink that can be read.", { name }));
  if (error instanceof Refused) return new Unreadable(`${name}: ${sentence(told(error.message))}`, error.status);
  if (error instanceof Busy) return new Unreadable(t("{name} cannot be opened: the server, which draws it, is busy. Try again in a moment.", { name }));
  return new Unreadable(t("{name} cannot be opened: the server, which draws it, does not answer.", { name }));
}

function imageOf(data) {
  const files = [...(data?.items ?? [])].filter((item) => item.kind === "file").map((item) => item.getAsFile());
  return files.find((file) => file && (file.type.startsWith("image/") || isDocument(file)));
}

/** What promises each picture of a file, drawn by the browser or else by the server. */
async function picturesOf(file, say, said) {
  if (!isDocument(file)) {
    const picture = await pictureOf(file).catch(() => null);
    if (picture) return [async () => picture];
  }
  say(t("Opening …"));
  const { pages, notes } = await pagesOf(file);
  said.push(...notes.map((note) => `${file.name || t("This")}: ${sentence(told(note))}`));
  return pages.map((draw) => async () => {
    try {
      return await pictureOf(await draw());
    } catch (error) {
      throw unreadable(file, error);
    }
  });
}

/** The picture upright, on white, and no larger than anyone needs. */
export async function pictureOf(file) {
  const bitmap = await createImageBitmap(file, { imageOrientation: "from-image" });
  const shrink = Math.min(1, LONGEST / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * shrink));
  canvas.height = Math.max(1, Math.round(bitmap.height * shrink));
  const context = canvas.getContext("2d");
  context.fillStyle = "white"; // transparent pictures have black ink
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas;
}

export function turned(source) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [source.height, source.width];
  const context = canvas.getContext("2d");
  context.translate(canvas.width, 0);
  context.rotate(Math.PI / 2);
  context.drawImage(source, 0, 0);
  return canvas;
}

/** A part of a picture: {canvas, blob}. */
export async function cut(source, { x, y, width, height }) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  canvas.getContext("2d").drawImage(source, x, y, width, height, 0, 0, width, height);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  return { canvas, blob };
}
