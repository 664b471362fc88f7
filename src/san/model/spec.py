"""The network's whole configuration: one dataclass, the paper's values by default."""

from dataclasses import dataclass
from typing import Literal

from san.errors import SanError

STRIDE = 16
"""One cell of the feature grid stands for STRIDE x STRIDE pixels (the paper's zeta)."""
HEAD = 32
"""Numbers that one head of a survey compares."""


@dataclass(frozen=True)
class NetworkConfig:
    """Sizes of every part. What the paper leaves open follows its authors' public code."""

    # Encoder: DenseNet with bottlenecks.
    stem: int = 48  # channels after the first convolution
    growth: int = 24  # channels that a bottleneck adds
    layers: int = 16  # bottlenecks in each of the three blocks
    # Decoder.
    hidden: int = 256  # states of both GRUs
    embedding: int = 256  # of symbols and relations
    attention: int = 512  # the space in which queries, keys and past attention meet
    window: int = 11  # side of the convolution over past attention
    merge: int = 128  # where state, partner and context are summed before the two heads
    # "path": past attention is summed from the root to the parent (SAN, eq. 11).
    # "all": over all earlier steps of the traversal (SAN-GS, the paper's ablation).
    coverage: Literal["path", "all"] = "path"
    glance: int = 0  # size of a second look's queries and keys, at 1/8 of the image; 0: none
    survey: int = 0  # size of the space in which all cells ask each other; 0: they do not
    reversed: bool = True  # train a second decoder from child to parent (eq. 12)
    # Regularisation.
    dropout: float = 0.2  # after every convolution
    head_dropout: float = 0.5  # before the two heads
    forget: float = 0.0  # share of steps that are given no state in training: they must look

    def __post_init__(self) -> None:
        if self.glance < 0:
            raise SanError(f"network.glance: {self.glance} is less than 0")
        if self.survey < 0 or self.survey % HEAD:
            raise SanError(f"network.survey: {self.survey} is no multiple of {HEAD}")
        if self.glance and self.coverage == "all":
            raise SanError('network.glance: SAN-GS has none; it wants network.coverage = "path"')

    @property
    def fine(self) -> int:
        """Channels that a glance sees: 300 by default."""
        added = self.layers * self.growth
        return ((self.stem + added) // 2 + added) // 2

    @property
    def features(self) -> int:
        """Channels that the encoder returns: 684 by default."""
        channels = self.stem
        for block in range(3):
            channels += self.layers * self.growth
            channels = channels // 2 if block < 2 else channels
        return channels
