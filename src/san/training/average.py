"""The mean of two weights of one network, a later one and the one that it began with.

A network that goes on from another at a small learning rate stays in the same valley. What lies
between the two reads unknown writers a little better than either (experiments/log.md, 10 and 30).
What the later network has in addition (fine attention, context transformer, MLP of the heads)
began as nothing: of the matrix by which it adds to the rest, the earlier one has zeros. Symbols and
whatever else is new are taken as they are.
"""

import itertools
from pathlib import Path

import numpy as np
import torch

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
    earlier: Path,
    later: Path,
    share: float = 0.5,
    encoder_share: float | None = None,
) -> Network:
    """The network between two weights; SanError where they are not of one network.

    Args:
        share: Of the later one.
        encoder_share: The encoder's, if another: what the later network has learnt to write is in
            its decoder, and is lost where too much of the earlier one is in the mean.
    """
    encoder_share = share if encoder_share is None else encoder_share
    for one in (share, encoder_share):
        if not 0 <= one <= 1:
            raise SanError(f"the share of the later weights goes from 0 to 1; {one} does not")
    first, second = load_weights(earlier), load_weights(later)
    if set(first.vocabulary.symbols) < set(second.vocabulary.symbols):
        first = load_weights(later)
        init_from(first, earlier)
    before, after = first.state_dict(), second.state_dict()
    given = {
        name: torch.zeros_like(own) if name in BEGIN_AT_ZERO else own
        for name, own in after.items()
        if name.startswith(OPTIONAL)
    }
    before = {**given, **before}
    shapes = [{name: own.shape for name, own in side.items()} for side in (before, after)]
    if first.vocabulary != second.vocabulary or shapes[0] != shapes[1]:
        raise SanError(f"{earlier} and {later} are weights of different networks")
    second.load_state_dict(
        {
            name: before[name].lerp(own, encoder_share if name.startswith("encoder.") else share)
            for name, own in after.items()
        }
    )
    return second
