"""The training loop: epochs of planned batches, validation, saving, and the end of a slice.

A run is one schedule; a slice is as much of it as there is time for. Every slice ends with weights
and state on disk, and the next goes on at the very batch where it stopped; so does one that was
killed, from what was saved last. A loss that is no number or that grows out of all proportion ends
the run, and what was saved last stays. Of several ranks the first speaks, validates and writes.
"""

import dataclasses
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from san.errors import SanError
from san.model.torch.network import SAN
from san.model.torch.weights import begin_with, save_weights
from san.models import find_model
from san.training.buckets import (
    Planned,
    choose_buckets,
    classes,
    images_in,
    largest_first,
    place_in,
    plan_epoch,
)
from san.training.captured import Program
from san.training.chunk import Room
from san.training.commit import commit
from san.training.config import Config
from san.training.corpus import Corpus, Extent, Stock
from san.training.log import add_line, forget_after
from san.training.ranks import ALONE, Ranks
from san.training.schedule import Schedule
from san.training.state import Progress, epoch_rng, load_state, save_state
from san.training.stream import Stream
from san.training.validate import Scores, validate

AHEAD = 2  # epochs that are being made while one is trained on
GLANCE = 8  # steps between two glances of whoever watches; ranks compare their clocks as often


class Run:
    """One training run in `folder`: `weights.safetensors`, `state.safetensors`, `log.jsonl`."""

    def __init__(
        self,
        config: Config,
        train: Stock,
        validation: Corpus | None,
        folder: Path,
        device: torch.device | str = "cpu",
        resume: Path | None = None,
        say: Callable[[str], None] = print,
        capture: bool = True,
        watch: Callable[["Run"], None] | None = None,
        ranks: Ranks = ALONE,
    ) -> None:
        self.config, self.train, self.validation = config, train, validation
        self.folder, self.say, self.watch, self.ranks = folder, say, watch, ranks
        folder.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(config.training.seed)
        self.vocabulary = train.vocabulary
        network = SAN(config.network, self.vocabulary)
        self.walk = config.network.coverage == "all"
        if self.walk and isinstance(train, Stream):
            # A stream keeps its trees to a depth; nothing keeps them to a number of steps.
            raise SanError('synth.samples_per_epoch: with network.coverage = "all" it must be 0')
        if config.training.init_weights and resume is None:
            taken = begin_with(network, find_model(Path(config.training.init_weights)))
            if ranks.first:
                say(taken)
        self.stream = train if isinstance(train, Stream) else None
        if self.stream is not None:
            self.stream.begin()
        reach = train.extent if self.stream is None else self.stream.reach
        self.widest, some = reach.widest, reach.learnable
        self.buckets = choose_buckets(reach.sizes[some], config.data.buckets)
        levels = classes(self._rounds(reach)[some], config.data.depth_buckets)
        if self.stream is not None:
            self.stream.keep_to(Room(tuple(self.buckets), max(levels), self.widest))
        self._lay_out()
        self.program = Program(
            network, train, config.training, levels, torch.device(device), capture, ranks=ranks
        )
        per_bucket = np.bincount(self.homes, minlength=len(self.buckets))
        many = [images_in(bucket, config.training.batch_size) for bucket in self.buckets]
        batches = int(np.ceil(per_bucket / many).sum())
        self.schedule = Schedule(config.training, -(-batches // ranks.world))
        self.progress = Progress()
        if resume is not None:
            self.progress = load_state(resume, self.program, config)
            if self.stream is not None:  # whose epochs have not all the same number of steps
                self.stream.order(self.progress.epoch, self.progress.mixed)
            else:
                # Other ranks than before make other steps of what is left of the epoch.
                left = -(-max(batches - self.progress.batch, 0) // ranks.world)
                self.progress.step = (self.progress.epoch + 1) * self.schedule.steps_an_epoch - left
            if ranks.first:
                forget_after(folder / "log.jsonl", self.progress.epoch)
        if not ranks.first:  # all begin with the same weights, but each drops out for itself
            torch.manual_seed(config.training.seed + (self.progress.step + 1) * ranks.rank)
        self.lowest = math.inf  # the least mean loss of an epoch in this slice
        self.scores: Scores | None = None
        self.done = 0.0  # the part of the schedule that lies behind
        self.line: dict[str, float | int] = {}  # what the last epoch came to
        self._reader: SAN | None = None
        self._batches = 1  # of the epoch that is under way

    def _lay_out(self) -> None:
        """What planning must know of the samples."""
        extent = self.train.extent
        self.learnable = extent.learnable
        self.depths = self._rounds(extent)[self.learnable]
        self.homes = place_in(extent.sizes[self.learnable], self.buckets)

    def _rounds(self, extent: Extent) -> NDArray[np.int64]:
        """How often the decoder is asked for each tree: once a level, or once a step (SAN-GS)."""
        return extent.steps if self.walk else extent.depths

    def _turn(self, seconds: float) -> None:
        """Take the epoch that was made meanwhile, and have the next ones made."""
        assert self.stream is not None
        training, now = self.config.training, self.progress.epoch
        for epoch in range(now, now + AHEAD + 1):
            part = min(1.0, epoch / training.epochs)
            done = self.schedule.done(0, seconds) if training.minutes else part
            self.stream.order(epoch, done)
        self.progress.mixed = self.stream.wanted(now)
        self.stream.turn(now)
        self._lay_out()

    def plan(self, epoch: int) -> list[Planned]:
        """An epoch's batches: the same whenever it is asked for."""
        rng = epoch_rng(self.config.training.seed, epoch)
        batch, window = self.config.training.batch_size, self.config.data.sort_window
        plan = plan_epoch(self.homes, self.depths, self.buckets, batch, rng, window)
        plan = plan if epoch else largest_first(plan)
        return [one._replace(places=self.learnable[one.places]) for one in plan]

    def go(self, minutes: float = 0.0) -> Progress:
        """Train to the end of the schedule, or for so many minutes."""
        began = time.monotonic()
        training, progress, ranks = self.config.training, self.progress, self.ranks
        before = progress.seconds
        if self.program.fused:
            self.program.reserve(self.widest)

        def spent() -> float:
            return before + ranks.agree(time.monotonic() - began)

        seconds = saved = spent()
        over = False
        while not over:
            epoch_began, first = time.monotonic(), progress.batch
            if self.stream is not None:
                self._turn(seconds)
            plan = self.plan(progress.epoch)
            self._batches = len(plan)
            while progress.batch < len(plan):
                if ranks.world == 1 or progress.step % GLANCE == 0:
                    seconds = spent()
                over = self.schedule.done(self._at(), seconds) >= 1.0 or (
                    minutes > 0 and seconds - before >= 60 * minutes
                )
                if over:
                    break
                if training.save_minutes and seconds - saved >= 60 * training.save_minutes:
                    self._mean_losses()  # nothing bad is saved
                    progress.seconds = saved = seconds
                    self.save()
                self._step(plan[progress.batch : progress.batch + ranks.world], seconds)
                self.done = self.schedule.done(self._at(), seconds)
                if self.watch is not None and ranks.first and progress.step % GLANCE == 0:
                    self.watch(self)
            lap = time.monotonic() - epoch_began
            ended = progress.batch >= len(plan)
            seconds = spent()
            done = self.schedule.done(self._at(), seconds)
            over = over or (training.minutes == 0 and done >= 1.0)
            images = sum(len(one.places) for one in plan[first : progress.batch])
            self._epoch_done(images, lap, done, ended, over)
            if ended:
                progress.epoch, progress.batch = progress.epoch + 1, 0
                if self.stream is not None:
                    progress.mixed = self.stream.wanted(progress.epoch)
            if over or (ended and progress.epoch % training.save_every == 0):
                progress.seconds = saved = spent()
                self.save()
        return progress

    def _at(self) -> float:
        """Where the schedule stands, in steps; a stream's epochs differ in theirs by a few."""
        progress = self.progress
        if self.stream is None:
            return progress.step
        return (progress.epoch + progress.batch / self._batches) * self.schedule.steps_an_epoch

    def _step(self, together: list[Planned], seconds: float) -> None:
        """One step: a batch for each rank, as far as there are some."""
        progress, ranks = self.progress, self.ranks
        # As if they were one batch, whose loss is a mean over the decoder's steps.
        weights = [self._weight(one) for one in together]
        mine = ranks.rank < len(together)
        self.program.step(
            together[ranks.rank] if mine else None,
            (progress.step * ranks.world + ranks.rank) % (1 << 30),
            self.schedule.rate(self._at(), seconds),
            progress.step + 1,
            weights[ranks.rank] / sum(weights) if mine else 0.0,
            self.schedule.attention_weight(self._at(), seconds),
        )
        progress.step += 1
        progress.batch += len(together)

    def _weight(self, one: Planned) -> int:
        return int(self.train.extent.steps[one.places].sum())

    def _mean_losses(self) -> list[float]:
        """Of the epoch so far, over all ranks; raises if they are such that the run must end."""
        sums = self.ranks.add(self.program.losses.clone()).tolist()  # waits for the device
        mean = [value / max(sums[6], 1.0) for value in sums[:6]]
        total = sum(mean[:4])  # without the attention's, whose weight changes
        if not all(math.isfinite(value) for value in mean):
            fault = "is no number"
        elif total > 3 * self.lowest + 1:
            fault = f"grew from {self.lowest:.2f} to {total:.2f}"
        else:
            fault = ""
        if fault:
            raise SanError(
                f"the loss {fault} in epoch {self.progress.epoch + 1}; the last saved state is good"
            )
        return mean

    def _epoch_done(self, images: int, lap: float, done: float, ended: bool, over: bool) -> None:
        progress = self.progress
        mean = self._mean_losses()
        self.program.losses.zero_()
        self.lowest = min(self.lowest, sum(mean[:4]))
        if not self.ranks.first:
            return
        names = ("symbol", "relation", "reversed", "regularisation", "attention", "gradient")
        line: dict[str, float | int] = {
            "epoch": progress.epoch + ended, "step": progress.step,
            "rate": self.schedule.rate(self._at(), done * 60 * self.config.training.minutes),
            "seconds": round(lap, 2), "images": images,
            **{name: round(value, 5) for name, value in zip(names, mean, strict=True)},
        }  # fmt: skip
        if self.stream is not None:
            line |= {"waited": round(self.stream.waited, 2), "remade": self.stream.remade}
            if self.stream.reason:
                self.say(f"a sample was made again: {self.stream.reason}")
        validating = over or (
            ended and (progress.epoch + 1) % self.config.training.validate_every == 0
        )
        if self.validation is not None and validating:
            began = time.monotonic()
            scores = validate(self.reader(), self.validation)
            progress.best = max(progress.best, scores.exact)
            progress.scores = {name: round(value, 2) for name, value in scores._asdict().items()}
            self.scores = scores
            line |= progress.scores
            line["validated_in"] = round(time.monotonic() - began, 1)
        add_line(self.folder / "log.jsonl", line)
        self.line = line
        self.say(" ".join(f"{name} {value}" for name, value in line.items()))

    def reader(self) -> SAN:
        """The averaged weights as a network that reads."""
        if self._reader is None:
            plain = dataclasses.replace(self.config.network, reversed=False)
            self._reader = SAN(plain, self.vocabulary).to(self.program.device).eval()
        self._reader.load_state_dict(self.averaged())
        return self._reader

    def averaged(self) -> dict[str, torch.Tensor]:
        """Averaged weights and running statistics, as `SAN` names them, without the reversed."""
        program = self.program
        tensors = dict(program.flat.tensors(program.optimiser.average))
        start = 0
        for name, buffer in program.network.named_buffers():
            tensors[name] = program.running_average[start : start + buffer.numel()]
            start += buffer.numel()
        return {name: t for name, t in tensors.items() if not name.startswith("reversed.")}

    def save(self) -> None:
        if not self.ranks.first:
            return
        facts: dict[str, object] = {
            "config": self.config.name,
            "epochs": self.progress.epoch,
            "commit": commit(),
            **{f"validation_{name}": value for name, value in self.progress.scores.items()},
        }
        save_weights(
            self.folder / "weights.safetensors",
            self.averaged(),
            self.config.network,
            self.vocabulary,
            facts,
        )
        save_state(self.folder / "state.safetensors", self.program, self.progress, self.config)
