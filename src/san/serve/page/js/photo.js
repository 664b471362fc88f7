// Pictures and ink from outside: opened, photographed, dropped or pasted; several at once, too.

import { isInkFile, strokesOf } from "./inkfile.js";
import { t } from "./texts.js";

const LONGEST = 2400; // pixels of a side: more than a reader needs, less than a phone's camera makes

/** Calls `take(canvases)` with the pictures that come, `write(strokes)` with ink, `fail(text)` with what is
 * neither. */
export function listenForPictures({ inputs, dropZone, take, write, fail }) {
  const open = async (files) => {
    const pictures = [];
    for (const file of files) {
      try {
        if (isInkFile(file)) write(strokesOf(await file.text()));
        else pictures.push(await pictureOf(file));
      } catch {
        fail(unreadable(file));
      }
    }
    if (pictures.length) take(pictures);
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
    else fail(t("What was dropped is not a file. Save the picture first, or copy and paste it."));
  });
}

function unreadable(file) {
  const name = file.name || t("This");
  return t("{name} is not a picture that this browser can open. Try PNG or JPEG.", { name });
}

function imageOf(data) {
  const items = [...(data?.items ?? [])];
  return items.find((item) => item.kind === "file" && item.type.startsWith("image/"))?.getAsFile();
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
