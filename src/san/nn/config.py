"""The network's whole configuration: one dataclass, the paper's values by default."""

from dataclasses import dataclass
from typing import Literal

STRIDE = 16
"""One cell of the feature grid stands for STRIDE x STRIDE pixels (the paper's zeta)."""


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
    reversed: bool = True  # train a second decoder from child to parent (eq. 12)
    # Regularisation.
    dropout: float = 0.2  # after every convolution
    head_dropout: float = 0.5  # before the two heads
    forget: float = 0.0  # share of steps that are given no state in training: they must look

    @property
    def features(self) -> int:
        """Channels that the encoder returns: 684 by default."""
        channels = self.stem
        for block in range(3):
            channels += self.layers * self.growth
            channels = channels // 2 if block < 2 else channels
        return channels
