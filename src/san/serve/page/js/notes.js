// What has to be said of all that was read, in the line at the foot of the sheet: not only of the formula that
// is shown, for nobody looks for lost ink behind the other cards.

import { sentence, t, told, toldTogether } from "./texts.js";

/** One sentence or two; "" where nothing has to be said. */
export function pageNotes({ formulas, notes, picture, leftOut }) {
  const several = formulas.length > 1;
  const all = [...notes.map(told), ...(several ? ofEach(formulas) : (formulas[0]?.notes ?? []).map(told))];
  if (several) all.push(...doubtful(formulas));
  if (!all.length) return "";
  const isMarked = formulas.some(({ unread }) => unread?.length) || (picture && leftOut.length);
  return `${sentence(all.join(t("; ")))}${isMarked ? ` ${t("Marked on the sheet.")}` : ""}`;
}

/** What is said of every formula, a turned picture say, once; the rest with the number of its card. */
function ofEach(formulas) {
  const [first = [], ...others] = formulas.map((one) => one.notes ?? []);
  const shared = first.filter((note) => others.every((own) => own.includes(note)));
  const own = formulas.flatMap((one, number) => {
    const left = (one.notes ?? []).filter((note) => !shared.includes(note));
    return left.length ? [t("formula {number}: {notes}", { number: number + 1, notes: toldTogether(left) })] : [];
  });
  return [...shared.map(told), ...own];
}

function doubtful(formulas) {
  const numbers = formulas.flatMap((one, number) => (isDoubtful(one) ? [number + 1] : []));
  if (!numbers.length) return [];
  const values = { count: numbers.length, all: formulas.length, numbers: numbers.join(", ") };
  if (numbers.length === 1) return [t("1 of {all} formulas is doubtful: number {numbers}", values)];
  return [t("{count} of {all} formulas are doubtful: numbers {numbers}", values)];
}

/** What was corrected is what was meant. */
function isDoubtful({ words, corrected, picked }) {
  return words === "doubtful" && !corrected && !picked;
}
