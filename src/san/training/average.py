"""The mean of weights of one network, of which the later ones began with earlier ones.

A network that goes on from another at a small learning rate stays in the same valley. What lies
between the two reads unknown writers a little better than either (experiments/log.md, 10 and 30).
What a later network has in addition (fine attention, context transformer, MLP of the heads)
began as nothing: of the matrix by which it adds to the rest, the earlier one has zeros. Symbols and
whatever else is new are taken as they are.
"""

import copy
import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from san.data.pack import Pack
from san.errors import SanError
from san.model.torch.base import Network
from san.model.torch.batch import canvas
from san.model.torch.weights import OPTIONAL, init_from, load_weights
from san.synth.mixture import Mixture
from san.training.batching import assign_buckets, choose_buckets
from san.training.config import Config
from san.training.norm_statistics import Images

BEGIN_AT_ZERO = (
    "decoder.fine_attention.proj.weight", "decoder.context.proj_out.weight",
    "decoder.head_out.weight",
)  # fmt: skip
"""By these a part that a network is given adds to the rest."""
SAMPLES, BATCH, BUCKETS = 2000, 48, 24
"""To measure batch norms on; no more samples than an epoch has."""
MAX_PIXELS = 250_000
"""Of one of them: a batch of larger ones takes gigabytes."""


def fresh_images(config: Config) -> list[Images]:
    """Batches of samples as a run makes them when it ends, or of its corpus if it makes none.

    To measure batch norms on anew: the mean of two statistics is not that of the mean.
    """
    rng = np.random.default_rng(config.training.seed)
    wanted = min(SAMPLES, config.synth.samples_per_epoch)
    if wanted:
        mixer = Mixture(config.data.train, config.synth).open()
        found = (mixer.make(rng, 1.0).picture for _ in itertools.count())
    else:
        pack = Pack.load(config.data.train)
        wanted = min(SAMPLES, len(pack))
        found = (pack.image(int(place)) for place in rng.permutation(len(pack)))
    small = (picture for picture in found if picture.size <= MAX_PIXELS)
    pictures = [picture > 127 for picture in itertools.islice(small, wanted)]
    sizes = np.array([picture.shape for picture in pictures])
    homes = assign_buckets(sizes, choose_buckets(sizes, BUCKETS))
    # Each batch is normalised by its own statistics: none is of a few pictures.
    order = np.argsort(homes, kind="stable")
    groups = np.array_split(order, max(len(order) // BATCH, 1))
    canvases = (canvas([pictures[place] for place in group]) for group in groups)
    return [(torch.from_numpy(pixels), torch.from_numpy(mask)) for pixels, mask in canvases]


def mean_network(
    weights: Sequence[Path],
    shares: Sequence[float] = (),
    encoder_shares: Sequence[float] = (),
) -> Network:
    """The network between some weights; SanError where they are not of one network.

    Args:
        weights: The last one's network is the one that is made.
        shares: Of each; by default equal ones.
        encoder_shares: The encoder's, if others: what a later network has learnt to write is in its
            decoder, and is lost where too much of an earlier one is in the mean.
    """
    shares = shares or [1 / len(weights)] * len(weights)
    encoder_shares = encoder_shares or shares
    network = load_weights(weights[-1])
    states = [*(_as_of(network, path) for path in weights[:-1]), network.state_dict()]
    sides = list(zip(states, shares, encoder_shares, strict=True))
    network.load_state_dict(
        {
            name: sum(
                state[name] * (in_encoder if name.startswith("encoder.") else share)
                for state, share, in_encoder in sides
            )
            for name in states[-1]
        }
    )
    return network


def _as_of(later: Network, path: Path) -> dict[str, Tensor]:
    """Earlier weights in the network of later ones, which may have more than they have."""
    first = load_weights(path)
    if set(first.vocabulary.symbols) < set(later.vocabulary.symbols):
        first = copy.deepcopy(later)
        init_from(first, path)
    last = later.state_dict()
    given = {
        name: torch.zeros_like(own) if name in BEGIN_AT_ZERO else own
        for name, own in last.items()
        if name.startswith(OPTIONAL)
    }
    before = {**given, **first.state_dict()}
    shapes = [{name: own.shape for name, own in side.items()} for side in (before, last)]
    if first.vocabulary != later.vocabulary or shapes[0] != shapes[1]:
        raise SanError(f"{path}: not of the network that the last weights are of: no mean of them")
    return before
