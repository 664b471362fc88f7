// A formula whose tree was edited: the server writes it anew, and each symbol keeps what is known of it.

import { keepInk } from "./align.js";
import { Refused, write } from "./api.js";
import { moved, neighbours } from "./edits.js";

/** What a limit is called where a script was meant: the server refuses scripts on a sum. */
const LIMITS = { sup: "above", sub: "below" };
const GIVEN = /^\\(frac|binom|sqrt|boxed|textcircled|overline|underline|over\w+|wide\w+|under\w+)$/;

/** The result with these symbols; throws `Refused` where that is no formula. */
export async function rewritten(result, symbols) {
  const written = await write(expressionOf(symbols));
  const after = written.expression.symbols;
  const same = after.length === symbols.length && after.every((one) => symbols[one.id].symbol === one.symbol);
  const kept = same ? after.map((one) => ({ ...symbols[one.id], ...one })) : keepInk(symbols, after);
  return { ...result, ...written, expression: { ...written.expression, symbols: kept }, corrected: true };
}

/** The result with a symbol in another place: {target, relation}; null where that cannot be. */
export async function movedIn(result, id, { target, relation }) {
  const { symbols } = result.expression;
  const attempt = async (name) => {
    const after = moved(symbols, id, target, name);
    return after && rewritten(result, after);
  };
  try {
    return await attempt(relation);
  } catch (error) {
    if (!(error instanceof Refused) || !LIMITS[relation]) throw error;
    return attempt(LIMITS[relation]);
  }
}

/** Where a symbol can be moved by one step, by name: "sup", "sub" and "into" of the symbol before it, "out"
 * of the one that its row hangs on. */
export function steps(symbols, id) {
  const { before, owner } = neighbours(symbols, id);
  const places = {};
  if (before !== null) {
    places.sup = { target: before, relation: "sup" };
    places.sub = { target: before, relation: "sub" };
    const own = symbols.find(({ parent, relation }) => parent === before && relation !== "right");
    const { symbol } = symbols[before];
    if (symbol === "\\sqrt" || symbol === "\\boxed") places.into = { target: before, relation: "inside" };
    else if (GIVEN.test(symbol) && own) places.into = { target: before, relation: own.relation };
  }
  if (owner !== null) places.out = { target: owner, relation: "right" };
  return places;
}

/** What the server needs to know; probabilities and boxes stay here. */
export function expressionOf(symbols) {
  const bare = symbols.map(({ id, symbol, parent, relation }) => ({ id, symbol, parent, relation }));
  return { format: "san-expression", version: 1, symbols: bare };
}
