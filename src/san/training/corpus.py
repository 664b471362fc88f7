"""A corpus as training wants it: pixels as bits on the device, trees as numbers.

- All of CROHME is 45 MB of bits: nothing is loaded, drawn or parsed while training runs.
- Samples with a symbol that the vocabulary does not know cannot be learnt, but are still read in
  validation.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from san.grammar import Expression
from san.grammar.productions import unfold
from san.grammar.vocabulary import Vocabulary
from san.model.spec import STRIDE
from san.model.torch.batch import Levels, levels
from san.training.buckets import Bucket


class Pictures(Protocol):
    """What is asked of a packed corpus (`san.data.pack.Pack`)."""

    def __len__(self) -> int: ...

    def image(self, place: int) -> NDArray[np.uint8]:
        """White on black."""
        ...

    def tree(self, place: int) -> Expression: ...


class Extent(NamedTuple):
    """How large samples are: what training on them must have room for."""

    sizes: NDArray[np.int64]  # n x 2, of each picture: height and width
    depths: NDArray[np.int64]  # of each tree: levels; 0 where a symbol is unknown
    steps: NDArray[np.int64]  # of each tree; 0 likewise
    widest: int  # steps in the widest level of a tree

    @classmethod
    def of(cls, sizes: NDArray[np.int64], counts: Sequence[NDArray[np.int64]]) -> "Extent":
        """`counts` are the trees' steps by level."""
        return cls(
            sizes,
            np.array([len(count) for count in counts], np.int64),
            np.array([count.sum() for count in counts], np.int64),
            max(int(count.max(initial=0)) for count in counts),
        )

    @property
    def learnable(self) -> NDArray[np.int64]:
        """Places of the samples that can be taught."""
        return np.flatnonzero(self.depths)

    @classmethod
    def joined(cls, extents: Sequence["Extent"]) -> "Extent":
        """Of several lots of samples, one after the other."""
        return cls(
            np.concatenate([own.sizes for own in extents]),
            np.concatenate([own.depths for own in extents]),
            np.concatenate([own.steps for own in extents]),
            max(own.widest for own in extents),
        )


class Stock:
    """Samples ready for steps: bits on the device, trees as numbers."""

    vocabulary: Vocabulary
    levels: Sequence[Levels | None]  # None: a symbol is unknown
    extent: Extent
    starts: NDArray[np.int64]  # where each picture's bits begin
    bits: Tensor  # rows of whole bytes

    def __len__(self) -> int:
        return len(self.extent.sizes)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Height and width of each picture."""
        return self.extent.sizes

    @property
    def learnable(self) -> NDArray[np.int64]:
        return self.extent.learnable

    def where(self, places: NDArray[np.int64], batch: int) -> NDArray[np.int32]:
        """3 x batch: where each picture starts, its height and width; blanks have none."""
        found = np.zeros((3, batch), np.int32)
        found[0, : len(places)] = self.starts[places]
        found[1:, : len(places)] = self.sizes[places].T
        return found

    def pixels(
        self, where: Tensor, bucket: Bucket, kind: torch.dtype = torch.float32
    ) -> tuple[Tensor, Tensor]:
        """Pictures unpacked on the device, B x 1 x H x W with ink 1, and the cells they own."""
        start, height, width = (row[:, None, None] for row in where)
        y = torch.arange(bucket.height, device=where.device, dtype=torch.int32)[None, :, None]
        x = torch.arange(bucket.width, device=where.device, dtype=torch.int32)[None, None, :]
        inside = (y < height) & (x < width)
        at = start + y * ((width + 7) >> 3) + (x >> 3)
        at = torch.where(inside, at, 0)
        byte = self.bits.index_select(0, at.flatten()).view(at.shape)
        bit = (byte >> (7 - (x & 7)).to(torch.uint8)) & 1
        image = (bit * inside)[:, None].to(kind)
        rows, columns = y[:, : bucket.height // STRIDE], x[..., : bucket.width // STRIDE]
        return image, (rows * STRIDE < height) & (columns * STRIDE < width)


class Corpus(Stock):
    """All of a packed corpus."""

    def __init__(
        self, pictures: Pictures, device: torch.device | str, vocabulary: Vocabulary | None = None
    ) -> None:
        self.trees = [pictures.tree(place) for place in range(len(pictures))]
        self.vocabulary = vocabulary or Vocabulary.gather(self.trees)
        self.levels = [
            levels(unfold(tree), self.vocabulary) if self.vocabulary.knows(tree) else None
            for tree in self.trees
        ]
        rows, sizes = [], []
        for place in range(len(pictures)):
            image = pictures.image(place)
            rows.append(as_bits(image))
            sizes.append(image.shape)
        unknown = np.zeros(0, np.int64)
        counts = [unknown if own is None else own.counts for own in self.levels]
        self.extent = Extent.of(np.array(sizes, np.int64), counts)
        self.starts = starts_of(self.sizes)
        self.bits = torch.from_numpy(np.concatenate(rows)).to(device)


def as_bits(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A picture's rows, each in whole bytes, end to end."""
    return np.packbits(image > 127, axis=1).ravel()


def starts_of(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of some pictures begins, if their bits lie end to end."""
    lengths = sizes[:, 0] * ((sizes[:, 1] + 7) // 8)
    starts: NDArray[np.int64] = np.cumsum(lengths) - lengths
    return starts


class Held:
    """Pictures and trees at hand, for tests and for corpora that are not packed."""

    def __init__(self, images: Sequence[NDArray[np.uint8]], trees: Sequence[Expression]) -> None:
        self.images, self.trees = images, trees

    def __len__(self) -> int:
        return len(self.images)

    def image(self, place: int) -> NDArray[np.uint8]:
        return self.images[place]

    def tree(self, place: int) -> Expression:
        return self.trees[place]
