"""One training step, eager or as captured CUDA graphs.

- A step is three graphs: the encoder's forward (one a bucket); both decoders, forward and backward
  (one for each bucket, number of levels and of slots); the encoder's backward and the update (one a
  bucket). Captured, each is one launch instead of hundreds.
- All but SAN are sequential: levels are steps of the traversal, and slots are the images. SAN,
  SAN-GS and DWAP have fused decoders; those of the others are captured as torch runs them.
- Everything that differs from step to step lies in one vector on the device, filled by one copy.
- A shape that comes for the first time runs eagerly (libraries plan, kernels compile), which is a
  training step like any other; the second time it is captured.
- Without a GPU the plain network runs instead, eagerly.
- Among several ranks the third graph ends with the gradients; they are summed over the ranks, and
  the update follows eagerly.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from san.errors import SanError
from san.model.torch.base import Network
from san.model.torch.batch import Batch, DecoderOutput
from san.model.torch.cuda import stream_with_workspace
from san.model.torch.losses import LossOptions
from san.model.torch.masked_norm import Norm, join_running
from san.model.torch.network import SAN
from san.training.batching import Bucket, PlannedBatch
from san.training.chunks import BOXED_KINDS
from san.training.config import TrainingConfig
from san.training.dataset import TABLE_ROWS, Dataset
from san.training.device_vector import DeviceVector
from san.training.distributed import ALONE, Ranks
from san.training.frozen import freeze
from san.training.optimiser import FlatParameters, Optimiser
from san.training.step_input import StepInput
from san.training.step_shape import HEADER, StepShape, step_header

if TYPE_CHECKING:  # Triton, which is not everywhere
    from san.model.kernels.tree_tables import Tables


class CapturedStep:
    """Owns the weights while they are trained. `losses` are summed over the steps."""

    def __init__(
        self,
        network: Network,
        dataset: Dataset,
        config: TrainingConfig,
        levels: list[int],
        device: torch.device,
        capture: bool = True,
        fused: bool | None = None,
        ranks: Ranks = ALONE,
    ) -> None:
        kind = network.config.kind
        self.sequential = kind != "san"
        if self.sequential and network.config.reversed:
            raise SanError(f'network.reversed: with network.kind = "{kind}" it must be false')
        with_attention = config.attention_loss > 0 or config.attention_loss_end > 0
        if with_attention and kind not in BOXED_KINDS:
            raise SanError(f'training.attention_loss: with network.kind = "{kind}" it must be 0')
        self.network, self.dataset, self.config = network.to(device).train(), dataset, config
        self.device, self.levels, self.ranks = device, levels, ranks
        on_gpu = device.type == "cuda"
        self.fused = on_gpu if fused is None else fused  # else Triton interprets: for tests
        self.capture = capture and on_gpu
        low = config.precision == "bf16" and on_gpu and network.trains_in_bf16
        self.kind = torch.bfloat16 if low else torch.float32
        frozen = freeze(network, config.frozen)
        if frozen and self.fused:
            raise SanError("training.frozen: only without a GPU, with --device cpu")
        self.flat = FlatParameters(network, self.kind)
        self.trained = [name for name in self.flat.names if name not in frozen]
        self.optimiser = Optimiser(self.flat, config)
        norms = [module for module in network.modules() if isinstance(module, Norm)]
        if self.fused:
            from san.model.kernels.batch_norm import NormStore

            self.store = NormStore(norms)
            self.running = self.store.running
            self.side = torch.cuda.Stream() if on_gpu else None
        else:
            self.running = join_running(norms)
        self.running_ema = self.running.clone()
        self.losses = torch.zeros(7, device=device)  # five losses, gradient norm, batches
        self.loss_options = LossOptions(
            with_attention=with_attention,
            label_smoothing=config.label_smoothing,
            relation_steps=config.relation_steps,
            divergence=config.divergence,
            steps=config.batch_size * config.steps_per_image,
        )
        self.encoder_names = [n for n in self.flat.names if n.startswith("encoder.")]
        self.decoder_names = [n for n in self.flat.names if not n.startswith("encoder.")]
        self.given = StepInput(network, dataset, config, levels)
        self._numbers = DeviceVector(1, device)
        self._seen: set[Any] = set()
        self._stream: torch.cuda.Stream | None = None
        self._encoders: dict[Bucket, _EncoderGraphs] = {}
        self._decoders: dict[StepShape, torch.cuda.CUDAGraph] = {}
        self._pools: tuple[Any, Any] | None = None

    # What a step is given ----------------------------------------------------------------------

    @property
    def inputs(self) -> Tensor:
        return self._numbers.values

    def shape(self, planned: PlannedBatch) -> StepShape:
        """The shapes of a batch."""
        return self.given.shape(planned)

    def reserve(self, widest: int) -> None:
        """Allocate the largest batch's vector. `widest`: most steps in a level of a tree."""
        length = self.given.length(widest)
        if length > len(self.inputs):  # else captured graphs would read what is no longer there
            self._numbers = DeviceVector(length, self.device)

    def _floats(self) -> Tensor:
        """Learning rate, decay of the EMA, the step's number, the attention loss's weight."""
        return self.inputs[1:5].view(torch.float32)

    def _pixels(self, bucket: Bucket) -> tuple[Tensor, Tensor]:
        batch = self.given.images(bucket)
        rows = self.inputs[HEADER : HEADER + self.given.image_rows * batch].view(-1, batch)
        warp = rows[TABLE_ROWS:].view(torch.float32) if len(rows) > TABLE_ROWS else None
        return self.dataset.unpack_images(rows[:TABLE_ROWS], bucket, self.kind, warp, fused=True)

    # The three parts of a step -----------------------------------------------------------------

    def _encode(self, bucket: Bucket) -> tuple[tuple[Tensor, ...], Tensor]:
        """The decoders' feature maps, finer ones too for the fine attention; and the mask."""
        from san.model.kernels.encoder import encode_rows

        images, mask = self._pixels(bucket)
        maps = encode_rows(self.network.encoder, self.store, images, mask, self.inputs[:1])
        return maps if self.network.config.fine_attention else maps[:1], mask

    def _decode(
        self, shape: StepShape, maps: tuple[Tensor, ...], mask: Tensor
    ) -> tuple[Tensor, ...]:
        """Both decoders, forward and backward; returns the gradients of the maps."""
        from san.model.kernels.tree_tables import TableShape, unpack

        network, batch = self.network, self.given.images(shape.bucket)
        layout = TableShape(batch, shape.levels, shape.slots, self.sequential)
        start = HEADER + self.given.image_rows * batch
        tables = unpack(self.inputs[start : start + layout.length], layout)
        leaves = [feature_map.detach().requires_grad_() for feature_map in maps]
        batched = Batch(
            images=mask, mask=mask, image=tables.forward.image, parent=tables.above,
            partner=tables.partner, edge=tables.edge, target=tables.target,
            relations=tables.relations, weight=tables.weight, share=tables.share,
            box=tables.box,
        )  # fmt: skip
        if isinstance(network, SAN):
            forward_run, reversed_run = self._run_fused(network, leaves, mask, tables, shape)
        else:
            forward_run, reversed_run = network.run(leaves[0].permute(0, 3, 1, 2), None, batched)
        parts = network.losses(batched, forward_run, reversed_run, self.loss_options)
        self.losses[:5].add_(torch.stack([part.detach() for part in parts]))
        wanted = [network.get_parameter(name) for name in self.decoder_names]
        total = parts.total(self._floats()[3])
        gradients = torch.autograd.grad(total, [*leaves, *wanted])
        self.flat.collect(self.decoder_names, gradients[len(leaves) :])
        return gradients[: len(leaves)]

    def _run_fused(
        self,
        network: SAN,
        maps: Sequence[Tensor],
        mask: Tensor,
        tables: "Tables",
        shape: StepShape,
    ) -> tuple[DecoderOutput, DecoderOutput | None]:
        from san.model.kernels.decoders import decode_forward, decode_reversed

        features, fine = maps[0], maps[1] if len(maps) > 1 else None

        def run_reversed() -> DecoderOutput | None:
            if network.reversed is None:
                return None
            return decode_reversed(network.reversed, features, mask, tables, network.start)

        if self.side is None:
            reversed_run = run_reversed()
        else:
            # The two decoders do not depend on each other: they run side by side.
            self.side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(self.side):
                reversed_run = run_reversed()
        run = decode_forward(network.decoder, features, mask, tables, fine, shape.max_steps)
        if self.side is not None:
            torch.cuda.current_stream().wait_stream(self.side)
        return run, reversed_run

    def _finish(self, maps: tuple[Tensor, ...], gradients: tuple[Tensor, ...]) -> None:
        """The encoder's backward, and the update where no other rank has a say in it."""
        wanted = [self.network.get_parameter(name) for name in self.encoder_names]
        of_weights = torch.autograd.grad(maps, wanted, gradients)
        self.flat.collect(self.encoder_names, of_weights)
        if self.ranks.world == 1:
            self._update(self._floats()[:3])

    def _reduce(self, share: float) -> None:
        """Gradients and running statistics become the ranks' weighted mean, the same for all."""
        for vector in (self.flat.gradient, self.running):
            if share:
                vector.mul_(share)
            else:
                vector.zero_()  # whatever lies there, even a NaN
            self.ranks.sum(vector)

    def _update(self, rates: Tensor, counted: bool = True) -> None:
        norm = self.optimiser.step(rates, self.fused)
        self.running_ema.lerp_(self.running, 1 - rates[1])
        if counted:
            self.losses[5] += norm
            self.losses[6] += 1

    # Running a step ---------------------------------------------------------------------------

    def step(
        self,
        planned: PlannedBatch | None,
        seed: int,
        rate: float,
        count: int,
        share: float = 1.0,
        attention_weight: float = 0.0,
        warped: bool = False,
    ) -> None:
        """One training step; `count` is its number, from 1.

        `share` is what this batch weighs among those of all ranks; a rank without a batch has none.
        `attention_weight` is the attention loss's. `warped` pictures were seen before, and are seen
        otherwise now.
        """
        # A smaller decay at first: the random initial weights soon leave the average.
        keep = min(self.config.ema, count / (count + 9))
        header = step_header(seed, rate, keep, count, attention_weight)
        if planned is None:
            if self.fused:
                self._numbers.send(header)
        elif self.fused:
            self._fused(planned, header, warped)
        else:
            self._eager(planned, seed, attention_weight, warped)
        if self.fused and self.ranks.world == 1:
            return  # its last graph has made the update
        if self.ranks.world > 1:
            self._reduce(share)
        if self.fused:
            rates = self._floats()[:3]
        else:
            rates = torch.tensor([rate, keep, float(count)], device=self.device)
        self._update(rates, planned is not None)

    def _fused(self, planned: PlannedBatch, header: NDArray[np.int32], warped: bool) -> None:
        shape = self.shape(planned)
        self._numbers.send(self.given.vector(planned, shape, header, warped))
        if not self.capture:
            maps, mask = self._encode(shape.bucket)
            self._finish(maps, self._decode(shape, maps, mask))
            return
        if shape.bucket not in self._encoders:
            if shape.bucket not in self._seen:
                self._seen.add(shape.bucket)
                maps, mask = self._encode(shape.bucket)
                self._finish(maps, self._decode(shape, maps, mask))
                return
            self._encoders[shape.bucket] = self._capture_encoder(shape.bucket)
        encoded = self._encoders[shape.bucket]
        if shape not in self._decoders:
            self._decoders[shape] = self._capture_decoder(shape, encoded)
        encoded.forward.replay()
        self._decoders[shape].replay()
        encoded.backward.replay()

    def _capture(self, work: Callable[[], Any], pool: Any) -> tuple[torch.cuda.CUDAGraph, Any]:
        graph = torch.cuda.CUDAGraph()
        if self._stream is None:
            self._stream = stream_with_workspace()
        with torch.cuda.graph(graph, pool, self._stream, capture_error_mode="thread_local"):
            result = work()
        return graph, result

    def _pool(self, which: int) -> Any:
        if self._pools is None:
            self._pools = (torch.cuda.graph_pool_handle(), torch.cuda.graph_pool_handle())
        return self._pools[which]

    def _capture_encoder(self, bucket: Bucket) -> "_EncoderGraphs":
        torch.cuda.synchronize()
        forward, (maps, mask) = self._capture(lambda: self._encode(bucket), self._pool(0))
        gradients = tuple(torch.zeros_like(feature_map) for feature_map in maps)
        backward, _ = self._capture(lambda: self._finish(maps, gradients), self._pool(0))
        # What forward saved is back in the pool; the next bucket may use it again, for a step runs
        # forward and backward of one bucket before another's.
        return _EncoderGraphs(
            forward, backward, tuple(feature_map.detach() for feature_map in maps), mask, gradients
        )

    def _capture_decoder(self, shape: StepShape, encoded: "_EncoderGraphs") -> torch.cuda.CUDAGraph:
        torch.cuda.synchronize()

        def work() -> None:
            gradients = self._decode(shape, encoded.maps, encoded.mask)
            torch._foreach_copy_(encoded.gradients, gradients)

        return self._capture(work, self._pool(1))[0]

    def _eager(
        self, planned: PlannedBatch, seed: int, attention_weight: float, warped: bool
    ) -> None:
        samples, size = planned.samples, self.given.images(planned.bucket)
        table = torch.from_numpy(self.dataset.image_table(samples, size)).to(self.device)
        columns, numbers = self.given.columns(planned, seed, warped)
        warp = None if numbers is None else torch.from_numpy(numbers).to(self.device)
        images, mask = self.dataset.unpack_images(table, planned.bucket, warp=warp)
        batch = Batch(
            images, mask, **{k: torch.from_numpy(v).to(self.device) for k, v in columns.items()}
        )
        forward_run, reversed_run = self.network(batch)
        parts = self.network.losses(batch, forward_run, reversed_run, self.loss_options)
        self.losses[:5].add_(torch.stack([part.detach() for part in parts]))
        wanted = [self.network.get_parameter(name) for name in self.trained]
        gradients = torch.autograd.grad(parts.total(attention_weight), wanted)
        self.flat.collect(self.trained, gradients)


class _EncoderGraphs(NamedTuple):
    forward: torch.cuda.CUDAGraph
    backward: torch.cuda.CUDAGraph
    maps: tuple[Tensor, ...]
    mask: Tensor
    gradients: tuple[Tensor, ...]
