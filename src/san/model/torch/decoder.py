"""The syntax-aware decoder (section 3.2): one step of it, and the two heads.

- A step is given its parent's state and path attention and its partner's embedding, and nothing
  else; so any number of steps, of any number of images, run at once.
- The same class serves the reversed decoder, which has no relation head, no glance, no survey.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from san.grammar.tree import Relation
from san.model.spec import NetworkConfig
from san.model.torch.attention import Attention, Memory
from san.model.torch.context import Survey
from san.model.torch.fine_attention import Glance, places


class Taken(NamedTuple):
    """What N steps came to."""

    state: Tensor  # N x H: c_beta
    context: Tensor  # N x C: Omega
    weights: Tensor  # N x L: xi


class Decoder(nn.Module):
    def __init__(self, config: NetworkConfig, partners: int, targets: int) -> None:
        super().__init__()
        self.first = nn.Linear(config.features, config.hidden)
        self.embedding = nn.Embedding(partners, config.embedding)
        self.gru_alpha = nn.GRUCell(config.embedding, config.hidden)
        self.attention = Attention(config)
        self.gru_beta = nn.GRUCell(config.features, config.hidden)
        self.from_state = nn.Linear(config.hidden, config.merge)  # W_g
        self.from_partner = nn.Linear(config.embedding, config.merge, bias=False)  # W_p
        self.from_context = nn.Linear(config.features, config.merge, bias=False)  # W_t
        self.symbol = nn.Linear(config.merge, targets)  # W_s
        self.relation = nn.Linear(config.merge, len(Relation))  # W_r
        self.glance = Glance(config) if config.glance else None
        self.survey = Survey(config) if config.survey else None
        self.coverage = config.coverage
        self.head_dropout = config.head_dropout
        self.forget = config.forget

    def remember(self, features: Tensor, mask: Tensor, fine: Tensor | None = None) -> Memory:
        """Features B x C x h x w -> what every step of these images needs of them.

        `fine` is B x C' x 2h x 2w; only a glance asks for it.
        """
        rows, columns = features.shape[2:]
        known = features.permute(0, 2, 3, 1)
        flat = (known if self.survey is None else self.survey(known, mask)).flatten(1, 2)
        owned = mask.flatten(1)
        # Features are zero outside an image; an image without cells only fills up a batch.
        mean = flat.sum(1) / owned.sum(1, keepdim=True).clamp(min=1)
        first = torch.tanh(self.first(mean))
        memory = Memory(flat, self.attention.key(flat), owned, first, (rows, columns))
        if self.glance is None:
            return memory
        assert fine is not None, "a glance wants the finer features"
        finer = fine.permute(0, 2, 3, 1).to(flat.dtype)
        return memory._replace(fine=self.glance.remember(finer))

    def remembering(self, like: Tensor, *shape: int) -> Tensor | None:
        """0 for the steps that forget their parent's state, else 1; None where none does."""
        if not self.training or self.forget == 0.0:
            return None
        chances = torch.rand(*shape, 1, device=like.device)
        return (chances >= self.forget).to(like.dtype)

    def step(
        self,
        memory: Memory,
        kernel: Tensor,
        image: Tensor,
        state: Tensor,
        past: Tensor,
        partner: Tensor,
    ) -> Taken:
        """Eq. 4 to 6 for N steps; `partner` is N x E, embedded."""
        state = self.gru_alpha(partner, state)
        weights, context = self.attention(memory, kernel, image, state, past)
        return Taken(self.gru_beta(context, state), context, weights)

    def glimpse(
        self,
        memory: Memory,
        image: Tensor,
        taken: Taken,
        used: Tensor | None = None,
        most: int | None = None,
    ) -> Tensor | None:
        """What steps see at a glance, for the heads; None where the network has none.

        `most` is the most steps that an image has; who knows it spares waiting for the device.
        """
        if self.glance is None or memory.fine is None:
            return None
        image = image.flatten()
        used = torch.ones_like(image) > 0 if used is None else used.flatten() > 0
        most = int(torch.bincount(image[used]).max()) if most is None else most
        at = places(image, used, len(memory.mask), most)
        seen: Tensor = self.glance(
            memory.fine, memory.mask, memory.grid, at, taken.state, taken.weights
        )
        return seen

    def merge(
        self, partner: Tensor, state: Tensor, context: Tensor, glimpse: Tensor | None = None
    ) -> Tensor:
        """What both heads read: N x merge."""
        merged = self.from_state(state) + self.from_partner(partner) + self.from_context(context)
        if self.glance is not None and glimpse is not None:
            merged = merged + self.glance.into(glimpse)
        return functional.dropout(merged, self.head_dropout, self.training)

    def heads(
        self, partner: Tensor, state: Tensor, context: Tensor, glimpse: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Eq. 7 and 8 before softmax and sigmoid: N x targets and N x 7."""
        merged = self.merge(partner, state, context, glimpse)
        return self.symbol(merged), self.relation(merged)
