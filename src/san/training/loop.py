"""The training loop: epochs of planned batches, validation, saving, and the end of a slice.

A run is one schedule; a slice is as much of it as there is time for. Every slice ends with weights
and state on disk, and the next goes on with the next batch; so does one that was killed, from what
was saved last. A loss that is no number, or that grows out of proportion, ends the run, and what
was saved last stays. Of several ranks the first prints, validates and writes.
"""

import dataclasses
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import torch

from san.errors import SanError
from san.files import make_folder
from san.model.torch.base import Network
from san.model.torch.kinds import build_network
from san.model.torch.weights import init_from, read_facts, save_weights
from san.models import find_model
from san.training.batching import (
    PlannedBatch,
    assign_buckets,
    choose_buckets,
    choose_random_buckets,
    count_batches,
    depth_limits,
    largest_first,
    plan_epoch,
    plan_random_epoch,
)
from san.training.captured import CapturedStep
from san.training.checkpoint import Progress, epoch_rng, load_checkpoint, save_checkpoint
from san.training.chunks import Capacity
from san.training.config import Config
from san.training.dataset import Dataset, PackedDataset
from san.training.distributed import ALONE, Ranks
from san.training.norm_statistics import Images, measure_norms
from san.training.optimiser import Schedule
from san.training.run_files import BEST, LOG, STATE, WEIGHTS
from san.training.run_log import LOSSES, add_line, drop_lines_after, stage_record
from san.training.sample_stream import SampleStream
from san.training.validate import all_scores

EPOCHS_AHEAD = 2  # made while one is trained on
WATCH_STEPS = 8  # from one call of `watch` to the next; ranks compare their clocks as often


class TrainingRun:
    """One training run in `folder`, which gets the files of `run_files`."""

    def __init__(
        self,
        config: Config,
        train: Dataset,
        validation: PackedDataset | None,
        folder: Path,
        device: torch.device | str = "cpu",
        resume: Path | None = None,
        say: Callable[[str], None] = print,
        capture: bool = True,
        watch: Callable[["TrainingRun"], None] | None = None,
        ranks: Ranks = ALONE,
        validation_photos: Mapping[str, PackedDataset] | None = None,
    ) -> None:
        self.config, self.train, self.validation = config, train, validation
        self.validation_photos = validation_photos or {}
        self.folder, self.say, self.watch, self.ranks = folder, say, watch, ranks
        make_folder(folder)
        torch.manual_seed(config.training.seed)
        self.vocabulary = train.vocabulary
        network = build_network(config.network, self.vocabulary)
        self.by_step = config.network.kind != "san"
        self.stages_before: list[object] = []  # what these say of their own training
        if config.training.init_weights:
            given = find_model(Path(config.training.init_weights))
            if resume is None or given.exists():
                facts = json.loads(read_facts(given).get("facts", "{}"))
                self.stages_before = facts.get("stages", [])
            if resume is None:
                report = init_from(network, given)
                if ranks.first:
                    say(report)
        self.stream = train if isinstance(train, SampleStream) else None
        if self.stream is not None:
            self.stream.begin()
        largest = train.sample_sizes if self.stream is None else self.stream.all_sizes
        self.widest, some = largest.widest, largest.learnable
        self.random = config.data.batches == "random"
        batch_size, limit = config.training.batch_size, config.data.buckets
        self.buckets = (
            choose_random_buckets(largest.sizes[some], batch_size, limit)
            if self.random
            else choose_buckets(largest.sizes[some], limit)
        )
        levels = depth_limits(largest.rows(self.by_step)[some], config.data.depth_buckets)
        if self.stream is not None:
            buckets = tuple(self.buckets)
            self.stream.set_capacity(Capacity(buckets, max(levels), self.widest, self.by_step))
        self._assign_buckets()
        self.captured = CapturedStep(
            network, train, config.training, levels, torch.device(device), capture, ranks=ranks
        )
        batches = (
            -(-len(self.learnable) // batch_size)
            if self.random
            else count_batches(self.bucket_of, self.buckets, batch_size)
        )
        self.schedule = Schedule(config.training, -(-batches // ranks.world))
        self.progress = Progress()
        if resume is not None:
            self.progress = load_checkpoint(resume, self.captured, config)
            if self.stream is not None:  # whose epochs have not all the same number of steps
                self.stream.request(self._made_epoch(), self.progress.samples_for)
            elif not self.random:
                # Other ranks than before make other steps of what is left of the epoch.
                left = -(-max(batches - self.progress.batch, 0) // ranks.world)
                self.progress.step = (
                    self.progress.epoch + 1
                ) * self.schedule.steps_per_epoch - left
            if ranks.first:
                drop_lines_after(folder / LOG, self.progress.epoch)
        if not ranks.first:  # all begin with the same weights, but each drops out for itself
            torch.manual_seed(config.training.seed + (self.progress.step + 1) * ranks.rank)
        self.lowest = math.inf  # lowest mean loss of an epoch in this slice
        self.done = 0.0  # the part of the schedule that is over
        self.line: dict[str, float | int] = {}  # the log's last line
        self._reading: Network | None = None
        self._read_at = -1  # the step whose average it has
        self._batches = 1  # of the epoch that is under way

    def _assign_buckets(self) -> None:
        """What planning needs of the current samples."""
        sample_sizes = self.train.sample_sizes
        self.learnable = sample_sizes.learnable
        self.depths = sample_sizes.rows(self.by_step)[self.learnable]
        self.bucket_of = assign_buckets(sample_sizes.sizes[self.learnable], self.buckets)

    def _made_epoch(self) -> int:
        """Which of the stream's epochs the current one has its samples from."""
        return int(self.progress.epoch / self.config.synth.repeats)

    def _was_seen(self) -> bool:
        """Whether the samples of the current epoch are those of the one before."""
        before = self.progress.epoch - 1
        repeats = self.config.synth.repeats
        return before >= 0 and (self.stream is None or int(before / repeats) == self._made_epoch())

    def _next_epoch(self, seconds: float) -> None:
        """Load the samples that were made meanwhile, and request the next ones."""
        assert self.stream is not None
        training, now = self.config.training, self._made_epoch()
        for epoch in range(now, now + EPOCHS_AHEAD + 1):
            part = min(1.0, epoch * self.config.synth.repeats / training.epochs)
            done = self.schedule.done(0, seconds) if training.minutes else part
            self.stream.request(epoch, done)
        self.progress.samples_for = self.stream.requested_for(now)
        self.stream.load_epoch(now)
        self._assign_buckets()

    def plan(self, epoch: int) -> list[PlannedBatch]:
        """An epoch's batches: the same for the same seed and epoch."""
        rng = epoch_rng(self.config.training.seed, epoch)
        batch_size, window = self.config.training.batch_size, self.config.data.sort_window
        if self.random:
            sizes = self.train.sizes[self.learnable]
            plan = plan_random_epoch(sizes, self.buckets, batch_size, rng)
        else:
            plan = plan_epoch(self.bucket_of, self.depths, self.buckets, batch_size, rng, window)
        plan = plan if epoch else largest_first(plan)
        return [batch._replace(samples=self.learnable[batch.samples]) for batch in plan]

    def go(self, minutes: float = 0.0) -> Progress:
        """Train to the end of the schedule, or for so many minutes."""
        began = time.monotonic()
        training, progress, ranks = self.config.training, self.progress, self.ranks
        before = progress.seconds
        if self.schedule.done(0 if progress.batch else self._position(), before) >= 1.0:
            if ranks.first:
                self.say("finished already: nothing is left of the schedule")
            return progress
        if self.captured.fused:
            self.captured.reserve(self.widest)

        def spent() -> float:
            return before + ranks.agree(time.monotonic() - began)

        seconds = saved = spent()
        over = False
        while not over:
            epoch_began, first = time.monotonic(), progress.batch
            if self.stream is not None:
                self._next_epoch(seconds)
            plan = self.plan(progress.epoch)
            self._batches = len(plan)
            while progress.batch < len(plan):
                if ranks.world == 1 or progress.step % WATCH_STEPS == 0:
                    seconds = spent()
                over = self.schedule.done(self._position(), seconds) >= 1.0 or (
                    minutes > 0 and seconds - before >= 60 * minutes
                )
                if over:
                    break
                if training.save_minutes and seconds - saved >= 60 * training.save_minutes:
                    self._mean_losses()  # raises before anything bad is saved
                    progress.seconds = saved = seconds
                    self.save()
                self._step(plan[progress.batch : progress.batch + ranks.world], seconds)
                self.done = self.schedule.done(self._position(), seconds)
                if self.watch is not None and ranks.first and progress.step % WATCH_STEPS == 0:
                    self.watch(self)
            lap = time.monotonic() - epoch_began
            ended = progress.batch >= len(plan)
            seconds = spent()
            done = self.schedule.done(self._position(), seconds)
            over = over or (training.minutes == 0 and done >= 1.0)
            images = sum(len(batch.samples) for batch in plan[first : progress.batch])
            progress.seconds = seconds
            self._epoch_done(images, lap, done, ended, over)
            if ended:
                progress.epoch, progress.batch = progress.epoch + 1, 0
                if self.stream is not None:
                    progress.samples_for = self.stream.requested_for(self._made_epoch())
            if over or (ended and progress.epoch % training.save_every == 0):
                progress.seconds = saved = spent()
                self.save()
        return progress

    def _position(self) -> float:
        """Position in the schedule, in steps; epochs of a stream, or of random batches, differ in
        theirs by a few."""
        progress = self.progress
        if self.stream is None and not self.random:
            return progress.step
        return (progress.epoch + progress.batch / self._batches) * self.schedule.steps_per_epoch

    def _step(self, together: list[PlannedBatch], seconds: float) -> None:
        """One step: a batch for each rank, as long as there are any."""
        progress, ranks = self.progress, self.ranks
        # As if they were one batch, whose loss is a mean over the decoder's steps.
        weights = [self._weight(batch) for batch in together]
        if self.config.training.steps_per_image:  # a mean over a constant number of them
            weights = [1] * ranks.world
        has_batch = ranks.rank < len(together)
        self.captured.step(
            together[ranks.rank] if has_batch else None,
            (progress.step * ranks.world + ranks.rank) % (1 << 30),
            self.schedule.learning_rate(self._position(), seconds),
            progress.step + 1,
            weights[ranks.rank] / sum(weights) if has_batch else 0.0,
            self.schedule.attention_weight(self._position(), seconds),
            self._was_seen(),
        )
        progress.step += 1
        progress.batch += len(together)
        progress.samples += sum(len(batch.samples) for batch in together)

    def _weight(self, batch: PlannedBatch) -> int:
        return int(self.train.sample_sizes.steps[batch.samples].sum())

    def _mean_losses(self) -> list[float]:
        """Of the epoch so far, over all ranks; raises if they are such that the run must end."""
        sums = self.ranks.sum(self.captured.losses.clone()).tolist()  # waits for the device
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
        self.captured.losses.zero_()
        if images:
            self.lowest = min(self.lowest, sum(mean[:4]))
        if not self.ranks.first:
            return
        names = (*LOSSES, "gradient")
        seconds = done * 60 * self.config.training.minutes
        line: dict[str, float | int] = {
            "epoch": progress.epoch + ended, "step": progress.step,
            "learning_rate": self.schedule.learning_rate(self._position(), seconds),
            "seconds": round(lap, 2), "images": images,
        }  # fmt: skip
        if images:  # none where time was over before the epoch's first batch: no loss either
            line |= {name: round(value, 5) for name, value in zip(names, mean, strict=True)}
        if self.stream is not None:
            remade = self.stream.remade
            line |= {"waited": round(self.stream.waited, 2), "remade": remade.total()}
            line |= dict(sorted(remade.items()))
            if self.stream.reason:
                self.say(f"a sample was made again: {self.stream.reason}")
        validating = over or (
            ended and (progress.epoch + 1) % self.config.training.validate_every == 0
        )
        if self.validation is not None and validating:
            began = time.monotonic()
            progress.scores = all_scores(self.reader(), self.validation, self.validation_photos)
            is_best = progress.scores["exact"] > progress.best
            progress.best = max(progress.best, progress.scores["exact"])
            line |= progress.scores
            if is_best and self.config.training.keep_best:
                self._save_weights(BEST, progress.epoch + ended)
            line["validated_in"] = round(time.monotonic() - began, 1)
        add_line(self.folder / LOG, line)
        self.line = line
        if self.watch is not None:
            self.watch(self)
        self.say(" ".join(f"{name} {value}" for name, value in line.items()))

    def reader(self) -> Network:
        """The averaged weights as a network that reads."""
        if self._reading is None:
            plain = dataclasses.replace(self.config.network, reversed=False)
            # Its first weights are of no use, and must not take the dropout's random numbers: who
            # resumes builds it at another step.
            with torch.random.fork_rng(devices=[]):
                network = build_network(plain, self.vocabulary)
            self._reading = network.to(self.captured.device).eval()
        measured = self.config.training.norm_batches > 0
        if not measured or self._read_at != self.progress.step:
            self._reading.load_state_dict(self._average())
            if measured:
                measure_norms(self._reading, self._some_images())
            self._read_at = self.progress.step
        return self._reading

    def averaged(self) -> dict[str, torch.Tensor]:
        """Averaged weights and batch norm's statistics, by their names, without the reversed."""
        if not self.config.training.norm_batches:
            return self._average()
        return dict(self.reader().state_dict())

    def _average(self) -> dict[str, torch.Tensor]:
        """The same with the average of running statistics."""
        captured = self.captured
        tensors = dict(captured.flat.tensors(captured.optimiser.average))
        start = 0
        for name, buffer in captured.network.named_buffers():
            tensors[name] = captured.running_ema[start : start + buffer.numel()]
            start += buffer.numel()
        return {name: t for name, t in tensors.items() if not name.startswith("reversed.")}

    def _some_images(self) -> Iterator[Images]:
        """Batches of the current samples, as they are."""
        plan = self.plan(self.progress.epoch)
        rng = epoch_rng(self.config.training.seed, self.progress.epoch)
        wanted = min(self.config.training.norm_batches, len(plan))
        device = self.captured.device
        for place in rng.choice(len(plan), wanted, replace=False).tolist():
            samples = plan[place].samples
            table = torch.from_numpy(self.train.image_table(samples, len(samples)))
            yield self.train.unpack_images(table.to(device), plan[place].bucket)

    def save(self) -> None:
        if not self.ranks.first:
            return
        self._save_weights(WEIGHTS, self.progress.epoch)
        save_checkpoint(self.folder / STATE, self.captured, self.progress, self.config)

    def _save_weights(self, name: str, epochs: int) -> None:
        progress = self.progress
        trained = stage_record(
            self.config, progress.scores, epochs, progress.seconds, progress.samples
        )
        facts = {
            **trained,
            "finished": self.schedule.done(self._position(), progress.seconds) >= 1.0,
            "stages": [*self.stages_before, trained],
        }
        save_weights(
            self.folder / name,
            self.averaged(),
            self.config.network,
            self.vocabulary,
            facts,
        )
