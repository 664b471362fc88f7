"""Samples as training wants them: pixels as bits on the device, trees as numbers.

- All of CROHME is 45 MB of bits: nothing is loaded, drawn or parsed while training runs.
- Samples with a symbol that the vocabulary does not know cannot be learnt, but are still read in
  validation.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from san.grammar import Expression
from san.grammar.languages import Kind, vocabulary_for, write
from san.grammar.vocabulary import Vocabulary
from san.model.spec import STRIDE
from san.model.torch.batch import Levels, levels
from san.training.batching import Bucket

TABLE_ROWS = 3
"""Of the table that says where pictures are: `Dataset.image_table`."""
Bit = Callable[[Tensor, Tensor], Tensor]
"""A pixel's bit, by column and row; 0 outside its picture."""


class ImageSource(Protocol):
    """Images and trees by number, such as a packed corpus (`san.data.pack.Pack`)."""

    def __len__(self) -> int: ...

    def image(self, number: int) -> NDArray[np.uint8]:
        """White on black."""
        ...

    def tree(self, number: int) -> Expression: ...


class SampleSizes(NamedTuple):
    """How large some samples are; a run's buffers are laid out for them."""

    sizes: NDArray[np.int64]  # n x 2, of each picture: height and width
    depths: NDArray[np.int64]  # of each tree: levels; 0 where a symbol is unknown
    steps: NDArray[np.int64]  # of each tree; 0 likewise
    widest: int  # steps in the widest level of a tree

    @classmethod
    def of(cls, sizes: NDArray[np.int64], counts: Sequence[NDArray[np.int64]]) -> "SampleSizes":
        """`counts` are the trees' steps by level."""
        return cls(
            sizes,
            np.array([len(count) for count in counts], np.int64),
            np.array([count.sum() for count in counts], np.int64),
            max(int(count.max(initial=0)) for count in counts),
        )

    @property
    def learnable(self) -> NDArray[np.int64]:
        """Numbers of the samples whose symbols are all known."""
        return np.flatnonzero(self.depths)

    def rows(self, by_step: bool) -> NDArray[np.int64]:
        """Of each tree, how often a decoder runs: once a level, or once a step."""
        return self.steps if by_step else self.depths

    @classmethod
    def joined(cls, several: Sequence["SampleSizes"]) -> "SampleSizes":
        """Of several datasets, one after the other."""
        return cls(
            np.concatenate([part.sizes for part in several]),
            np.concatenate([part.depths for part in several]),
            np.concatenate([part.steps for part in several]),
            max(part.widest for part in several),
        )


class Dataset:
    """Samples ready for training steps: a `PackedDataset`, or a `SampleStream`."""

    vocabulary: Vocabulary
    levels: Sequence[Levels | None]  # None: a symbol is unknown
    sample_sizes: SampleSizes
    starts: NDArray[np.int64]  # where each picture's bits begin
    bits: Tensor  # rows of whole bytes

    def __len__(self) -> int:
        return len(self.sample_sizes.sizes)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Height and width of each picture."""
        return self.sample_sizes.sizes

    @property
    def learnable(self) -> NDArray[np.int64]:
        return self.sample_sizes.learnable

    def image_table(self, samples: NDArray[np.int64], images: int) -> NDArray[np.int32]:
        """Where each picture's bits start, its height and width; 0 for blanks."""
        table = np.zeros((TABLE_ROWS, images), np.int32)
        table[0, : len(samples)] = self.starts[samples]
        table[1:, : len(samples)] = self.sizes[samples].T
        return table

    def unpack_images(
        self,
        table: Tensor,
        bucket: Bucket,
        kind: torch.dtype = torch.float32,
        warp: Tensor | None = None,
        fused: bool = False,
    ) -> tuple[Tensor, Tensor]:
        """Images unpacked on the device, B x 1 x H x W with ink 1, and the cells they own.

        `warp` (`san.training.warp`) shows each in a view of its own.
        """
        start, height, width = (row[:, None, None] for row in table)
        y = torch.arange(bucket.height, device=table.device, dtype=torch.int32)[None, :, None]
        x = torch.arange(bucket.width, device=table.device, dtype=torch.int32)[None, None, :]

        def bit(x: Tensor, y: Tensor) -> Tensor:
            inside = (x >= 0) & (y >= 0) & (y < height) & (x < width)
            at = torch.where(inside, start + y * ((width + 7) >> 3) + (x >> 3), 0)
            byte = self.bits.index_select(0, at.flatten()).view(at.shape)
            bits: Tensor = ((byte >> (7 - (x & 7)).to(torch.uint8)) & 1) * inside
            return bits

        if warp is None:
            image = bit(x, y)[:, None].to(kind)
        elif fused:
            from san.model.kernels.unpack_views import unpack_views

            image = unpack_views(self.bits, table, warp, bucket, kind)
        else:
            ink = _thick(bit, *_places(x, y, warp), warp[12][:, None, None])
            ink = (ink > warp[11][:, None, None]) & (y < height) & (x < width)
            image = ink[:, None].to(kind)
        rows, columns = y[:, : bucket.height // STRIDE], x[..., : bucket.width // STRIDE]
        return image, (rows * STRIDE < height) & (columns * STRIDE < width)


def _places(x: Tensor, y: Tensor, warp: Tensor) -> tuple[Tensor, Tensor]:
    """Where pixels of a view lie in its picture."""
    a, b, c, e, f, g, h, i, j, k, m, _, _ = (row[:, None, None] for row in warp)
    return a * x + b * y + c + e * torch.sin(f * y + g), h * y + i + j * torch.sin(k * x + m)


def _thick(bit: Bit, u: Tensor, v: Tensor, radius: Tensor) -> Tensor:
    """The most ink that is at a place, or a radius beside, above or below it."""
    most = _between(bit, u, v)
    for du, dv in ((radius, 0), (-radius, 0), (0, radius), (0, -radius)):
        most = torch.maximum(most, _between(bit, u + du, v + dv))
    return most


def _between(bit: Bit, u: Tensor, v: Tensor) -> Tensor:
    """What lies between the four pixels around a place."""
    left, top = torch.floor(u), torch.floor(v)
    x, y, right, below = left.int(), top.int(), u - left, v - top
    upper = bit(x, y) * (1 - right) + bit(x + 1, y) * right
    lower = bit(x, y + 1) * (1 - right) + bit(x + 1, y + 1) * right
    return upper * (1 - below) + lower * below


class PackedDataset(Dataset):
    """All samples of a packed corpus, in the language of a kind of network."""

    def __init__(
        self,
        pictures: ImageSource,
        device: torch.device | str,
        vocabulary: Vocabulary | None = None,
        kind: Kind = "san",
    ) -> None:
        self.trees = [pictures.tree(number) for number in range(len(pictures))]
        self.vocabulary = vocabulary_for(kind, vocabulary or Vocabulary.gather(self.trees))
        self.levels = [
            levels(write(kind, tree), self.vocabulary) if self.vocabulary.knows(tree) else None
            for tree in self.trees
        ]
        rows, sizes = [], []
        for number in range(len(pictures)):
            image = pictures.image(number)
            rows.append(pack_bits(image))
            sizes.append(image.shape)
        unknown = np.zeros(0, np.int64)
        counts = [unknown if tree is None else tree.counts for tree in self.levels]
        self.sample_sizes = SampleSizes.of(np.array(sizes, np.int64), counts)
        self.starts = bit_offsets(self.sizes)
        self.bits = torch.from_numpy(np.concatenate(rows)).to(device)


def pack_bits(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A picture's rows, each in whole bytes, end to end."""
    return np.packbits(image > 127, axis=1).ravel()


def bit_offsets(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of some pictures begins, if their bits lie end to end."""
    lengths = sizes[:, 0] * ((sizes[:, 1] + 7) // 8)
    starts: NDArray[np.int64] = np.cumsum(lengths) - lengths
    return starts


class ArraySource:
    """Images and trees in memory, for tests and for corpora that are not packed."""

    def __init__(self, images: Sequence[NDArray[np.uint8]], trees: Sequence[Expression]) -> None:
        self.images, self.trees = images, trees

    def __len__(self) -> int:
        return len(self.images)

    def image(self, number: int) -> NDArray[np.uint8]:
        return self.images[number]

    def tree(self, number: int) -> Expression:
        return self.trees[number]
