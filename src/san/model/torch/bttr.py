"""BTTR: a transformer decoder that writes a string of tokens in either direction.

- Three layers, post-norm, over the encoder's features with two-dimensional sine positions, measured
  from 0 to two pi over each image.
- One decoder serves both directions; the first token tells them apart: the start mark from left to
  right, the end mark from right to left. The end mark ends both.
- Trained on both at once: the loss is the mean of the two cross-entropies.
- Nothing is kept in buffers: positions are computed where they are used.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from san.grammar.vocabulary import Vocabulary
from san.model.spec import EMPTY_TARGET, NetworkConfig
from san.model.torch.base import Network
from san.model.torch.batch import Batch, DecoderOutput
from san.model.torch.losses import AS_PUBLISHED, Losses, LossOptions, symbol_loss

LONGEST_WAVE = 10_000.0
"""Of the positions, over two pi: in tokens, or in parts of an image's sides."""


class LayerNorm(nn.LayerNorm):
    """In float32, whatever it is given: its weights always are (`san.model.spec.is_float32`)."""

    def forward(self, input: Tensor) -> Tensor:
        return super().forward(input.float()).to(input.dtype)


def waves(places: Tensor, width: int) -> Tensor:
    """Sines and cosines of some places: ... x width."""
    speeds = LONGEST_WAVE ** -torch.linspace(0, 1, width // 2, device=places.device)
    angles = places.float()[..., None] * speeds
    return torch.cat((angles.sin(), angles.cos()), -1)


def cell_positions(mask: Tensor, width: int) -> Tensor:
    """Where the cells of each image (B x h x w) stand: B x h x w x width, rows then columns."""
    rows = mask.any(2).sum(1).clamp(min=1)[:, None, None]
    columns = mask.any(1).sum(1).clamp(min=1)[:, None, None]
    down = torch.arange(1, mask.shape[1] + 1, device=mask.device)[None, :, None]
    across = torch.arange(1, mask.shape[2] + 1, device=mask.device)[None, None, :]
    y = (2 * math.pi * down / rows).expand(mask.shape)
    x = (2 * math.pi * across / columns).expand(mask.shape)
    return torch.cat((waves(y, width // 2), waves(x, width // 2)), -1)


class KeyValue(NamedTuple):
    """What an attention reads, by head."""

    keys: Tensor  # N x heads x length x width of a head
    values: Tensor


class MultiHeadAttention(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.query, self.key, self.value, self.proj = (nn.Linear(width, width) for _ in range(4))
        self.heads, self.dropout = heads, dropout

    def _apart(self, x: Tensor) -> Tensor:
        apart: Tensor = x.unflatten(-1, (self.heads, -1))
        return apart.transpose(1, 2)

    def read(self, x: Tensor) -> KeyValue:
        """Keys and values of N x length x width."""
        return KeyValue(self._apart(self.key(x)), self._apart(self.value(x)))

    def forward(
        self, x: Tensor, read: KeyValue, mask: Tensor | None = None, causal: bool = False
    ) -> Tensor:
        """`mask` is N x length of what is read, true where it may be attended to."""
        attended = functional.scaled_dot_product_attention(
            self._apart(self.query(x)),
            *read,
            attn_mask=None if mask is None else mask[:, None, None],
            dropout_p=self.dropout if self.training else 0.0,
            is_causal=causal,
        )
        output: Tensor = self.proj(attended.transpose(1, 2).flatten(2))
        return output


class TransformerLayer(nn.Module):
    """Self-attention, attention to the image, MLP; each with a residual and a norm behind it."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        width, dropout = config.hidden, config.transformer_dropout
        self.self_attention = MultiHeadAttention(width, config.heads, dropout)
        self.cross_attention = MultiHeadAttention(width, config.heads, dropout)
        self.fc1 = nn.Linear(width, config.feedforward)
        self.fc2 = nn.Linear(config.feedforward, width)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(width) for _ in range(3))
        self.dropout = dropout

    def forward(
        self, x: Tensor, before: KeyValue, image: KeyValue, mask: Tensor, causal: bool = False
    ) -> Tensor:
        """`before` are the tokens up to and with `x`."""
        x = self.norm1(x + self._dropped(self.self_attention(x, before, causal=causal)))
        x = self.norm2(x + self._dropped(self.cross_attention(x, image, mask)))
        expanded = self._dropped(functional.relu(self.fc1(x)))
        output: Tensor = self.norm3(x + self._dropped(self.fc2(expanded)))
        return output

    def _dropped(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.dropout, self.training)


class ImageCells(NamedTuple):
    """The images that a transformer reads."""

    layers: tuple[KeyValue, ...]  # of each layer's attention to them
    mask: Tensor  # N x cells

    def of(self, images: Tensor) -> "ImageCells":
        """Of each string the image that it is written from."""
        layers = tuple(
            KeyValue(*(part.index_select(0, images) for part in layer)) for layer in self.layers
        )
        return ImageCells(layers, self.mask.index_select(0, images))


class TransformerDecoder(nn.Module):
    def __init__(self, config: NetworkConfig, partners: int, targets: int) -> None:
        super().__init__()
        width = config.hidden
        self.from_features = nn.Linear(config.features, width)
        self.feature_norm = LayerNorm(width)
        self.embedding = nn.Embedding(partners, width)
        self.embedding_norm = LayerNorm(width)
        layers = [TransformerLayer(config) for _ in range(config.transformer_layers)]
        self.layers = nn.ModuleList(layers)
        self.symbol_head = nn.Linear(width, targets)

    def image_cells(self, features: Tensor, mask: Tensor) -> ImageCells:
        """Features B x C x h x w, and the cells that exist."""
        last = features.permute(0, 2, 3, 1)
        cells = self.feature_norm(functional.relu(self.from_features(last)))
        cells = (cells + cell_positions(mask, cells.shape[-1]).to(cells.dtype)).flatten(1, 2)
        exists = mask.flatten(1)
        # An image without cells only fills up a batch; a softmax over no cell would be no number.
        exists = exists | ~exists.any(1, keepdim=True)
        read = (layer.cross_attention.read(cells) for layer in self._layers())
        return ImageCells(tuple(read), exists)

    def embed(self, tokens: Tensor, first: int = 0) -> Tensor:
        """Tokens N x L, the first of which stands at a place of its string."""
        # In float32: gradients of rows are added up, which bf16 does badly.
        rows = functional.embedding(tokens, self.embedding.weight.float())
        places = torch.arange(first, first + tokens.shape[1], device=tokens.device)
        embedded: Tensor = self.embedding_norm(rows) + waves(places, rows.shape[-1])
        return embedded.to(self.embedding.weight.dtype)

    def forward(self, image: ImageCells, tokens: Tensor) -> Tensor:
        """Scores of what follows each token of some strings, teacher-forced: N x L x targets."""
        x = self.embed(tokens)
        for layer, cells in zip(self._layers(), image.layers, strict=True):
            x = layer(x, layer.self_attention.read(x), cells, image.mask, causal=True)
        scores: Tensor = self.symbol_head(x)
        return scores

    def extend(
        self, image: ImageCells, before: tuple[KeyValue, ...], tokens: Tensor
    ) -> tuple[Tensor, tuple[KeyValue, ...]]:
        """The same of one token of each string, behind those that `before` holds by layer."""
        x = self.embed(tokens[:, None], before[0].keys.shape[2])
        extended: list[KeyValue] = []
        for layer, past, cells in zip(self._layers(), before, image.layers, strict=True):
            new = layer.self_attention.read(x)
            joined = KeyValue(*(torch.cat(both, 2) for both in zip(past, new, strict=True)))
            x = layer(x, joined, cells, image.mask)
            extended.append(joined)
        return self.symbol_head(x[:, 0]), tuple(extended)

    def nothing_before(self, strings: int) -> tuple[KeyValue, ...]:
        """What `extend` takes for the first token."""
        weight = self.symbol_head.weight
        heads = [layer.self_attention.heads for layer in self._layers()]
        empty = [weight.new_zeros(strings, many, 0, weight.shape[1] // many) for many in heads]
        return tuple(KeyValue(none, none) for none in empty)

    def _layers(self) -> list[TransformerLayer]:
        return [layer for layer in self.layers if isinstance(layer, TransformerLayer)]


def turned_around(target: Tensor, weight: Tensor) -> Tensor:
    """Targets of strings (L x N, the end mark last) from right to left, with the end mark last."""
    tokens = weight.sum(0).long() - 1  # without the end mark
    place = torch.arange(len(target), device=target.device)[:, None]
    source = (tokens - 1 - place).clamp(min=0)
    return torch.where(place < tokens, target.gather(0, source), EMPTY_TARGET)


class BTTR(Network):
    def __init__(self, config: NetworkConfig, vocabulary: Vocabulary) -> None:
        super().__init__(config, vocabulary)
        partners, targets = len(self.vocabulary.partners), len(self.vocabulary.targets)
        self.decoder = TransformerDecoder(config, partners, targets)

    def run(
        self, features: Tensor, fine: Tensor | None, batch: Batch
    ) -> tuple[DecoderOutput, DecoderOutput | None]:
        """From left to right, and from right to left."""
        image = self.decoder.image_cells(features, batch.mask).of(batch.image[0].repeat(2))
        reverse = turned_around(batch.target, batch.weight)
        ends = torch.full_like(reverse[:1], EMPTY_TARGET)
        given = torch.cat((batch.partner, torch.cat((ends, reverse[:-1]))), 1)
        scores = self.decoder(image, given.T).transpose(0, 1)
        none = scores.new_zeros(*scores.shape[:2], 0).chunk(2, 1)
        forward, backward = scores.chunk(2, 1)
        return DecoderOutput(forward, none[0], none[0]), DecoderOutput(backward, none[1], none[1])

    def losses(
        self,
        batch: Batch,
        forward: DecoderOutput,
        backward: DecoderOutput | None,
        options: LossOptions = AS_PUBLISHED,
    ) -> Losses:
        """Cross-entropies of both directions, each by half."""
        assert backward is not None
        reverse = turned_around(batch.target, batch.weight)
        pairs = ((forward.symbols, batch.target), (backward.symbols, reverse))
        of_forward, of_backward = (
            symbol_loss(scores, target, batch.weight, options.label_smoothing, options.steps) / 2
            for scores, target in pairs
        )
        zero = torch.zeros_like(of_forward)
        return Losses(of_forward, zero, of_backward, zero, zero)
