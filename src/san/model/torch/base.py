"""What all networks of the paper's tables share: an encoder, a language, and losses over its steps.

A kind of network is a language (`san.grammar.languages`) and a decoder over the encoder's features.
Data, buckets, optimisers, validation and scores know nothing of the decoder.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray
from torch import Tensor, nn

from san.grammar.languages import vocabulary_for
from san.grammar.productions import START
from san.grammar.vocabulary import Vocabulary
from san.model.spec import NetworkConfig
from san.model.torch.batch import Batch, DecoderOutput, Levels
from san.model.torch.encoder import build_encoder
from san.model.torch.losses import AS_PUBLISHED, Losses, LossOptions, losses
from san.model.torch.sequential import sequential_slots


class Network(nn.Module):
    """An encoder; whoever inherits adds the decoder."""

    trains_in_bf16 = True  # on a GPU; else in float32 whatever is asked for

    def __init__(self, config: NetworkConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.config = config
        self.vocabulary = vocabulary_for(config.kind, vocabulary)
        self.start = self.vocabulary.number(START)
        self.encoder = build_encoder(config)

    def slots(
        self, trees: Sequence[Levels], depth: int = 0, width: int = 0
    ) -> dict[str, NDArray[Any]]:
        """A batch's steps in the layout of `run`; `depth` and `width` are the least size."""
        return sequential_slots(trees, self.vocabulary, depth, width)

    @abstractmethod
    def run(
        self, features: Tensor, fine: Tensor | None, batch: Batch
    ) -> tuple[DecoderOutput, DecoderOutput | None]:
        """The decoder over a batch, teacher-forced, and a second one where the network has it.

        `features` are B x C x h x w, `fine` twice as large and for the fine attention alone.
        """

    def forward(self, batch: Batch) -> tuple[DecoderOutput, DecoderOutput | None]:
        features, fine = self.encoder.scales(batch.images, batch.mask)
        return self.run(features, fine, batch)

    def losses(
        self,
        batch: Batch,
        forward: DecoderOutput,
        backward: DecoderOutput | None,
        options: LossOptions = AS_PUBLISHED,
    ) -> Losses:
        """What `run` gave, against the batch's targets."""
        return losses(batch, forward, backward, options)
