// Where the nodes of a syntax tree stand.
//
// A chain of symbols is a row from left to right; what hangs on a symbol by another relation is a row
// below it, one for each relation, side by side. Each symbol's column is as wide as all that hangs on
// it, so nothing ever overlaps.

export const RADIUS = 18;
const GAP = 18;
const LEVEL = 72;

/** {nodes: [{symbol, x, y, level, open, hidden}], edges: [{from, to, relation}], width, height} */
export function layout(symbols, folded) {
  const children = childrenOf(symbols);
  const nodes = new Map();
  const edges = [];

  function branchesOf(id) {
    return [...children[id]].filter(([relation]) => relation !== "right");
  }

  function place(first, left, level) {
    let [x, previous] = [left, null];
    for (let id = first; id !== undefined; id = children[id].get("right")) {
      const branches = branchesOf(id);
      const open = branches.length > 0 && !folded.has(id);
      let width = 0;
      for (const [relation, child] of open ? branches : []) {
        width += (width ? 1.5 * GAP : 0) + place(child, x + width + (width ? 1.5 * GAP : 0), level + 1);
        edges.push({ from: id, to: child, relation });
      }
      const column = Math.max(width, 2 * RADIUS);
      const hidden = branches.length && !open ? countBelow(branches, children) : 0;
      const y = RADIUS + 6 + level * LEVEL;
      const foldable = branches.length > 0;
      nodes.set(id, { symbol: symbols[id], x: x + column / 2, y, level, foldable, open, hidden });
      if (previous !== null) edges.push({ from: previous, to: id, relation: "right" });
      previous = id;
      x += column + GAP;
    }
    return x - GAP - left;
  }

  const width = symbols.length ? place(0, 6, 0) + 12 : 0;
  const placed = [...nodes.values()].sort((a, b) => a.symbol.id - b.symbol.id);
  const height = Math.max(0, ...placed.map((node) => node.y)) + RADIUS + 10;
  const ends = edges.map((edge) => ({ ...edge, from: nodes.get(edge.from), to: nodes.get(edge.to) }));
  return { nodes: placed, edges: ends, width, height };
}

/** For each symbol, by relation, the symbol that stands so to it. */
export function childrenOf(symbols) {
  const children = symbols.map(() => new Map());
  for (const { id, parent, relation } of symbols) {
    if (parent !== null) children[parent].set(relation, id);
  }
  return children;
}

function countBelow(branches, children) {
  const pending = branches.map(([, child]) => child);
  let count = 0;
  while (pending.length) {
    pending.push(...children[pending.pop()].values());
    count += 1;
  }
  return count;
}
