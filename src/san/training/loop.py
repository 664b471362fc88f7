"""The training loop: epochs of planned batches, validation, saving, and the end of a slice.

A run is one schedule; a slice is as much of it as there is time for. Every slice ends with weights
and state on disk, and the next goes on at the very batch where it stopped. A loss that is no number
or that grows out of all proportion ends the run, and what was saved last stays.
"""

import dataclasses
import json
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from san.errors import SanError
from san.nn.network import SAN
from san.nn.weights import save_weights
from san.training.buckets import Planned, choose_buckets, classes, place_in, plan_epoch
from san.training.config import Config
from san.training.corpus import Corpus
from san.training.program import Program
from san.training.schedule import Schedule
from san.training.state import Progress, epoch_rng, load_state, save_state
from san.training.validate import Scores, validate

GLANCE = 8  # steps between two glances of whoever watches


class Run:
    """One training run in `folder`: `weights.safetensors`, `state.safetensors`, `log.jsonl`."""

    def __init__(
        self,
        config: Config,
        train: Corpus,
        validation: Corpus | None,
        folder: Path,
        device: torch.device | str = "cpu",
        resume: Path | None = None,
        say: Callable[[str], None] = print,
        capture: bool = True,
        watch: Callable[["Run"], None] | None = None,
    ) -> None:
        self.config, self.train, self.validation = config, train, validation
        self.folder, self.say, self.watch = folder, say, watch
        folder.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(config.training.seed)
        self.vocabulary = train.vocabulary
        network = SAN(config.network, self.vocabulary)
        learnable = train.learnable
        self.learnable = learnable
        sizes = [train.sizes[place] for place in learnable]
        counts = [own.counts for place in learnable if (own := train.levels[place])]
        self.depths = np.array([len(count) for count in counts])
        self.widest = max(int(count.max()) for count in counts)
        self.buckets = choose_buckets(sizes, config.data.buckets)
        self.homes = place_in(sizes, self.buckets)
        levels = classes(self.depths, config.data.levels)
        self.program = Program(
            network, train, config.training, levels, torch.device(device), capture
        )
        self.progress = Progress()
        if resume is not None:
            self.progress = load_state(resume, self.program, config)
        batch = config.training.batch
        per_bucket = np.bincount(self.homes, minlength=len(self.buckets))
        self.schedule = Schedule(config.training, int(np.ceil(per_bucket / batch).sum()))
        self.lowest = math.inf  # the least mean loss of an epoch in this slice
        self.scores: Scores | None = None
        self.done = 0.0  # the part of the schedule that lies behind
        self.line: dict[str, float | int] = {}  # what the last epoch came to
        self._reader: SAN | None = None

    def plan(self, epoch: int) -> list[Planned]:
        """An epoch's batches: the same whenever it is asked for."""
        rng = epoch_rng(self.config.training.seed, epoch)
        batch = self.config.training.batch
        plan = plan_epoch(self.homes, self.depths, self.buckets, batch, rng)
        return [one._replace(places=self.learnable[one.places]) for one in plan]

    def go(self, minutes: float = 0.0) -> Progress:
        """Train to the end of the schedule, or for so many minutes."""
        began = time.monotonic()
        training, progress, program = self.config.training, self.progress, self.program
        before = progress.seconds
        if program.fused:
            program.reserve(training.batch * self.widest)

        def spent() -> float:
            return before + time.monotonic() - began

        over = False
        while not over:
            plan = self.plan(progress.epoch)
            epoch_began, first = time.monotonic(), progress.batch
            for one in plan[progress.batch :]:
                seconds = spent()
                if self.schedule.done(progress.step, seconds) >= 1.0 or (
                    minutes and time.monotonic() - began >= 60 * minutes
                ):
                    over = True
                if over:
                    break
                rate = self.schedule.rate(progress.step, seconds)
                program.step(one, progress.step % (1 << 30), rate, progress.step + 1)
                progress.step += 1
                progress.batch += 1
                self.done = self.schedule.done(progress.step, seconds)
                if self.watch is not None and progress.step % GLANCE == 0:
                    self.watch(self)
            lap = time.monotonic() - epoch_began
            ended = progress.batch == len(plan)
            done = self.schedule.done(progress.step, spent())
            over = over or (training.minutes == 0 and done >= 1.0)
            self._epoch_done(progress.batch - first, lap, done, ended, over)
            if ended:
                progress.epoch, progress.batch = progress.epoch + 1, 0
            progress.seconds = spent()
            if over or (ended and progress.epoch % training.save == 0):
                self.save()
        return progress

    def _epoch_done(self, steps: int, lap: float, done: float, ended: bool, over: bool) -> None:
        program, progress = self.program, self.progress
        sums = program.losses.tolist()  # waits for the device
        program.losses.zero_()
        mean = [value / max(sums[5], 1.0) for value in sums[:5]]
        total = sum(mean[:4])
        if not all(math.isfinite(value) for value in mean):
            fault = "is no number"
        elif total > 3 * self.lowest + 1:
            fault = f"grew from {self.lowest:.2f} to {total:.2f}"
        else:
            fault = ""
        if fault:
            raise SanError(
                f"the loss {fault} in epoch {progress.epoch + 1}; the last saved state is good"
            )
        self.lowest = min(self.lowest, total)
        names = ("symbol", "relation", "reversed", "regularisation", "gradient")
        line: dict[str, float | int] = {
            "epoch": progress.epoch + ended, "step": progress.step,
            "rate": self.schedule.rate(progress.step, done * 60 * self.config.training.minutes),
            "seconds": round(lap, 2), "images": steps * self.config.training.batch,
            **{name: round(value, 5) for name, value in zip(names, mean, strict=True)},
        }  # fmt: skip
        validating = over or (ended and (progress.epoch + 1) % self.config.training.validate == 0)
        if self.validation is not None and validating:
            began = time.monotonic()
            scores = validate(self.reader(), self.validation)
            progress.best = max(progress.best, scores.exact)
            self.scores = scores
            line |= {name: round(value, 2) for name, value in scores._asdict().items()}
            line["validated_in"] = round(time.monotonic() - began, 1)
        with (self.folder / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")
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
        facts: dict[str, object] = {"config": self.config.name, "epochs": self.progress.epoch}
        if self.scores is not None:
            facts |= {f"validation_{k}": round(v, 2) for k, v in self.scores._asdict().items()}
        save_weights(
            self.folder / "weights.safetensors",
            self.averaged(),
            self.config.network,
            self.vocabulary,
            facts,
        )
        save_state(self.folder / "state.safetensors", self.program, self.progress, self.config)
