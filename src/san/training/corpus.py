"""A corpus as training wants it: pixels as bits on the device, trees as numbers.

- All of CROHME is 45 MB of bits: nothing is loaded, drawn or parsed while training runs.
- Samples with a symbol that the vocabulary does not know cannot be learnt, but are still read in
  validation.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from san.grammar import Expression
from san.grammar.productions import unfold
from san.grammar.vocabulary import Vocabulary
from san.nn.batch import Levels, levels
from san.training.buckets import Bucket


class Pictures(Protocol):
    """What is asked of a packed corpus (`san.data.pack.Pack`)."""

    def __len__(self) -> int: ...

    def image(self, place: int) -> NDArray[np.uint8]:
        """White on black."""
        ...

    def tree(self, place: int) -> Expression: ...


class Corpus:
    def __init__(
        self, pictures: Pictures, device: torch.device | str, vocabulary: Vocabulary | None = None
    ) -> None:
        self.trees = [pictures.tree(place) for place in range(len(pictures))]
        self.vocabulary = vocabulary or Vocabulary.gather(self.trees)
        self.levels: list[Levels | None] = [
            levels(unfold(tree), self.vocabulary) if self.vocabulary.knows(tree) else None
            for tree in self.trees
        ]
        rows, starts, self.sizes = [], [0], []
        for place in range(len(pictures)):
            image = pictures.image(place)
            packed = np.packbits(image > 127, axis=1).ravel()
            rows.append(packed)
            starts.append(starts[-1] + len(packed))
            self.sizes.append((int(image.shape[0]), int(image.shape[1])))
        self.starts = np.array(starts[:-1], np.int32)
        self.bits = torch.from_numpy(np.concatenate(rows)).to(device)

    def __len__(self) -> int:
        return len(self.trees)

    @property
    def learnable(self) -> NDArray[np.int64]:
        """Places of the samples that can be taught."""
        return np.array([place for place, own in enumerate(self.levels) if own is not None])

    def where(self, places: NDArray[np.int64], batch: int) -> NDArray[np.int32]:
        """3 x batch: where each picture starts, its height and width; blanks have none."""
        found = np.zeros((3, batch), np.int32)
        found[0, : len(places)] = self.starts[places]
        found[1:, : len(places)] = np.array([self.sizes[place] for place in places]).T
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
        rows, columns = y[:, : bucket.height // 16], x[..., : bucket.width // 16]
        return image, (rows * 16 < height) & (columns * 16 < width)


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
