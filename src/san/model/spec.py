"""What the network is: configuration, constants, tensors and file format; without any runtime.

The torch network, the ONNX graphs and the Triton kernels all read it; tests compare each of them
with it.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Literal

from san import config as configuration
from san.config import described, ranged
from san.errors import SanError
from san.grammar.errors import GrammarError
from san.grammar.tree import Relation
from san.grammar.vocabulary import Vocabulary

FORMAT = "san-2"
"""Of weights files. san-1 had the same numbers by other names."""
MAX_BYTES = 1 << 30
"""Of a file of weights, or of a graph made of them."""
STRIDE = 16
"""One cell of the feature grid stands for STRIDE x STRIDE pixels (the paper's zeta)."""
BLOCKS = 3
"""Dense blocks or residual stages of the encoder, at 1/4, 1/8 and 1/16 of the image."""
STEM_KERNEL = 7
BOTTLENECK = 4
"""A bottleneck's 1x1 convolution has so many times the channels that it adds."""
NORM_EPSILON, NORM_MOMENTUM = 1e-5, 0.1
"""Of batch norm."""
MIN_ATTENTION = 1e-4
"""Attention that the fine attention assumes on every cell, so that none is ruled out."""
CONTEXT_LAYERS, CONTEXT_HEAD, CONTEXT_EXPANSION = 2, 32, 2
"""Of the context transformer: layers, numbers of a head, width of the MLP over its own."""
POSITION_BASE = 400.0
"""Longest wave of the position encoding, in cells over two pi: a few times the widest image."""
EMPTY_TARGET, EXTEND_TARGET = 0, 1
"""The vocabulary's numbers of the empty string, a leaf's only target, and of an extension."""
UNREADABLE = (GrammarError, KeyError, TypeError, ValueError, OverflowError, RecursionError)
"""What JSON of strangers raises where it is taken apart."""


@dataclass(frozen=True)
class NetworkConfig:
    """Sizes of every part. What the paper leaves open follows its authors' public code."""

    # Encoder: DenseNet with bottlenecks, or residual blocks.
    encoder: Literal["densenet", "residual"] = described(
        "densenet", "densenet: the paper's; residual: blocks of two 3x3 convolutions"
    )
    stem: int = ranged(48, 1, 4096, "channels after the first convolution")
    growth: int = ranged(24, 1, 1024, "channels that a bottleneck adds (growth rate)")
    layers: int = ranged(16, 1, 256, "bottlenecks in each of the three dense blocks")
    residual_channels: tuple[int, int, int] = ranged(
        (64, 128, 256), 4, 4096, "channels at 1/4, 1/8 and 1/16 of the image, multiples of 4"
    )
    residual_blocks: tuple[int, int, int] = ranged(
        (3, 6, 6), 1, 256, "residual blocks at 1/4, 1/8 and 1/16 of the image"
    )
    residual_dropout: float = ranged(
        0.05, 0.0, 1.0, "between the two convolutions of a residual block"
    )
    # Decoder.
    hidden: int = ranged(256, 1, 8192, "state size of both GRUs")
    embedding: int = ranged(256, 1, 8192, "embedding size of symbols and relations")
    attention: int = ranged(512, 1, 8192, "space in which queries, keys and coverage are summed")
    coverage_kernel: int = ranged(11, 1, 101, "side of the convolution over past attention, odd")
    merge: int = ranged(128, 1, 8192, "space in which state, partner and context are summed")
    coverage: Literal["path", "all"] = described(
        "path", "past attention is summed over path: the ancestors (SAN); all: every step (SAN-GS)"
    )
    fine_attention: int = ranged(
        0, 0, 8192, "size of queries and keys of an attention at 1/8 of the image; 0: none"
    )
    context: int = ranged(
        0, 0, 8192, f"width of the context transformer, a multiple of {CONTEXT_HEAD}; 0: none"
    )
    reversed: bool = described(True, "train a second decoder, from child to parent (eq. 12)")
    reversed_memory: bool = described(
        True, "its steps receive their children's states; false: each begins with zeros"
    )
    # Regularisation.
    dropout: float = ranged(0.2, 0.0, 1.0, "of DenseNet's layers and of the context transformer")
    head_dropout: float = ranged(0.5, 0.0, 1.0, "before the two heads")
    state_dropout: float = ranged(
        0.0, 0.0, 1.0, "share of steps that are trained without their parent's state"
    )

    def __post_init__(self) -> None:
        if any(channels % 4 for channels in self.residual_channels):
            channels = list(self.residual_channels)
            raise SanError(f"network.residual_channels: {channels} are not multiples of 4")
        if self.coverage_kernel % 2 == 0:
            raise SanError(f"network.coverage_kernel: {self.coverage_kernel} is even")
        if self.fine_attention < 0:
            raise SanError(f"network.fine_attention: {self.fine_attention} is less than 0")
        if self.context < 0 or self.context % CONTEXT_HEAD:
            raise SanError(f"network.context: {self.context} is no multiple of {CONTEXT_HEAD}")
        if self.fine_attention and self.coverage == "all":
            raise SanError('network.fine_attention: must be 0 with network.coverage = "all"')

    def block_channels(self, block: int) -> tuple[int, int]:
        """Channels that a dense block is given, and that it returns."""
        given = self.stem
        for _ in range(block):
            given = (given + self.layers * self.growth) // 2
        return given, given + self.layers * self.growth

    @property
    def fine(self) -> int:
        """Channels at 1/8 of the image, which the fine attention reads: 300 by default."""
        if self.encoder == "residual":
            return self.residual_channels[1]
        return self.block_channels(BLOCKS - 1)[0]

    @property
    def features(self) -> int:
        """Channels that the encoder returns: 684 by default."""
        if self.encoder == "residual":
            return self.residual_channels[2]
        return self.block_channels(BLOCKS - 1)[1]


ADDED_OPTIONS = {
    "encoder", "residual_channels", "residual_blocks", "residual_dropout", "reversed_memory"
}  # fmt: skip
"""Options that came after the format: where a weights file lacks them, they have their defaults."""

Shape = tuple[int, ...]


def tensor_shapes(config: NetworkConfig, vocabulary: Vocabulary) -> dict[str, Shape]:
    """All tensors that reading needs, by name. The reversed decoder stays behind."""
    return dict((*_encoder(config), *_decoder(config, vocabulary)))


def is_float32(name: str) -> bool:
    """Whether a tensor is never kept in half precision: variances need more range than it has."""
    return "norm" in name


def read_metadata(facts: Mapping[str, str], name: str) -> tuple[NetworkConfig, Vocabulary]:
    """What a weights file says of its network; `name` is for complaints."""
    form = facts.get("format")
    if form == "san-1":
        raise SanError(f"{name}: weights of format san-1; this version of san reads {FORMAT}")
    if form != FORMAT:
        raise SanError(f"{name}: these are no weights of this network")
    try:
        sizes = json.loads(facts["network"])
        missing = {option.name for option in fields(NetworkConfig)} - set(sizes) - ADDED_OPTIONS
        if missing:
            raise ValueError(f"network.{min(missing)} is missing")
        return configuration.build(NetworkConfig, sizes), Vocabulary.from_json(facts["vocabulary"])
    except (SanError, *UNREADABLE) as error:
        why = " ".join(str(error).split())[:200]
        raise SanError(f"{name}: its metadata cannot be read ({why})") from None


def _encoder(config: NetworkConfig) -> Iterator[tuple[str, Shape]]:
    yield "encoder.stem.weight", (config.stem, 1, STEM_KERNEL, STEM_KERNEL)
    yield from _norm("encoder.stem_norm", config.stem)
    yield from (_residual if config.encoder == "residual" else _dense)(config)


def _dense(config: NetworkConfig) -> Iterator[tuple[str, Shape]]:
    wide, growth = BOTTLENECK * config.growth, config.growth
    for block in range(BLOCKS):
        given, returned = config.block_channels(block)
        for layer in range(config.layers):
            name = f"encoder.blocks.{block}.{layer}"
            yield f"{name}.conv1.weight", (wide, given + layer * growth, 1, 1)
            yield from _norm(f"{name}.norm1", wide)
            yield f"{name}.conv2.weight", (growth, wide, 3, 3)
            yield from _norm(f"{name}.norm2", growth)
        if block + 1 < BLOCKS:
            name = f"encoder.transitions.{block}"
            yield f"{name}.conv.weight", (returned // 2, returned, 1, 1)
            yield from _norm(f"{name}.norm", returned // 2)


def _residual(config: NetworkConfig) -> Iterator[tuple[str, Shape]]:
    given = config.stem
    for stage in range(BLOCKS):
        channels = config.residual_channels[stage]
        yield f"encoder.transitions.{stage}.weight", (channels, given, 3, 3)
        for block in range(config.residual_blocks[stage]):
            for number in (1, 2):
                name = f"encoder.stages.{stage}.{block}"
                yield from _norm(f"{name}.norm{number}", channels)
                yield f"{name}.conv{number}.weight", (channels, channels, 3, 3)
        yield from _norm(f"encoder.stage_norms.{stage}", channels)
        given = channels


def _norm(name: str, channels: int) -> Iterator[tuple[str, Shape]]:
    for part in ("weight", "bias", "running_mean", "running_var"):
        yield f"{name}.{part}", (channels,)


def _linear(name: str, ins: int, outs: int, bias: bool = True) -> Iterator[tuple[str, Shape]]:
    yield f"{name}.weight", (outs, ins)
    if bias:
        yield f"{name}.bias", (outs,)


def _gru(name: str, ins: int, hidden: int) -> Iterator[tuple[str, Shape]]:
    """Gates in torch's order: reset, update, new."""
    for part, columns in (("ih", ins), ("hh", hidden)):
        yield f"{name}.weight_{part}", (3 * hidden, columns)
        yield f"{name}.bias_{part}", (3 * hidden,)


def _decoder(config: NetworkConfig, vocabulary: Vocabulary) -> Iterator[tuple[str, Shape]]:
    features, hidden, embedding = config.features, config.hidden, config.embedding
    space, kernel, merge = config.attention, config.coverage_kernel, config.merge
    yield from _linear("decoder.init_state", features, hidden)
    yield "decoder.embedding.weight", (len(vocabulary.partners), embedding)
    yield from _gru("decoder.gru_alpha", embedding, hidden)
    yield from _linear("decoder.attention.key", features, space)
    yield from _linear("decoder.attention.query", hidden, space, bias=False)
    yield "decoder.attention.coverage_conv.weight", (space, 1, kernel, kernel)
    yield from _linear("decoder.attention.coverage_proj", space, space, bias=False)
    yield from _linear("decoder.attention.score", space, 1, bias=False)
    yield from _gru("decoder.gru_beta", features, hidden)
    yield from _linear("decoder.from_state", hidden, merge)
    yield from _linear("decoder.from_partner", embedding, merge, bias=False)
    yield from _linear("decoder.from_context", features, merge, bias=False)
    yield from _linear("decoder.symbol_head", merge, len(vocabulary.targets))
    yield from _linear("decoder.relation_head", merge, len(Relation))
    if size := config.fine_attention:
        yield from _linear("decoder.fine_attention.key", config.fine, size, bias=False)
        yield from _linear("decoder.fine_attention.query", hidden, size)
        yield from _linear("decoder.fine_attention.proj", config.fine, merge, bias=False)
    if width := config.context:
        yield from _linear("decoder.context.proj_in", features, width)
        for layer in range(CONTEXT_LAYERS):
            name = f"decoder.context.layers.{layer}"
            yield from _linear(f"{name}.qkv", width, 3 * width, bias=False)
            yield from _linear(f"{name}.proj", width, width)
            yield from _linear(f"{name}.fc1", width, CONTEXT_EXPANSION * width)
            yield from _linear(f"{name}.fc2", CONTEXT_EXPANSION * width, width)
        yield from _linear("decoder.context.proj_out", width, features, bias=False)
