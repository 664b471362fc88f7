"""A corpus: files of ink or images, matched with their labels by id.

Design choices
- One class reads them all. CROHME is a zip of InkML with a tsv, HME100K a folder of photographs
  with one, and a folder of one's own is the same thing; a file's suffix tells ink from image.
- Nothing goes missing in silence. What cannot be used is skipped, and `skipped` names it: labels
  without a file, files without a label, a second file of an id, files that do not open, labels that
  do not parse.
- Without labels, ink is labelled by the truth that its own file carries.
- One sample at a time is in memory.
- Photographs may be cleaned on the way (`cleaned`): training takes pictures as the network sees
  them when it reads.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from san.data.labels import Labels, find_labels, id_of, load_labels, may_be_labels
from san.data.sample import DataError, Fault, Sample, Skip
from san.files import FileError, Files
from san.grammar import Expression, GrammarError, parse
from san.images.limits import OUT_OF_MEMORY, is_out_of_memory
from san.images.open import ImageError, is_image, open_image
from san.ink.draw import Picture
from san.ink.inkml import is_ink, read_inkml
from san.ink.strokes import InkError


class _Entry(NamedTuple):
    id: str
    file: str
    latex: str | None  # None: the ink's own truth


class Corpus:
    """Yields a `Sample` for every file that can be used; `skipped` names the others.

    Its length counts the files that will be tried: samples, and the skips yet to be found.
    """

    def __init__(self, files: Files, labels: Labels | None = None, cleaned: bool = False) -> None:
        self.files = files
        self.cleaned = cleaned
        self.labels = labels
        self._entries: list[_Entry] = []
        self._unmatched: list[Skip] = list(labels.skipped) if labels else []
        self._unmatched += [Skip(name, Fault.FILE, why) for name, why in files.strange.items()]
        self._unusable: list[Skip] = []
        self._match(labels)

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Sample]:
        self._unusable = []
        for entry in self._entries:
            try:
                yield self._read(entry)
            except GrammarError as error:
                self._unusable.append(Skip(entry.id, Fault.LABEL, str(error)))
            except _NotCleaned as error:
                self._unusable.append(Skip(entry.file, Fault.EMPTY, str(error)))
            except (FileError, ImageError, InkError) as error:
                self._unusable.append(Skip(entry.file, Fault.FILE, str(error)))

    @property
    def skipped(self) -> list[Skip]:
        """What was left out: all of it once the corpus has been iterated."""
        return self._unmatched + self._unusable

    def origins(self) -> Iterator[Path]:
        """The files on disk that hold its samples and labels: what nobody should overwrite."""
        yield self.files.path
        if self.labels and self.labels.path:
            yield self.labels.path
        if self.files.folder:
            for name in self.files.names:
                if is_ink(name) or is_image(name) or may_be_labels(name):
                    yield self.files.folder / name

    def _match(self, labels: Labels | None) -> None:
        owner: dict[str, str] = {}
        for name in self.files.names:
            if not (is_ink(name) or is_image(name)):
                continue
            key = id_of(name)
            if key in owner:
                taken = Skip(name, Fault.TWICE, f"{owner[key]} has it")
                self._unmatched.append(taken)
                continue
            owner[key] = name
            latex = labels.latex.get(key) if labels else None
            if latex is None and (labels or not is_ink(name)):
                self._unmatched.append(Skip(name, Fault.UNLABELLED))
            else:
                self._entries.append(_Entry(key, name, latex))
        if not owner:
            raise DataError(f"{self.files.path}: no InkML file and no image in it")
        if labels:
            missing = (key for key in labels.latex if key not in owner)
            self._unmatched += [Skip(key, Fault.MISSING) for key in missing]

    def _read(self, entry: _Entry) -> Sample:
        content = self.files.read(entry.file)
        if is_image(entry.file):
            picture, tree = open_image(content), _tree(entry.latex)
            if self.cleaned:
                return Sample(entry.id, tree, image=_clean(picture))
            return Sample(entry.id, tree, image=picture, encoded=content)
        sheet = read_inkml(content)
        latex = sheet.truth if entry.latex is None else entry.latex
        return Sample(entry.id, _tree(latex), ink=sheet.ink, glyphs=sheet.glyphs)


def open_corpus(
    source: str | Path, labels: str | Path | None = None, cleaned: bool = False
) -> Corpus:
    """The corpus in a folder or a zip, with this file of labels or the one that lies at hand."""
    files = Files(source)
    corpus_labels = load_labels(Path(labels)) if labels else find_labels(files)
    has_ink, has_images = (any(map(kind, files.names)) for kind in (is_ink, is_image))
    if corpus_labels is None and has_images and not has_ink:
        raise DataError(f"{source}: no labels for its images; name their file with --labels")
    return Corpus(files, corpus_labels, cleaned)


class _NotCleaned(Exception):  # noqa: N818 - told apart from files that do not open
    pass


def _clean(grey: Picture) -> Picture:
    from san.images.clean.pipeline import clean  # OpenCV is needed for this only

    try:
        return clean(grey)
    except ImageError as error:
        raise _NotCleaned(str(error)) from None
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        raise _NotCleaned(OUT_OF_MEMORY) from None


def _tree(latex: str | None) -> Expression:
    if latex is None:
        raise GrammarError("the file carries none")
    tree = parse(latex)
    if not tree:
        raise GrammarError("nothing is written in it")
    return tree
