"""Both decoders over a batch, with the recurrence fused.

Plain twins: `SAN.decode` and `decode_reversed` in `san.model.torch.network`.
"""

import torch
from torch import Tensor
from torch.nn import functional

from san.model.kernels.recurrence import Recurrence, RecurrenceWeights, Tree
from san.model.kernels.tree_tables import Tables
from san.model.torch.batch import DecoderOutput
from san.model.torch.decoder import Decoder
from san.model.torch.fine_attention import group_by_image


def embed(decoder: Decoder, numbers: Tensor) -> Tensor:
    """Rows of the embedding in float32: their gradients are added up, which bf16 does badly."""
    flat = decoder.embedding.weight.float().index_select(0, numbers.flatten())
    return flat.view(*numbers.shape, -1)


def decode_forward(
    decoder: Decoder,
    features: Tensor,
    mask: Tensor,
    tables: Tables,
    fine: Tensor | None = None,
    max_steps: int = 0,
) -> DecoderOutput:
    """From the root down; by level or, in the sequential layout, step by step.

    The fine attention needs `fine`, and the most steps that an image has.
    """
    partners = embed(decoder, tables.partner).to(features.dtype)
    states, contexts, weights = _recur(decoder, features, mask, tables.forward, partners)
    fine_context = None
    if decoder.fine_attention is not None and fine is not None:
        image, used = tables.forward.image.flatten(), tables.weight.flatten() > 0
        steps = group_by_image(image, used, len(mask), max_steps)
        grid = (features.shape[1], features.shape[2])
        memory = decoder.fine_attention.memory(fine)
        fine_context = decoder.fine_attention(memory, mask.flatten(1), grid, steps, states, weights)
    symbols, relations = decoder.heads(partners, states, contexts, fine_context)
    return DecoderOutput(symbols, relations, weights)


def decode_reversed(
    decoder: Decoder, features: Tensor, mask: Tensor, tables: Tables, start: int
) -> DecoderOutput:
    """From the leaves up."""
    children = embed(decoder, tables.target) + embed(decoder, tables.edge)
    size = children.shape[-1]
    share = torch.cat((torch.zeros_like(tables.share[:1]), tables.share[1:]))
    parents = torch.zeros_like(children).view(-1, size)
    parents = parents.index_add(
        0, tables.above.flatten(), (children * share[..., None]).view(-1, size)
    )
    blank = decoder.embedding.weight[start].float()
    partners = parents.view_as(children) + tables.leaf[..., None] * blank
    partners = partners.to(features.dtype)
    states, contexts, weights = _recur(decoder, features, mask, tables.reversed, partners)
    symbols, relations = decoder.heads(partners, states, contexts)
    return DecoderOutput(symbols, relations, weights)


def _recur(
    decoder: Decoder, features: Tensor, mask: Tensor, tree: Tree, partners: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """`features` B x h x w x C -> states, contexts, attention."""
    if decoder.context is not None:
        features = decoder.context(features, mask)
    images, rows, columns, _ = features.shape
    flat = features.reshape(images, rows * columns, -1)
    mask = mask.flatten(1)
    mean = flat.sum(1, dtype=torch.float32) / mask.sum(1, keepdim=True).clamp(min=1)
    init_state = torch.tanh(decoder.init_state(mean.to(flat.dtype)))
    alpha, beta, attention = decoder.gru_alpha, decoder.gru_beta, decoder.attention
    input_gates = functional.linear(partners, alpha.weight_ih, alpha.bias_ih)
    kernel = attention.folded_coverage().flatten(1)
    window = attention.coverage_conv.kernel_size[0]
    wide = 1 << (window * window - 1).bit_length()  # the kernels count in powers of two
    padded = functional.pad(kernel, (0, wide - window * window))
    weights = RecurrenceWeights(
        alpha.weight_hh,
        alpha.bias_hh,
        torch.cat((beta.weight_hh, attention.query.weight)),
        beta.bias_hh,
        padded,
        attention.score.weight.flatten(),
        beta.weight_ih,
        beta.bias_ih,
        torch.zeros_like(beta.bias_ih),
    )
    tree = tree._replace(state_mask=decoder.state_dropout_mask(init_state, *tree.image.shape))
    outputs: tuple[Tensor, Tensor, Tensor] = Recurrence.apply(
        flat, attention.key(flat), init_state, input_gates, mask.to(torch.uint8), tree,
        (rows, columns), window, *weights,
    )  # fmt: skip
    return outputs
