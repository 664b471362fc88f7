// A formula in words, as one reads it aloud: for those who hear the page.

import { childrenOf } from "./layout.js";
import { t } from "./texts.js";

const NAMES = {
  "+": "plus", "-": "minus", "=": "equals", "<": "less than", ">": "greater than", "/": "divided by",
  "\\times": "times", "\\cdot": "times", "\\div": "divided by", "\\pm": "plus or minus", "\\leq": "less than or equal to",
  "\\geq": "greater than or equal to", "\\neq": "not equal to", "\\infty": "infinity", "\\rightarrow": "to",
  "(": "open bracket", ")": "close bracket", "\\int": "integral", "\\sum": "sum", "\\prod": "product",
  "\\lim": "limit", "!": "factorial", "\\prime": "prime", "\\in": "in", "\\ldots": "and so on", "\\cdots": "and so on",
  ",": "comma", "\\{": "open brace", "\\}": "close brace", "&": "next column", "\\\\": "next row",
};
const MOST = 400; // words: nobody listens longer

/** The words of symbols, in the language of the page. */
export function speech(symbols) {
  if (!symbols.length) return "";
  const children = childrenOf(symbols);
  const words = [];
  const pending = [0]; // numbers of symbols, and words that stand between them
  const say = (...parts) => pending.push(...parts.filter((part) => part !== undefined).toReversed());
  while (pending.length && words.length < MOST) {
    const next = pending.pop();
    if (typeof next === "string") {
      words.push(next);
      continue;
    }
    const of = (relation) => children[next].get(relation);
    const { symbol } = symbols[next];
    say(...spoken(symbol, of), ...scripts(symbol, of), of("right"));
  }
  return words.filter(Boolean).join(" ");
}

function spoken(symbol, of) {
  if (symbol === "\\frac") return [t("fraction"), of("above"), t("over"), of("below"), t("end of fraction")];
  if (symbol === "\\sqrt" && of("upper-left") === undefined) return [t("square root of"), of("inside"), t("end of root")];
  if (symbol === "\\sqrt") return [t("root"), of("upper-left"), t("of"), of("inside"), t("end of root")];
  if (symbol === "\\matrix") return [t("rows"), of("inside"), t("end of rows")];
  const name = NAMES[symbol] ? t(NAMES[symbol]) : symbol.replace(/^\\(math\w+)?\{?|\}$/g, "");
  return [name, of("inside")];
}

function scripts(symbol, of) {
  if (symbol === "\\frac") return [];
  const part = (relation, before) => (of(relation) === undefined ? [] : [before, of(relation)]);
  return [
    ...part("below", t("from")),
    ...part("sub", t("sub")),
    ...part("above", t("to the upper")),
    ...part("sup", t("to the power of")),
    ...(of("sup") === undefined && of("above") === undefined ? [] : [t("end of script")]),
  ];
}
