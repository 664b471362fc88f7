// Files that browsers cannot draw, PDF, TIFF and HEIC: the server draws their pages, each when it is wanted.

import { drawPage } from "./api.js";

const SUFFIXES = /\.(pdf|tiff?)$/i;
const TYPES = ["application/pdf", "image/tiff"];

/** Whether a file may have several pages. Some browsers draw the first of a TIFF, and none of them the second. */
export function isDocument({ name, type }) {
  return SUFFIXES.test(name ?? "") || TYPES.includes(type);
}

/** {pages, notes}: for each page, what promises it as a Blob; the first is there already. */
export async function pagesOf(file) {
  const first = await drawPage(file, 1);
  const later = Array.from({ length: first.pages - 1 }, (_, at) => async () => blobOf(await drawPage(file, at + 2)));
  return { pages: [async () => blobOf(first), ...later], notes: first.notes };
}

function blobOf({ image }) {
  const bytes = Uint8Array.from(atob(image), (letter) => letter.charCodeAt(0));
  return new Blob([bytes], { type: "image/png" });
}
