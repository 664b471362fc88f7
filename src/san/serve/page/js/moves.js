// A symbol to another place, by keys or by dragging in the tree; what cannot be is said in one line.

import { Refused } from "./api.js";
import { movedIn, steps } from "./rewrite.js";
import { sentence, t, told } from "./texts.js";

/** `result()` is the formula that may be edited now, or null; `replace(result)` shows another one. */
export function listenForMoves(link, tree, { result, replace, say }) {
  link.addEventListener("move", async ({ detail: { id, step, ...place } }) => {
    const before = result();
    if (!before) return;
    const wanted = step ? steps(before.expression.symbols, id)[step] : place;
    try {
      const after = wanted ? await movedIn(before, id, wanted) : null;
      if (result() !== before) return;
      if (!after) {
        say(t("It cannot stand there."), true);
        return;
      }
      replace(after);
      tree.focus(placeOf(before, after, id));
    } catch (error) {
      const gone = t("The server does not answer; nothing was moved.");
      say(error instanceof Refused ? sentence(told(error.message)) : gone, true);
    }
  });
}

/** Where a symbol is after it was moved: by its name and its ink. */
function placeOf(before, after, id) {
  const { symbol, strokes, box } = before.expression.symbols[id];
  const same = (one) => one.corrected && one.symbol === symbol && String(one.strokes) === String(strokes) && String(one.box) === String(box);
  return after.expression.symbols.findIndex(same);
}
