"""The mean of two weights of one network, a later one and the one that it began with.

    python -m tools.average before.safetensors after.safetensors --later 0.75 -o mean.safetensors
    python -m tools.average third.safetensors fourth.safetensors --later 0.5 -o mean.safetensors \\
        --norms configs/san.toml

A network that goes on from another at a small learning rate stays in the same valley. What lies
between the two reads unknown writers a little better than either (experiments/log.md, 10 and 30).
What the later network has in addition (fine attention, context transformer, MLP of the heads)
began as nothing: of the matrix by which it adds to the rest, the earlier one has zeros. Symbols and
whatever else is new are taken as they are.
With `--encoder` the encoder has a share of its own: what the later one has learnt to write, as
several lines, is in the decoder, and is lost where too much of the earlier one is in the mean.
With `--norms` batch norms are measured anew, on fresh samples of the last stage of a configuration
as it ends: the mean of two statistics is not that of the mean network.
"""

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import torch
from rich.progress import track

from san.errors import SanError
from san.model.torch.batch import canvas
from san.model.torch.weights import OPTIONAL, init_from, load_weights, read_facts, save_weights
from san.synth.mixture import Mixture
from san.training.batching import assign_buckets, choose_buckets
from san.training.config import load_stages
from san.training.norm_statistics import Images, measure_norms

BEGIN_AT_ZERO = (
    "decoder.fine_attention.proj.weight", "decoder.context.proj_out.weight",
    "decoder.head_out.weight",
)  # fmt: skip
"""By these a part that a network is given adds to the rest."""
SAMPLES, BATCH, BUCKETS, SEED = 2000, 48, 24, 7
"""To measure batch norms on; no more samples than an epoch has."""
MAX_PIXELS = 250_000
"""Of one of them: a batch of larger ones takes gigabytes."""


def fresh_images(config: Path, seed: int = SEED) -> Iterator[Images]:
    """Batches of samples as the last stage of a configuration makes them when it ends."""
    stage = load_stages(config)[-1].config
    mixer = Mixture(stage.data.train, stage.synth).open()
    rng = np.random.default_rng(seed)
    pictures: list[np.ndarray] = []
    while len(pictures) < min(SAMPLES, stage.synth.samples_per_epoch or SAMPLES):
        picture = mixer.make(rng, 1.0).picture
        if picture.size <= MAX_PIXELS:
            pictures.append((picture > 127).astype(np.float32))
    sizes = np.array([picture.shape for picture in pictures])
    homes = assign_buckets(sizes, choose_buckets(sizes, BUCKETS))
    # Each batch is normalised by its own statistics: none is of a few pictures.
    order = np.argsort(homes, kind="stable")
    groups = np.array_split(order, max(len(order) // BATCH, 1))
    for group in track(groups, "measuring batch norms"):
        pixels, mask = canvas([pictures[place] for place in group])
        yield torch.from_numpy(pixels), torch.from_numpy(mask)


def average(
    earlier: Path,
    later: Path,
    share: float,
    output: Path,
    encoder_share: float | None = None,
    images: Iterable[Images] | None = None,
) -> None:
    """`share` of the later one; batch norms are measured on `images`, where there are any.

    SanError where they are not weights of one network.
    """
    shares = {"later": share} | ({} if encoder_share is None else {"later_encoder": encoder_share})
    for one in shares.values():
        if not 0 <= one <= 1:
            raise SanError(f"the share of the later weights goes from 0 to 1; {one} does not")
    if output.resolve() in (earlier.resolve(), later.resolve()):
        raise SanError(f"{output}: these weights are to be read, not written over")
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
    mean = {
        name: before[name].lerp(
            own, shares.get("later_encoder", share) if name.startswith("encoder.") else share
        )
        for name, own in after.items()
    }
    if images is not None:
        second.load_state_dict(mean)
        measure_norms(second, images)
        mean = second.state_dict()
    facts = json.loads(read_facts(later).get("facts", "{}"))
    kept = {name: facts[name] for name in ("config", "commit", "stages") if name in facts}
    save_weights(output, mean, second.config, second.vocabulary, {**kept, **shares})


def main() -> None:
    parser = argparse.ArgumentParser(description="The mean of two weights of one network.")
    parser.add_argument("earlier", type=Path)
    parser.add_argument("later", type=Path)
    parser.add_argument("--later", dest="share", type=float, default=0.75, help="its share")
    parser.add_argument("--encoder", type=float, help="its share in the encoder, if another one")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--norms", type=Path, metavar="CONFIG", help="measure batch norms anew")
    asked = parser.parse_args()
    try:
        images = None if asked.norms is None else fresh_images(asked.norms)
        average(asked.earlier, asked.later, asked.share, asked.output, asked.encoder, images)
    except SanError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
