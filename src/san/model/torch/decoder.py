"""The syntax-aware decoder (section 3.2): one step of it, and the two heads.

- A step receives its parent's state and path attention and its partner's embedding, and nothing
  else; so any number of steps, of any number of images, run at once.
- Both heads are linear maps of a sum, in which nothing weighs state, context and fine attention
  against each other. With `head_hidden` an MLP does (ours; the paper has none): it reads the three
  side by side, and its output joins the sum. `head_out` begins at zero: a network that is given
  this part reads as it did before.
- The same class serves the reversed decoder, which has no relation head, no fine attention, no
  context transformer and no MLP; and DWAP, whose steps write tokens: it has no relation head, and
  maxout.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from san.grammar.tree import Relation
from san.model.spec import MAXOUT, NetworkConfig
from san.model.torch.attention import Attention, Memory
from san.model.torch.context import ContextTransformer
from san.model.torch.fine_attention import FineAttention, group_by_image


class StepOutput(NamedTuple):
    """Of N steps."""

    state: Tensor  # N x H: c_beta
    context: Tensor  # N x C: Omega
    weights: Tensor  # N x L: xi


class Decoder(nn.Module):
    def __init__(
        self, config: NetworkConfig, partners: int, targets: int, with_relations: bool = True
    ) -> None:
        super().__init__()
        self.maxout = config.kind == "dwap"
        heads = config.merge // (MAXOUT if self.maxout else 1)
        self.init_state = nn.Linear(config.features, config.hidden)
        self.embedding = nn.Embedding(partners, config.embedding)
        self.gru_alpha = nn.GRUCell(config.embedding, config.hidden)
        self.attention = Attention(config)
        self.gru_beta = nn.GRUCell(config.features, config.hidden)
        self.from_state = nn.Linear(config.hidden, config.merge)  # W_g
        self.from_partner = nn.Linear(config.embedding, config.merge, bias=False)  # W_p
        self.from_context = nn.Linear(config.features, config.merge, bias=False)  # W_t
        self.symbol_head = nn.Linear(heads, targets)  # W_s
        self.relation_head = nn.Linear(heads, len(Relation)) if with_relations else None  # W_r
        self.fine_attention = FineAttention(config) if config.fine_attention else None
        self.context = ContextTransformer(config) if config.context else None
        self.head_in: nn.Linear | None = None
        self.head_out: nn.Linear | None = None
        if config.head_hidden:
            self.head_in = nn.Linear(config.head_inputs, config.head_hidden)
            self.head_out = nn.Linear(config.head_hidden, config.merge, bias=False)
            nn.init.zeros_(self.head_out.weight)
        self.coverage = "path" if config.kind == "san" else "all"
        self.head_dropout = config.head_dropout
        self.state_dropout = config.state_dropout

    def memory(self, features: Tensor, mask: Tensor, fine: Tensor | None = None) -> Memory:
        """Features B x C x h x w -> what every step of these images needs of them.

        `fine` is B x C' x 2h x 2w, for the fine attention alone.
        """
        rows, columns = features.shape[2:]
        last = features.permute(0, 2, 3, 1)
        flat = (last if self.context is None else self.context(last, mask)).flatten(1, 2)
        exists = mask.flatten(1)
        # Features are zero outside an image; an image without cells only fills up a batch.
        mean = flat.sum(1) / exists.sum(1, keepdim=True).clamp(min=1)
        init_state = torch.tanh(self.init_state(mean))
        memory = Memory(flat, self.attention.key(flat), exists, init_state, (rows, columns))
        if self.fine_attention is None:
            return memory
        assert fine is not None, "the fine attention needs the finer features"
        finer = fine.permute(0, 2, 3, 1).to(flat.dtype)
        return memory._replace(fine=self.fine_attention.memory(finer))

    def state_dropout_mask(self, like: Tensor, *shape: int) -> Tensor | None:
        """0 for the steps that do without their parent's state, else 1; None where none does."""
        if not self.training or self.state_dropout == 0.0:
            return None
        chances = torch.rand(*shape, 1, device=like.device)
        return (chances >= self.state_dropout).to(like.dtype)

    def step(
        self,
        memory: Memory,
        coverage: Tensor,
        image: Tensor,
        state: Tensor,
        past: Tensor,
        partner: Tensor,
        attention: Callable[..., tuple[Tensor, Tensor]] | None = None,
    ) -> StepOutput:
        """Eq. 4 to 6 for N steps; `partner` is N x E, embedded; the others as in `Attention`,
        which another `attention` may stand in for."""
        state = self.gru_alpha(partner, state)
        attend = attention or self.attention
        weights, context = attend(memory, coverage, image, state, past)
        return StepOutput(self.gru_beta(context, state), context, weights)

    def fine_context(
        self,
        memory: Memory,
        image: Tensor,
        output: StepOutput,
        used: Tensor | None = None,
        max_steps: int | None = None,
    ) -> Tensor | None:
        """The fine attention's contexts, for the heads; None where the network has none.

        `max_steps` is the most steps that an image has; who knows it spares waiting for the device.
        """
        if self.fine_attention is None or memory.fine is None:
            return None
        image = image.flatten()
        used = torch.ones_like(image) > 0 if used is None else used.flatten() > 0
        if max_steps is None:
            max_steps = int(torch.bincount(image[used]).max())
        steps = group_by_image(image, used, len(memory.mask), max_steps)
        context: Tensor = self.fine_attention(
            memory.fine, memory.mask, memory.grid, steps, output.state, output.weights
        )
        return context

    def merge(
        self, partner: Tensor, state: Tensor, context: Tensor, fine: Tensor | None = None
    ) -> Tensor:
        """What both heads read: N x merge, or half of it by maxout."""
        merged = self.from_state(state) + self.from_partner(partner) + self.from_context(context)
        read = [state, context]
        if self.fine_attention is not None and fine is not None:
            projected = self.fine_attention.proj(fine)
            merged = merged + projected
            read.append(projected)
        if self.head_in is not None and self.head_out is not None:
            merged = merged + self.head_out(functional.relu(self.head_in(torch.cat(read, -1))))
        if self.maxout:
            merged = merged.unflatten(-1, (-1, MAXOUT)).amax(-1)
        return functional.dropout(merged, self.head_dropout, self.training)

    def heads(
        self, partner: Tensor, state: Tensor, context: Tensor, fine: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Eq. 7 and 8 before softmax and sigmoid: N x targets and N x 7, or N x 0 without any."""
        merged = self.merge(partner, state, context, fine)
        symbols = self.symbol_head(merged)
        if self.relation_head is None:
            return symbols, symbols.new_zeros(*symbols.shape[:-1], 0)
        return symbols, self.relation_head(merged)
