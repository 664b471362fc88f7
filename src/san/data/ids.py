"""Which label belongs to which file or prediction: ids, however they are written."""

from collections import Counter
from collections.abc import Collection
from pathlib import PurePosixPath

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


def match(ids: Collection[str], labels: Collection[str]) -> dict[str, str]:
    """For each of the ids the label that is meant, where that is beyond doubt.

    What is equal comes first; then what is equal without suffixes; then without folders. An id that
    two others could mean is left alone.
    """
    known = set(labels)
    found = {name: name for name in ids if name in known}
    for short in (without_suffix, id_of):
        here, there = (Counter(map(short, names)) for names in (ids, labels))
        taken = set(found.values())
        free = {
            short(label): label
            for label in labels
            if label not in taken and there[short(label)] == 1
        }
        for name in ids:
            if name not in found and here[short(name)] == 1 and short(name) in free:
                found[name] = free[short(name)]
    return found
