"""What a training step is given: a batch as arrays, or all of it as one vector for the device."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from san.model.spec import EXTEND_TARGET
from san.model.torch.base import Network
from san.training.batching import Bucket, PlannedBatch, images_in, round_up
from san.training.config import TrainingConfig
from san.training.dataset import TABLE_ROWS, Dataset
from san.training.step_shape import HEADER, StepShape, round_slots, round_steps
from san.training.warp import WARP_NUMBERS, no_warp, random_warp, warped_boxes

FIRST_SYMBOL = EXTEND_TARGET + 1


class StepInput:
    """Makes them from the samples of a dataset.

    Args:
        network: whose language the trees are written in.
        dataset: the samples.
        config: batch size, noise, warps, seed.
        levels: the depths that are told apart.
    """

    def __init__(
        self, network: Network, dataset: Dataset, config: TrainingConfig, levels: list[int]
    ) -> None:
        self.network, self.dataset, self.config, self.levels = network, dataset, config, levels
        self.sequential = network.config.kind != "san"
        self.image_rows = TABLE_ROWS + (0 if config.warp.is_none else WARP_NUMBERS)

    def images(self, bucket: Bucket) -> int:
        return images_in(bucket, self.config.batch_size)

    def shape(self, planned: PlannedBatch) -> StepShape:
        """The shapes of a batch, rounded up so that few graphs serve all."""
        if self.sequential:
            longest = int(self.dataset.sample_sizes.steps[planned.samples].max())
            slots = self.images(planned.bucket)
            return StepShape(planned.bucket, round_up(longest, self.levels), slots)
        counts = [
            tree.counts for sample in planned.samples if (tree := self.dataset.levels[sample])
        ]
        depth = max(len(count) for count in counts)
        widths = np.zeros(depth, np.int64)
        for count in counts:
            widths[: len(count)] += count
        slots = round_slots(int(widths.max()), self.images(planned.bucket))
        steps = 0
        if self.network.config.fine_attention:
            steps = max(int(count.sum()) for count in counts)
        return StepShape(planned.bucket, round_up(depth, self.levels), slots, round_steps(steps))

    def columns(
        self, planned: PlannedBatch, seed: int, warped: bool, shape: StepShape | None = None
    ) -> tuple[dict[str, NDArray[Any]], NDArray[np.float32] | None]:
        """The trees of a batch as arrays, of any shape or of this; and how each image is seen, if
        not all are seen as they are."""
        trees = [tree for sample in planned.samples if (tree := self.dataset.levels[sample])]
        sizes = (shape.levels, shape.slots) if shape else ()
        arrays = self.network.slots(trees, *sizes)
        self._add_partner_noise(arrays["partner"], seed)
        if self.config.warp.is_none:
            return arrays, None
        warp = no_warp(self.images(planned.bucket))
        if warped:
            rng = np.random.default_rng((self.config.seed, seed, 1))
            own = self.dataset.sizes[planned.samples]
            warp[:, : len(own)] = random_warp(own, self.config.warp, rng)
            arrays["box"] = warped_boxes(arrays["box"], arrays["image"], warp)
        return arrays, warp

    def vector(
        self, planned: PlannedBatch, shape: StepShape, header: NDArray[np.int32], warped: bool
    ) -> NDArray[np.int32]:
        """Header, the pictures' table, their warps, the trees' tables."""
        from san.model.kernels.tree_tables import TableShape, pack

        batch = self.images(planned.bucket)
        arrays, warp = self.columns(planned, int(header[0]), warped, shape)
        pictures = [self.dataset.image_table(planned.samples, batch).ravel()]
        if warp is not None:
            pictures.append(warp.ravel().view(np.int32))
        tables = pack(arrays, TableShape(batch, shape.levels, shape.slots, self.sequential))
        return np.concatenate((header, *pictures, tables))

    def length(self, widest: int) -> int:
        """Of the largest batch's vector. `widest`: most steps in a level of a tree."""
        from san.model.kernels.tree_tables import TableShape

        length = 0
        for batch in range(4, self.config.batch_size + 1, 4):
            slots = batch if self.sequential else round_slots(batch * widest, batch)
            tables = TableShape(batch, max(self.levels), slots)
            length = max(length, self.image_rows * batch + tables.length)
        return HEADER + length

    def _add_partner_noise(self, partner: NDArray[Any], seed: int) -> None:
        """Replace some partners by other symbols, so that no step relies on its partner alone."""
        if self.config.partner_noise > 0:
            rng = np.random.default_rng((self.config.seed, seed))
            targets = len(self.dataset.vocabulary.targets)
            wrong = rng.random(partner.shape) < self.config.partner_noise
            wrong &= partner < targets
            partner[wrong] = rng.integers(FIRST_SYMBOL, targets, int(wrong.sum()))
