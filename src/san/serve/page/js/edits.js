// Edits of a syntax tree: symbols moved, removed, inserted. Plain functions from symbols to symbols; what
// was known of each (its ink, say) goes with it. Whether the result can be, the server says.

/** In the order that the server numbers them. */
const ORDER = ["above", "below", "sub", "sup", "upper-left", "inside"];

/** A symbol, with what hangs on it, to another place: "before" or in a relation to the target. Where
 * something stands there already, it goes behind that. Null where that cannot be. */
export function moved(symbols, id, target, relation) {
  const tree = new TreeOf(symbols);
  const [node, goal] = [tree.nodes[id], tree.nodes[target]];
  if (node === goal || tree.hangsOn(goal, node)) return null;
  tree.takeOut(node);
  node.changes = { corrected: true };
  if (relation !== "before") node.changes.placed = { relation, target: goal.symbol.strokes ?? [] };
  tree.putIn(node, goal, relation);
  return tree.symbols();
}

/** Without one symbol: what hung on it stands in its place. */
export function removed(symbols, id) {
  const tree = new TreeOf(symbols);
  const node = tree.nodes[id];
  let last = node;
  for (const relation of ORDER) {
    for (let part = node.branches.get(relation), next; part; part = next) {
      next = part.right;
      tree.putIn(part, last, "right");
      last = part;
    }
  }
  node.branches.clear();
  tree.takeOut(node);
  return tree.symbols();
}

/** With other symbols, a formula of their own, "before" a symbol or to its "right". */
export function inserted(symbols, id, others, place) {
  const tree = new TreeOf(symbols);
  tree.putRow(others, tree.nodes[id], place);
  return tree.symbols();
}

/** The symbol before one in its row, and the one that its row hangs on; null where there is none. */
export function neighbours(symbols, id) {
  let row = symbols[id];
  const before = row.relation === "right" ? row.parent : null;
  while (row.relation === "right") row = symbols[row.parent];
  return { before, owner: row.parent };
}

/** Symbols as nodes: each has its branches and the one to its right; `parent` is of a node in a row the one before. */
export class TreeOf {
  first = null;

  constructor(symbols) {
    this.nodes = symbols.map((symbol) => ({ symbol, branches: new Map(), right: null, parent: null, relation: null }));
    for (const [number, { parent, relation }] of symbols.entries()) {
      if (parent === null) this.first = this.nodes[number];
      else this.#join(this.nodes[number], this.nodes[parent], relation);
    }
  }

  /** Whether a node is below another one, in its branches at any depth. */
  hangsOn(node, other) {
    for (let [at, below] = [node, false]; at; at = at.parent) {
      if (at === other) return below;
      below = at.relation !== "right";
    }
    return false;
  }

  /** The node with its branches; what stood right of it moves up. */
  takeOut(node) {
    const next = node.right;
    if (node.parent === null) this.first = next;
    else if (next) this.#join(next, node.parent, node.relation);
    else this.#cut(node);
    if (next && node.parent === null) [next.parent, next.relation] = [null, null];
    [node.parent, node.relation, node.right] = [null, null, null];
  }

  putIn(node, goal, relation) {
    if (relation === "before") {
      if (goal.parent === null) this.first = node;
      else this.#join(node, goal.parent, goal.relation);
      if (goal.parent === null) [node.parent, node.relation] = [null, null];
      this.#join(goal, node, "right");
    } else if (relation === "right") {
      const next = goal.right;
      this.#join(node, goal, "right");
      node.right = null;
      if (next) this.#join(next, node, "right");
    } else {
      let last = goal.branches.get(relation);
      while (last?.right) last = last.right;
      if (last) this.#join(node, last, "right");
      else this.#join(node, goal, relation);
      node.right = null;
    }
  }

  /** Symbols without ink; the first of them. */
  putRow(symbols, goal, relation) {
    const row = new TreeOf(symbols.map((one) => ({ ...one, corrected: true, inserted: true })));
    this.nodes.push(...row.nodes);
    let [at, where] = [goal, relation];
    for (let part = row.first, next; part; part = next) {
      next = part.right;
      this.putIn(part, at, where);
      [at, where] = [part, "right"];
    }
    return row.first;
  }

  /** What the row of a node hangs on. */
  ownerOf(node) {
    let first = node;
    while (first.relation === "right") first = first.parent;
    return first.parent;
  }

  /** Flat again, in reading order and numbered anew; or a part of a row. */
  symbols(first = this.first, last = null) {
    const flat = [];
    const pending = first ? [[first, null, null]] : [];
    while (pending.length) {
      const [node, parent, relation] = pending.pop();
      const id = flat.length;
      flat.push({ ...node.symbol, ...node.changes, id, parent, relation });
      if (node.right && node !== last) pending.push([node.right, id, "right"]);
      for (const name of ORDER.toReversed()) {
        if (node.branches.has(name)) pending.push([node.branches.get(name), id, name]);
      }
    }
    return flat;
  }

  #join(node, parent, relation) {
    [node.parent, node.relation] = [parent, relation];
    if (relation === "right") parent.right = node;
    else parent.branches.set(relation, node);
  }

  #cut(node) {
    if (node.relation === "right") node.parent.right = null;
    else node.parent.branches.delete(node.relation);
  }
}
