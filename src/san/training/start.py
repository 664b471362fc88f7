"""From a configuration to a run: open the packed corpora, choose the device, go."""

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from san.data.pack import Pack, open_photographs
from san.errors import SanError
from san.grammar.grids import INKLESS
from san.grammar.languages import write
from san.grammar.vocabulary import Vocabulary
from san.model.spec import read_metadata
from san.model.torch.weights import read_facts
from san.models import find_model
from san.synth.glyphs.build import build_bank
from san.synth.mixture import Mixture
from san.training.checkpoint import Progress
from san.training.config import Config
from san.training.dataset import Dataset, PackedDataset, SampleSizes
from san.training.distributed import ALONE, join_ranks, launched
from san.training.loop import TrainingRun
from san.training.run_files import STATE
from san.training.sample_stream import SampleStream


def start(
    config: Config,
    folder: Path,
    minutes: float = 0.0,
    resume: bool = False,
    device: str | None = None,
    say: Callable[[str], None] = print,
    watch: Callable[[TrainingRun], None] | None = None,
) -> Progress:
    """Train in `folder`; with `resume` go on from the state that lies there.

    `minutes` ends this slice of the run in time; 0 lets it run to the end of its schedule. One
    of several processes that a launcher started does its share.
    """
    began = time.monotonic()
    if not config.data.train:
        raise SanError("data.train names no packed corpus to train on")
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    state = folder / STATE
    if resume and not state.exists():
        raise SanError(f"{folder}: there is no state to go on from")
    if not resume and state.exists():
        raise SanError(
            f"{folder}: a run lies here already; go on with it (--resume, or resume=True), or name "
            "another folder (-o)"
        )
    ranks = ALONE
    if launched():
        ranks = join_ranks(cpu=device == "cpu")
        device = str(ranks.device)
    if device.startswith("cuda"):
        # Validation is in float32; its products may take the matrix units' short cut.
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.backends.cudnn.allow_tf32 = True
    kind = config.network.kind
    with contextlib.ExitStack() as stack:
        train: Dataset
        if config.synth.samples_per_epoch:
            train = stack.enter_context(contextlib.closing(open_sample_stream(config, device)))
        else:
            pack = Pack.load(config.data.train)
            known = kept_symbols(config)
            if known:
                known |= set(Vocabulary.gather(map(pack.tree, range(len(pack)))).symbols)
            vocabulary = Vocabulary(tuple(sorted(known))) if known else None
            train = PackedDataset(pack, device, vocabulary, kind)
        validation, photos = open_validation(config, train.vocabulary, device)
        resume_from = state if resume else None
        run = TrainingRun(
            config, train, validation, folder, device, resume_from, say, watch=watch, ranks=ranks,
            validation_photos=photos,
        )  # fmt: skip
        # What was opened and made before the first step has taken its part of the time.
        ready = ranks.agree(time.monotonic() - began) / 60
        progress = run.go(max(minutes - ready, 1e-9) if minutes else 0.0)
    ranks.leave()
    return progress


def open_validation(
    config: Config, vocabulary: Vocabulary, device: str
) -> tuple[PackedDataset | None, dict[str, PackedDataset]]:
    """The corpus to validate on, if there is one, and the photographs beside it."""

    def opened(pack: Pack) -> PackedDataset:
        return PackedDataset(pack, device, vocabulary, config.network.kind)

    corpus = config.data.validation
    photos = open_validation_photos(config)
    return opened(Pack.load(corpus)) if corpus else None, {
        Path(path).stem: opened(pack) for path, pack in photos.items()
    }


def open_validation_photos(config: Config) -> dict[str, Pack]:
    """By their paths; SanError where samples are made of one of them.

    Two photographs of one name and different labels are not the same.
    """
    packs = {path: open_photographs(path) for path in config.data.validation_photos}
    synth = config.synth
    labels: dict[str, str] = {}  # of the photographs that samples are made of, and their glyphs
    every = (config.data.train, synth.photos, synth.photo_glyphs, synth.line_photos)
    sources = every if packs else ()
    for trained in filter(None, sources):
        used = Pack.load(trained)
        if trained != synth.photo_glyphs:
            labels = dict(zip(used.ids, used.latex, strict=True))
        ids = set(used.ids)
        for path, pack in packs.items():
            shared = [
                name
                for name, label in zip(pack.ids, pack.latex, strict=True)
                if name in ids and labels.get(name, label) == label
            ]
            if shared:
                raise SanError(
                    f"{trained}: has {len(shared)} of the photographs of {path}, which are for "
                    f"validation: {shared[0]}, ..."
                )
    return packs


def kept_symbols(config: Config) -> set[str]:
    """What the vocabulary has beside the corpus's symbols: those of the weights to begin with."""
    training = config.training
    if not (training.keep_symbols and training.init_weights):
        return set()
    weights = find_model(Path(training.init_weights))
    return set(read_metadata(read_facts(weights), str(weights))[1].symbols)


def open_sample_stream(config: Config, device: str) -> SampleStream:
    """Samples made on the fly, with room for all that is packed."""
    synth = config.synth
    pack = Pack.load(config.data.train)
    photos = [synth.photos, synth.line_photos if synth.has_lines else ""]
    packs = [pack, *(open_photographs(path) for path in photos if path)]
    trees = [part.tree(place) for part in packs for place in range(len(part))]
    sizes = [part.shape(place) for part in packs for place in range(len(part))]
    kind = config.network.kind
    counts = [np.bincount([step.depth for step in write(kind, tree)]) for tree in trees]
    known = set(Vocabulary.gather(trees).symbols) | kept_symbols(config)
    if synth.photo_formulas or synth.has_lines or synth.hands:
        bank = build_bank(
            pack,
            photo_glyphs=Pack.load(synth.photo_glyphs) if synth.photo_glyphs else None,
            derived=synth.derived,
            config=synth.bank,
            hands=[Pack.load(path) for path in synth.hands],
        )
        known |= bank.by_name.keys()
    if synth.has_lines:  # nobody wrote them on one line: there must be room all the same
        known |= INKLESS
        sizes.append(synth.lines.max_size)
        counts.append(np.ones(synth.lines.max_depth, np.int64))
    return SampleStream(
        Mixture(config.data.train, synth).open,
        Vocabulary(tuple(sorted(known))),
        SampleSizes.of(np.array(sizes, np.int64), counts),
        device,
        config.training.seed,
        synth.samples_per_epoch,
        synth.workers,
        kind,
    )
