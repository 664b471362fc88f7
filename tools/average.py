"""The mean of two weights of one network, a later one and the one that it began with.

    python -m tools.average before.safetensors after.safetensors --later 0.75 -o mean.safetensors

A network that goes on from another at a small learning rate stays in the same valley. What lies
between the two reads unknown writers a little better than either (experiments/log.md, 10). What
the later network has in addition (fine attention, context transformer, MLP of the heads,
symbols) is taken as it is.
With `--encoder` the encoder has a share of its own: what the later one has learnt to write, as
several lines, is in the decoder, and is lost where too much of the earlier one is in the mean.
"""

import argparse
import json
from pathlib import Path

from san.errors import SanError
from san.model.torch.weights import OPTIONAL, init_from, load_weights, read_facts, save_weights


def average(
    earlier: Path, later: Path, share: float, output: Path, encoder_share: float | None = None
) -> None:
    """`share` of the later one. SanError where they are not weights of one network."""
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
    given = {name: own for name, own in after.items() if name.startswith(OPTIONAL)}
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
    facts = json.loads(read_facts(later).get("facts", "{}"))
    kept = {name: facts[name] for name in ("config", "commit") if name in facts}
    save_weights(output, mean, second.config, second.vocabulary, {**kept, **shares})


def main() -> None:
    parser = argparse.ArgumentParser(description="The mean of two weights of one network.")
    parser.add_argument("earlier", type=Path)
    parser.add_argument("later", type=Path)
    parser.add_argument("--later", dest="share", type=float, default=0.75, help="its share")
    parser.add_argument("--encoder", type=float, help="its share in the encoder, if another one")
    parser.add_argument("-o", "--output", type=Path, required=True)
    asked = parser.parse_args()
    try:
        average(asked.earlier, asked.later, asked.share, asked.output, asked.encoder)
    except SanError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
