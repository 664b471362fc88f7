"""What the network is: configuration, constants, tensors and file format; without any runtime.

The torch network, the ONNX graphs and the Triton kernels all read it; tests compare each of them
with it.
"""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from san import config as configuration
from san.config import described, ranged
from san.errors import SanError
from san.grammar.errors import GrammarError
from san.grammar.languages import Kind, vocabulary_for
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
MAXOUT = 2
"""Of so many numbers the largest goes to a head of DWAP or DWAP-TD."""
EMPTY_TARGET, EXTEND_TARGET = 0, 1
"""The vocabulary's numbers of the empty string, a leaf's only target, and of an extension."""
UNREADABLE = (GrammarError, KeyError, TypeError, ValueError, OverflowError, RecursionError)
"""What JSON of strangers raises where it is taken apart."""


@dataclass(frozen=True)
class NetworkConfig:
    """Sizes of every part. What the paper leaves open follows its authors' public code."""

    kind: Kind = described(  # noqa: RUF009 - a Literal by another name
        "san",
        "san: a tree, by path attention; san-gs: the same by coverage of all steps; dwap: a string "
        "of tokens; bttr: the same by a transformer; dwap-td: triples of child, parent, relation",
    )
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
    fine_attention: int = ranged(
        0, 0, 8192, "size of queries and keys of an attention at 1/8 of the image; 0: none"
    )
    context: int = ranged(
        0, 0, 8192, f"width of the context transformer, a multiple of {CONTEXT_HEAD}; 0: none"
    )
    head_hidden: int = ranged(
        0, 0, 8192, "width of an MLP from state, context and fine attention to both heads; 0: none"
    )
    reversed: bool = described(True, "train a second decoder, from child to parent (eq. 12)")
    reversed_memory: bool = described(
        True, "its steps receive their children's states; false: each begins with zeros"
    )
    # The transformer of BTTR, as wide as a state.
    transformer_layers: int = ranged(3, 1, 100, "of BTTR's decoder")
    heads: int = ranged(8, 1, 256, "of each of its attentions; they part the state size")
    feedforward: int = ranged(1024, 1, 65_536, "width of its MLP")
    transformer_dropout: float = ranged(0.3, 0.0, 1.0, "within it")
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
        for option in ("fine_attention", "head_hidden"):
            if (size := getattr(self, option)) < 0:
                raise SanError(f"network.{option}: {size} is less than 0")
        if self.context < 0 or self.context % CONTEXT_HEAD:
            raise SanError(f"network.context: {self.context} is no multiple of {CONTEXT_HEAD}")
        if self.fine_attention and self.kind != "san":
            raise SanError(f'network.fine_attention: must be 0 with network.kind = "{self.kind}"')
        if self.context and self.kind in ("bttr", "dwap-td"):
            raise SanError(f'network.context: must be 0 with network.kind = "{self.kind}"')
        if self.head_hidden and self.kind not in ("san", "san-gs"):
            raise SanError(f'network.head_hidden: must be 0 with network.kind = "{self.kind}"')
        if self.merge % 2 and self.kind in ("dwap", "dwap-td"):
            raise SanError(f"network.merge: {self.merge} is odd, and maxout takes pairs")
        if self.kind == "bttr" and (self.hidden % self.heads or self.hidden % 4):
            raise SanError(f"network.hidden: {self.hidden} is no multiple of network.heads and 4")

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

    @property
    def head_inputs(self) -> int:
        """Numbers that the heads' MLP reads: state, context, and what the fine attention adds."""
        return self.hidden + self.features + (self.merge if self.fine_attention else 0)


ADDED_OPTIONS = {
    "encoder", "residual_channels", "residual_blocks", "residual_dropout", "reversed_memory",
    "kind", "transformer_layers", "heads", "feedforward", "transformer_dropout",
    "head_hidden",
}  # fmt: skip
"""Options that came after the format: where a weights file lacks them, they have their defaults."""

Shape = tuple[int, ...]
MEASURED = ("running_mean", "running_var")
"""Ends of the names of tensors that are not trained."""


def tensor_shapes(config: NetworkConfig, vocabulary: Vocabulary) -> dict[str, Shape]:
    """All tensors that reading needs, by name. The reversed decoder stays behind."""
    decoder = {"bttr": _transformer, "dwap-td": _triples}.get(config.kind, _decoder)
    return dict((*_encoder(config), *decoder(config, vocabulary_for(config.kind, vocabulary))))


def count_parameters(config: NetworkConfig, vocabulary: Vocabulary) -> int:
    """How many numbers of a network are trained."""
    shapes = tensor_shapes(config, vocabulary).items()
    return sum(math.prod(shape) for name, shape in shapes if not name.endswith(MEASURED))


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
        sizes = with_kind(json.loads(facts["network"]))
        missing = {option.name for option in fields(NetworkConfig)} - set(sizes) - ADDED_OPTIONS
        if missing:
            raise ValueError(f"network.{min(missing)} is missing")
        config = configuration.build(NetworkConfig, sizes)
        vocabulary = Vocabulary.from_json(facts["vocabulary"])
        return config, vocabulary_for(config.kind, vocabulary)
    except (SanError, *UNREADABLE) as error:
        why = " ".join(str(error).split())[:200]
        raise SanError(f"{name}: its metadata cannot be read ({why})") from None


def with_kind(sizes: Any) -> Any:
    """Sizes as files have them; in older ones `coverage` said what `kind` says of SAN-GS."""
    if not isinstance(sizes, dict) or "coverage" not in sizes:
        return sizes
    kind = "san-gs" if sizes["coverage"] == "all" else "san"
    return {"kind": kind} | {name: size for name, size in sizes.items() if name != "coverage"}


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
    for part in ("weight", "bias", *MEASURED):
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


def _attention(name: str, config: NetworkConfig) -> Iterator[tuple[str, Shape]]:
    space, kernel = config.attention, config.coverage_kernel
    yield from _linear(f"{name}.key", config.features, space)
    yield from _linear(f"{name}.query", config.hidden, space, bias=False)
    yield f"{name}.coverage_conv.weight", (space, 1, kernel, kernel)
    yield from _linear(f"{name}.coverage_proj", space, space, bias=False)
    yield from _linear(f"{name}.score", space, 1, bias=False)


def _decoder(config: NetworkConfig, vocabulary: Vocabulary) -> Iterator[tuple[str, Shape]]:
    features, hidden, embedding = config.features, config.hidden, config.embedding
    merge = config.merge
    yield from _linear("decoder.init_state", features, hidden)
    yield "decoder.embedding.weight", (len(vocabulary.partners), embedding)
    yield from _gru("decoder.gru_alpha", embedding, hidden)
    yield from _attention("decoder.attention", config)
    yield from _gru("decoder.gru_beta", features, hidden)
    yield from _linear("decoder.from_state", hidden, merge)
    yield from _linear("decoder.from_partner", embedding, merge, bias=False)
    yield from _linear("decoder.from_context", features, merge, bias=False)
    if config.kind == "dwap":
        yield from _linear("decoder.symbol_head", merge // MAXOUT, len(vocabulary.targets))
    else:
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
    if width := config.head_hidden:
        yield from _linear("decoder.head_in", config.head_inputs, width)
        yield from _linear("decoder.head_out", width, merge, bias=False)


def _transformer(config: NetworkConfig, vocabulary: Vocabulary) -> Iterator[tuple[str, Shape]]:
    """BTTR's decoder."""
    width = config.hidden
    yield from _linear("decoder.from_features", config.features, width)
    yield from _layer_norm("decoder.feature_norm", width)
    yield "decoder.embedding.weight", (len(vocabulary.partners), width)
    yield from _layer_norm("decoder.embedding_norm", width)
    for layer in range(config.transformer_layers):
        name = f"decoder.layers.{layer}"
        for attention in ("self_attention", "cross_attention"):
            for part in ("query", "key", "value", "proj"):
                yield from _linear(f"{name}.{attention}.{part}", width, width)
        yield from _linear(f"{name}.fc1", width, config.feedforward)
        yield from _linear(f"{name}.fc2", config.feedforward, width)
        for number in (1, 2, 3):
            yield from _layer_norm(f"{name}.norm{number}", width)
    yield from _linear("decoder.symbol_head", width, len(vocabulary.targets))


def _layer_norm(name: str, width: int) -> Iterator[tuple[str, Shape]]:
    for part in ("weight", "bias"):
        yield f"{name}.{part}", (width,)


def _triples(config: NetworkConfig, vocabulary: Vocabulary) -> Iterator[tuple[str, Shape]]:
    """DWAP-TD's decoder."""
    features, hidden, embedding = config.features, config.hidden, config.embedding
    space, merge, targets = config.attention, config.merge, len(vocabulary.targets)
    yield from _linear("decoder.init_state", features, hidden)
    yield "decoder.embedding.weight", (len(vocabulary.partners), embedding)
    for role in ("parent", "child"):
        yield from _gru(f"decoder.{role}.gru_alpha", embedding, hidden)
        yield from _attention(f"decoder.{role}.attention", config)
        yield from _gru(f"decoder.{role}.gru_beta", features, hidden)
    yield from _linear("decoder.pointer_key", hidden, space)
    yield from _linear("decoder.pointer_query", hidden, space, bias=False)
    yield from _linear("decoder.pointer_score", space, 1, bias=False)
    yield from _linear("decoder.from_context", features, merge)
    yield from _linear("decoder.from_state", hidden, merge, bias=False)
    yield from _linear("decoder.from_parent", embedding, merge, bias=False)
    yield from _linear("decoder.symbol_head", merge // MAXOUT, targets)
    yield from _linear("decoder.parent_head", merge // MAXOUT, targets)
    yield from _linear("decoder.from_contexts", 2 * features, merge)
    yield from _linear("decoder.relation_head", merge, len(Relation))
