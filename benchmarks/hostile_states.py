"""Hostile states of a training run, and the small run that is asked to go on with them.

The state is that of a real run of a tiny network, so it fits until it is changed: bytes of it, the
head that says where tensors lie, or what its metadata says of progress, configuration and names.
"""

import json
import random
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from san.grammar import parse
from san.model.checksum import CHECKSUM
from san.model.spec import NetworkConfig

if TYPE_CHECKING:
    from san.training.loop import TrainingRun

Change = Callable[[bytes, random.Random], bytes]
ChangeDocument = Callable[[str, random.Random], bytes]


def hostile_state(dice: random.Random, changed: Change, document: ChangeDocument) -> bytes:
    """The state of the run, changed."""
    content = _run()[1]
    if dice.random() < 0.3:
        return changed(content, dice)
    length = int.from_bytes(content[:8], "little")
    head = json.loads(content[8 : 8 + length])
    facts = head["__metadata__"]
    if dice.random() < 0.8:
        del facts[CHECKSUM]  # as whoever writes one would
    name = dice.choice(sorted(facts))
    facts[name] = document(facts[name], dice).decode() if facts[name][0] in "[{" else "x"
    text = json.dumps(head)
    changed_head = document(text, dice) if dice.random() < 0.5 else text.encode()
    return len(changed_head).to_bytes(8, "little") + changed_head + content[8 + length :]


def read_state(content: bytes) -> None:
    """As `san train --resume` does."""
    from san.training.checkpoint import load_checkpoint

    run, _ = _run()
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as file:
        file.write(content)
        file.flush()
        load_checkpoint(Path(file.name), run.captured, run.config)


@cache
def _run() -> "tuple[TrainingRun, bytes]":
    """A run that has not begun, and its state."""
    import torch

    from san.training.config import Config, DataConfig, TrainingConfig
    from san.training.dataset import ArraySource, PackedDataset
    from san.training.loop import TrainingRun
    from san.training.run_files import STATE

    torch.set_num_threads(1)
    torch.manual_seed(0)
    images = [np.full((20, 30), 255, np.uint8) for _ in range(4)]
    data = PackedDataset(ArraySource(images, [parse("x+1")] * 4), "cpu")
    network = NetworkConfig(stem=8, growth=2, layers=1, hidden=8, embedding=8, attention=8, merge=8)
    training = TrainingConfig(batch_size=4, precision="fp32", epochs=1)
    config = Config("hostile", network, DataConfig(buckets=1, depth_buckets=1), training)
    with tempfile.TemporaryDirectory() as folder:
        run = TrainingRun(config, data, None, Path(folder), say=lambda _: None)
        run.save()
        return run, (Path(folder) / STATE).read_bytes()
