"""From a configuration to a run: open the packed corpora, choose the device, go."""

from collections.abc import Callable
from pathlib import Path

import torch

from san.data.pack import Pack
from san.errors import SanError
from san.training.config import Config
from san.training.corpus import Corpus
from san.training.loop import Run
from san.training.ranks import ALONE, join, launched
from san.training.state import Progress


def start(
    config: Config,
    folder: Path,
    minutes: float = 0.0,
    resume: bool = False,
    device: str | None = None,
    say: Callable[[str], None] = print,
    watch: Callable[[Run], None] | None = None,
) -> Progress:
    """Train in `folder`; with `resume` go on from the state that lies there.

    `minutes` ends this slice of the run in time; 0 lets it run to the end of its schedule. One
    of several processes that a launcher started does its share.
    """
    if not config.data.train:
        raise SanError("data.train names no packed corpus to train on")
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    state = folder / "state.safetensors"
    if resume and not state.exists():
        raise SanError(f"{folder}: there is no state to go on from")
    if not resume and state.exists():
        raise SanError(f"{folder}: a run lies here already; go on with it, or name another folder")
    ranks = ALONE
    if launched():
        ranks = join(cpu=device == "cpu")
        device = str(ranks.device)
    if device.startswith("cuda"):
        # Validation is in float32; its products may take the matrix units' short cut.
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.backends.cudnn.allow_tf32 = True
    train = Corpus(Pack.load(config.data.train), device)
    validation = None
    if config.data.validation:
        validation = Corpus(Pack.load(config.data.validation), device, train.vocabulary)
    going_on = state if resume else None
    run = Run(config, train, validation, folder, device, going_on, say, watch=watch, ranks=ranks)
    progress = run.go(minutes)
    ranks.leave()
    return progress
