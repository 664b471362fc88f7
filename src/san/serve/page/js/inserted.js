// Symbols that were inserted have no ink. They are kept by the ink around them, and put in again when more is
// written; where that ink goes, they go.
//
// What is kept is {symbols, at, place}, a row of them beside or on another symbol, or {symbol, branches}, one
// that others stand in or on: a root that was typed around what is written. A symbol is named {strokes, up}: the
// one with this ink, or the one so many levels above it.

import { TreeOf } from "./edits.js";
import { rewritten } from "./rewrite.js";

/** What was inserted into a formula; strokes are numbers. */
export function insertions(symbols) {
  const [around, rows] = [[], []];
  const tree = new TreeOf(symbols);
  const visit = (first, owner, relation) => {
    const row = [...rowFrom(first)];
    for (const node of row) {
      if (isBare(node)) continue;
      for (const [name, part] of node.branches) visit(part, node, name);
      if (node.symbol.inserted) around.push({ symbol: node.symbol.symbol, branches: branchesOf(tree, node) });
    }
    for (let at = 0, end; at < row.length; at = end + 1) {
      for (end = at; end < row.length && isBare(row[end]); ) end += 1;
      const given = owner?.symbol.inserted; // a whole branch of it, which is kept with it
      const beside = [[row[at - 1], "right"], [row[end], "before"], [given ? null : owner, relation]];
      const [node, place] = beside.find(([one]) => one && nameOf(one)) ?? [];
      if (end > at && node) rows.push({ symbols: bare(tree.symbols(row[at], row[end - 1])), at: nameOf(node), place });
    }
  };
  if (tree.first) visit(tree.first, null, null);
  return [...around, ...rows]; // what stands around others first: the rows may stand within it
}

/** {formulas, left}: formulas with what was inserted, and what no place was found for. */
export async function withInserted(formulas, records) {
  const [after, left] = [[...formulas], new Set(records)];
  for (const record of records) {
    for (const [number, formula] of after.entries()) {
      const tree = new TreeOf(formula.expression.symbols);
      if (!(record.branches ? putAround(tree, record) : putBeside(tree, record))) continue;
      const more = await rewritten(formula, tree.symbols()).catch(() => null);
      if (!more) continue;
      after[number] = more;
      left.delete(record);
      break;
    }
  }
  return { formulas: after, left: [...left] };
}

/** What is left of a record where some ink is gone: itself, less, or null. */
export function leftOf(record, isThere) {
  const is = ({ strokes }) => strokes.every(isThere);
  if (!record.branches) return is(record.at) ? record : null;
  const branches = record.branches.map((one) => (one.names ? { ...one, names: one.names.filter(is) } : one));
  return branches.every(({ names }) => !names || names.length) ? { ...record, branches } : null;
}

/** Inserted, and nothing on it has ink. */
function isBare(node) {
  return node.symbol.inserted && !nameOf(node);
}

function nameOf(node) {
  const { strokes } = node.symbol;
  if (strokes?.length) return { strokes, up: 0 };
  for (const first of node.branches.values()) {
    for (const part of rowFrom(first)) {
      const name = nameOf(part);
      if (name) return { ...name, up: name.up + 1 };
    }
  }
  return null;
}

function branchesOf(tree, node) {
  return [...node.branches].map(([relation, first]) => {
    const names = [...rowFrom(first)].map(nameOf).filter(Boolean);
    return names.length ? { relation, names } : { relation, symbols: bare(tree.symbols(first)) };
  });
}

function bare(symbols) {
  return symbols.map(({ id, symbol, parent, relation }) => ({ id, symbol, parent, relation }));
}

function* rowFrom(first) {
  for (let node = first; node; node = node.right) yield node;
}

function find(tree, { strokes, up }) {
  let node = tree.nodes.find(({ symbol }) => strokes.every((stroke) => symbol.strokes?.includes(stroke)));
  for (let level = 0; node && level < up; level += 1) node = tree.ownerOf(node);
  return node;
}

function putBeside(tree, { symbols, at, place }) {
  const goal = find(tree, at);
  if (goal) tree.putRow(symbols, goal, place);
  return Boolean(goal);
}

/** All that stands between the symbols that were in a branch is in it now. */
function putAround(tree, { symbol, branches }) {
  const rows = branches.map(({ names }) => names && between(tree, names.map((name) => find(tree, name)).filter(Boolean)));
  const first = rows.find(Boolean)?.[0];
  if (!first || rows.some((row) => row && !row.length)) return false;
  const node = tree.putRow([{ symbol, parent: null, relation: null }], first, "before");
  for (const [number, { relation, symbols }] of branches.entries()) {
    if (symbols) tree.putRow(symbols, node, relation);
    for (const part of rows[number] ?? []) {
      tree.takeOut(part);
      tree.putIn(part, node, relation);
    }
  }
  return true;
}

function between(tree, nodes) {
  if (!nodes.length) return [];
  let first = nodes[0];
  while (first.relation === "right") first = first.parent;
  const row = [...rowFrom(first)];
  const places = nodes.map((node) => row.indexOf(node));
  return places.includes(-1) ? [] : row.slice(Math.min(...places), Math.max(...places) + 1);
}
