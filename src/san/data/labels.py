"""Labels: LaTeX by id, read from files, found beside a corpus, and matched with what they label.

Two forms: `id<TAB>LaTeX`, a line each (.tsv, .txt; `san read` may add its confidence as a third
column, which is passed over), and JSON lines (.jsonl) such as {"id": "a", "latex": "x^2"}, where
"file" serves for "id" as well. A bad line is skipped and named.

Design choices
- Where nobody names the file of labels, it is looked for in the corpus itself, then beside it:
  `train.inkml.zip` and `train.tsv`, `test2014.bitmaps.zip` and `test2014.tsv`, `train_images/` and
  `train_labels.txt`.
- Scoring is stricter. Every expression of the labels counts: a line of theirs that cannot be used
  would change what a rate is measured against, so it is an error and not a skip.
- A prediction that cannot be used only makes its own expression wrong: it is passed over and named.
  A file of none at all is another file than was meant, and an error; so are two for one id, since
  either could be meant.
- Ids of predictions are taken whole; `paired` then finds the label that a prediction for a file's
  stem means.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from san.data.pack import Pack, is_pack
from san.data.sample import DataError, Fault, Skip
from san.errors import brief
from san.files import FileError, Files, read_file
from san.images.open import is_image
from san.ink.inkml import is_ink


def id_of(name: str) -> str:
    """A file's name without folders and without the suffix of an image or of ink.

    Labels are written for `train_0.jpg`, `train_0` and `images/train_0.jpg` alike.
    """
    return without_suffix(PurePosixPath(name.strip().replace("\\", "/")).name)


def without_suffix(name: str) -> str:
    """A name without the suffix of an image or of ink."""
    name = name.strip()
    return (name.rpartition(".")[0] if is_ink(name) or is_image(name) else "") or name


def match_ids(ids: Collection[str], labels: Collection[str]) -> dict[str, str]:
    """For each of the ids the label that is meant, where that is beyond doubt.

    What is equal comes first; then what is equal without suffixes; then without folders. An id that
    two others could mean is left alone.
    """
    known = set(labels)
    label_of = {name: name for name in ids if name in known}
    for short in (without_suffix, id_of):
        here, there = (Counter(map(short, names)) for names in (ids, labels))
        taken = set(label_of.values())
        free = {
            short(label): label
            for label in labels
            if label not in taken and there[short(label)] == 1
        }
        for name in ids:
            if name not in label_of and here[short(name)] == 1 and short(name) in free:
                label_of[name] = free[short(name)]
    return label_of


SUFFIXES = (".tsv", ".jsonl", ".txt")
CONFIDENCE = re.compile(r"[01]\.\d{1,9}")
"""The third column that `san read --confidence` writes."""


@dataclass(frozen=True)
class Labels:
    """What a file of labels says, and what of it could not be used."""

    name: str
    latex: dict[str, str]
    skipped: tuple[Skip, ...] = ()
    path: Path | None = None  # None: inside a zip, or no file at all


def load_labels(path: Path) -> Labels:
    """Read a file of labels from disk, or those of a pack; it must hold some."""
    if is_pack(path):
        pack = Pack.load(path)
        return Labels(path.name, dict(zip(pack.ids, pack.latex, strict=True)), path=path)
    return read_labels(read_file(path), path.name, path)


def read_labels(content: bytes, name: str, path: Path | None = None) -> Labels:
    """Read the bytes of a file of labels; its name tells the form."""
    return demand_some(parse_labels(content, name, id_of, path))


def demand_some(labels: Labels, what: str = "labels") -> Labels:
    """The same labels, unless there are none."""
    if not labels.latex:
        bad = labels.skipped[0] if labels.skipped else None
        first = f" ({bad.name}: {bad.detail})" if bad else ""
        raise DataError(f"{labels.name}: no {what} in it{first}; a line is id<TAB>LaTeX")
    return labels


def parse_labels(
    content: bytes, name: str, key_of: Callable[[str], str], path: Path | None = None
) -> Labels:
    """Whatever lines there are; `key_of` makes of a written id the one to know it by."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{name}: not UTF-8 text: byte {error.start + 1}") from error
    split = _json_line if name.lower().endswith(".jsonl") else _tab_line
    latex: dict[str, str] = {}
    skipped = []
    for place, line in _lines(text, name):
        try:
            written, label = split(line)
        except ValueError as error:
            skipped.append(Skip(place, Fault.LINE, str(error)))
            continue
        key = key_of(written)
        if key in latex:
            skipped.append(Skip(place, Fault.TWICE, f"a second line for {brief(key)!r}"))
        else:
            latex[key] = label
    return Labels(name, latex, tuple(skipped), path)


def _lines(text: str, name: str) -> Iterator[tuple[str, str]]:
    # Not splitlines(): it would also cut at rarer characters, which a label may hold.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"{name} line {number}", line.strip("\r")


def _tab_line(line: str) -> tuple[str, str]:
    key, tab, label = line.partition("\t")
    if not tab or not key.strip():
        raise ValueError("no tab between an id and its LaTeX")
    label, tab, confidence = label.rstrip().partition("\t")
    if tab and not CONFIDENCE.fullmatch(confidence):
        raise ValueError("more than one tab: an id, its LaTeX and at most a confidence")
    return key, label.strip()


def _json_line(line: str) -> tuple[str, str]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError("not JSON") from error
    if not isinstance(entry, dict):
        raise ValueError("not a JSON object")
    key, label = entry.get("id", entry.get("file")), entry.get("latex")
    if not isinstance(key, str) or not key.strip() or not isinstance(label, str):
        raise ValueError('an object needs "id" (or "file") and "latex", both text')
    return key, label.strip()


def find_labels(files: Files) -> Labels | None:
    """The labels of these files; None where none lie at hand."""
    inside = [name for name in files.names if _named_for_labels(name)]
    inside = inside or [name for name in files.names if may_be_labels(name)]
    if len(inside) > 1:
        names = ", ".join(inside[:3])
        raise DataError(f"{files.path}: several files of labels ({names}): pick one with --labels")
    if inside:
        return _inside(files, inside[0])
    for candidate in _beside(files.path):
        if _is_file(candidate):
            return load_labels(candidate)
    return None


def may_be_labels(name: str) -> bool:
    """Whether a file in a corpus could be taken for its labels."""
    # A lone tsv is as good as one so named; a lone txt is more often a readme.
    return _named_for_labels(name) or name.lower().endswith(SUFFIXES[:2])


def _named_for_labels(name: str) -> bool:
    path = PurePosixPath(name.lower())
    return path.suffix in SUFFIXES and path.stem.endswith(("labels", "caption", "captions"))


def _inside(files: Files, name: str) -> Labels:
    try:
        return read_labels(files.read(name), name)
    except FileError as error:
        raise DataError(f"{files.path}: {name}: {error}") from error


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name too long to be one
        return False


def _beside(path: Path) -> Iterator[Path]:
    path = path.absolute()
    stem = path.name
    while stem:
        for stem_of_labels in (stem, f"{stem}_labels", f"{stem.removesuffix('_images')}_labels"):
            for suffix in SUFFIXES:
                yield path.with_name(stem_of_labels + suffix)
        stem, dot, _ = stem.rpartition(".")
        if not dot:
            return


def load_truths(path: Path) -> Labels:
    """Labels to measure by: at least one, and every line of them sound."""
    return demand_all(demand_some(parse_labels(read_file(path), path.name, str.strip)))


def load_predictions(path: Path) -> Labels:
    """Predictions: at least one; `skipped` names the lines that are none."""
    predictions = parse_labels(read_file(path), path.name, str.strip)
    return demand_all(demand_some(predictions, "predictions"), Fault.TWICE)


def demand_all(labels: Labels, *faults: Fault) -> Labels:
    """The same labels, unless lines of them were skipped (for one of these faults)."""
    for skip in labels.skipped:
        if not faults or skip.fault in faults:
            raise DataError(f"{skip}; put it right, for every line counts")
    return labels


def paired(predictions: Mapping[str, str], labels: Mapping[str, str]) -> dict[str, str]:
    """The predictions by the ids of the labels that they are for; others keep their own."""
    meant = match_ids(predictions.keys(), labels.keys())
    return {meant.get(name, name): latex for name, latex in predictions.items()}
