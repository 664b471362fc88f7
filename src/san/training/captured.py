"""One training step, eager or as captured CUDA graphs.

- A step is three programs: the encoder (one a bucket); both decoders, there and back (one for each
  bucket, number of levels and of slots); the encoder's way back and the update (one a bucket).
  Captured, each is one launch instead of hundreds.
- SAN-GS goes step by step: its levels are steps of the traversal, and its slots are the images.
- Everything that differs from step to step lies in one vector on the device, filled by one copy.
- Whatever a program meets for the first time runs eagerly (libraries plan, kernels compile), and
  that is a training step like any other; the second time it is captured.
- Without a GPU the plain network runs instead, eagerly.
- Among several ranks the third program ends with the gradients; they are summed over the ranks, and
  the update follows eagerly.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from san.errors import SanError
from san.model.torch.batch import Batch
from san.model.torch.encoder import Norm
from san.model.torch.losses import losses
from san.model.torch.network import SAN
from san.training.buckets import Bucket, Planned, images_in, round_up
from san.training.config import TrainingConfig
from san.training.corpus import Stock
from san.training.flat import FlatParameters
from san.training.optimiser import Optimiser
from san.training.ranks import ALONE, Ranks

HEAD = 16  # numbers before the pictures: seed, then floats
RING = 16  # copies under way at most


class Key(NamedTuple):
    bucket: Bucket
    levels: int
    slots: int
    most: int = 0  # steps of one image, where the network has a glance


class Program:
    """Owns the weights while they are trained. `losses` adds up what steps come to."""

    def __init__(
        self,
        network: SAN,
        corpus: Stock,
        config: TrainingConfig,
        levels: list[int],
        device: torch.device,
        capture: bool = True,
        fused: bool | None = None,
        ranks: Ranks = ALONE,
    ) -> None:
        self.walk = network.config.coverage == "all"
        if self.walk and network.reversed is not None:
            raise SanError('network.reversed: with network.coverage = "all" it must be false')
        self.network, self.corpus, self.config = network.to(device).train(), corpus, config
        self.device, self.levels, self.ranks = device, levels, ranks
        on_gpu = device.type == "cuda"
        self.fused = on_gpu if fused is None else fused  # else Triton interprets: for tests
        self.capture = capture and on_gpu
        low = config.precision == "bf16" and on_gpu
        self.kind = torch.bfloat16 if low else torch.float32
        self.flat = FlatParameters(network, self.kind)
        self.optimiser = Optimiser(self.flat, config)
        norms = [module for module in network.modules() if isinstance(module, Norm)]
        if self.fused:
            from san.model.kernels.norm import NormStore

            self.store = NormStore(norms)
            self.running = self.store.running
            self.side = torch.cuda.Stream() if on_gpu else None
        else:
            self.running = _join_running(norms)
        self.running_average = self.running.clone()
        self.losses = torch.zeros(7, device=device)  # five losses, gradient norm, batches
        self.with_attention = config.attention_loss > 0 or config.attention_loss_end > 0
        self.encoder_names = [n for n in self.flat.names if n.startswith("encoder.")]
        self.decoder_names = [n for n in self.flat.names if not n.startswith("encoder.")]
        self.inputs = torch.zeros(1, dtype=torch.int32, device=device)
        self._host: list[Tensor] = []
        self._events: list[Any] = []
        self._turn = 0
        self._met: set[Any] = set()
        self._encoders: dict[Bucket, _Encoded] = {}
        self._decoders: dict[Key, torch.cuda.CUDAGraph] = {}
        self._pools: tuple[Any, Any] | None = None

    # What a step is given ----------------------------------------------------------------------

    def key(self, planned: Planned) -> Key:
        """The shapes of a batch, rounded up so that few programs serve all."""
        if self.walk:
            longest = int(self.corpus.extent.steps[planned.places].max())
            return Key(planned.bucket, round_up(longest, self.levels), self._images(planned.bucket))
        counts = [own.counts for place in planned.places if (own := self.corpus.levels[place])]
        depth = max(len(count) for count in counts)
        widths = np.zeros(depth, np.int64)
        for count in counts:
            widths[: len(count)] += count
        room = _room(int(widths.max()), self._images(planned.bucket))
        most = (
            max(int(count.sum()) for count in counts) if self.network.config.fine_attention else 0
        )
        return Key(planned.bucket, round_up(depth, self.levels), room, _rounded(most))

    def _images(self, bucket: Bucket) -> int:
        return images_in(bucket, self.config.batch_size)

    def _vector(self, planned: Planned, key: Key, head: NDArray[np.int32]) -> NDArray[np.int32]:
        from san.model.kernels.tables import Shape, pack

        batch = self._images(planned.bucket)
        trees = [own for place in planned.places if (own := self.corpus.levels[place])]
        arrays = self.network.slots(trees, key.levels, key.slots)
        self._disturb(arrays["partner"], int(head[0]))
        where = self.corpus.where(planned.places, batch)
        tables = pack(arrays, Shape(batch, key.levels, key.slots, self.walk))
        return np.concatenate((head, where.ravel(), tables))

    def _disturb(self, partner: NDArray[Any], seed: int) -> None:
        """Some partners become another symbol: a step must not trust what was written too much."""
        if self.config.partner_noise > 0:
            rng = np.random.default_rng((self.config.seed, seed))
            symbols = len(self.corpus.vocabulary.symbols)
            wrong = rng.random(partner.shape) < self.config.partner_noise
            wrong &= partner < 2 + symbols
            partner[wrong] = rng.integers(2, 2 + symbols, int(wrong.sum()))

    def _send(self, vector: NDArray[np.int32]) -> None:
        assert len(vector) <= len(self.inputs), "there must be room for the largest batch"
        if self.device.type != "cuda":
            self.inputs[: len(vector)] = torch.from_numpy(vector)
            return
        turn = self._turn % RING
        self._turn += 1
        if len(self._events) == RING:
            self._events[turn].synchronize()
        else:
            self._events.append(torch.cuda.Event())
            self._host.append(torch.zeros(len(self.inputs), dtype=torch.int32).pin_memory())
        host = self._host[turn][: len(vector)]
        host.numpy()[:] = vector
        self.inputs[: len(vector)].copy_(host, non_blocking=True)
        self._events[turn].record()

    def reserve(self, widest: int) -> None:
        """Room for the vector of any batch; before the first step. `widest`: steps in a level."""
        from san.model.kernels.tables import Shape

        most = 0
        for batch in range(4, self.config.batch_size + 1, 4):
            slots = batch if self.walk else _room(batch * widest, batch)
            most = max(most, 3 * batch + Shape(batch, max(self.levels), slots).length)
        self.inputs = torch.zeros(HEAD + most, dtype=torch.int32, device=self.device)

    def _floats(self) -> Tensor:
        """Learning rate, decay of the EMA, the step's number, the attention loss's weight."""
        return self.inputs[1:5].view(torch.float32)

    def _pixels(self, bucket: Bucket) -> tuple[Tensor, Tensor]:
        batch = self._images(bucket)
        where = self.inputs[HEAD : HEAD + 3 * batch].view(3, batch)
        return self.corpus.pixels(where, bucket, self.kind)

    # The three parts of a step -----------------------------------------------------------------

    def _encode(self, bucket: Bucket) -> tuple[tuple[Tensor, ...], Tensor]:
        """The decoders' maps: features, and finer ones where there is a glance. And the mask."""
        from san.model.kernels.encoder import encode_rows

        images, mask = self._pixels(bucket)
        maps = encode_rows(self.network.encoder, self.store, images, mask, self.inputs[:1])
        return maps if self.network.config.fine_attention else maps[:1], mask

    def _decode(self, key: Key, maps: tuple[Tensor, ...], mask: Tensor) -> tuple[Tensor, ...]:
        """Both decoders there and back; returns the gradients of the maps."""
        from san.model.kernels.network import run_down, run_up
        from san.model.kernels.tables import Shape, unpack

        network, batch = self.network, self._images(key.bucket)
        shape = Shape(batch, key.levels, key.slots, self.walk)
        start = HEAD + 3 * batch
        tables = unpack(self.inputs[start : start + shape.length], shape)
        leaves = [own.detach().requires_grad_() for own in maps]
        leaf, fine = leaves[0], leaves[1] if len(leaves) > 1 else None
        up = None
        if network.reversed is not None and self.side is not None:
            # The two decoders know nothing of each other: they run side by side.
            self.side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(self.side):
                up = run_up(network.reversed, leaf, mask, tables, network.start)
        elif network.reversed is not None:
            up = run_up(network.reversed, leaf, mask, tables, network.start)
        down = run_down(network.decoder, leaf, mask, tables, fine, key.most)
        if up is not None and self.side is not None:
            torch.cuda.current_stream().wait_stream(self.side)
        batched = Batch(
            images=mask, mask=mask, image=tables.down.image, parent=tables.above,
            partner=tables.partner, edge=tables.edge, target=tables.target,
            relations=tables.relations, weight=tables.weight, share=tables.share,
            box=tables.box,
        )  # fmt: skip
        found = losses(batched, down, up, self.with_attention)
        self.losses[:5].add_(torch.stack([part.detach() for part in found]))
        wanted = [network.get_parameter(name) for name in self.decoder_names]
        total = found.total(self._floats()[3])
        gradients = torch.autograd.grad(total, [*leaves, *wanted])
        self.flat.collect(self.decoder_names, gradients[len(leaves) :])
        return gradients[: len(leaves)]

    def _finish(self, maps: tuple[Tensor, ...], gradients: tuple[Tensor, ...]) -> None:
        """The encoder's backward, and the update where no other rank has a say in it."""
        wanted = [self.network.get_parameter(name) for name in self.encoder_names]
        found = torch.autograd.grad(maps, wanted, gradients)
        self.flat.collect(self.encoder_names, found)
        if self.ranks.world == 1:
            self._update(self._floats()[:3])

    def _meet(self, share: float) -> None:
        """Gradients and running statistics become the ranks' weighted mean, the same for all."""
        for vector in (self.flat.gradient, self.running):
            if share:
                vector.mul_(share)
            else:
                vector.zero_()  # whatever lies there, even if it is no number
            self.ranks.add(vector)

    def _update(self, rates: Tensor, counted: bool = True) -> None:
        norm = self.optimiser.step(rates, self.fused)
        self.running_average.lerp_(self.running, 1 - rates[1])
        if counted:
            self.losses[5] += norm
            self.losses[6] += 1

    # Running them ------------------------------------------------------------------------------

    def step(
        self,
        planned: Planned | None,
        seed: int,
        rate: float,
        count: int,
        share: float = 1.0,
        attention_weight: float = 0.0,
    ) -> None:
        """One training step; `count` is its number, from 1.

        `share` is what this batch weighs among those of all ranks; a rank without a batch has none.
        `attention_weight` is the attention loss's.
        """
        # Early averages must not remember the beginning for long.
        keep = min(self.config.ema, count / (count + 9))
        head = _head(seed, rate, keep, count, attention_weight)
        if planned is None:
            if self.fused:
                self._send(head)
        elif self.fused:
            self._fused(planned, head)
        else:
            self._plain(planned, seed, attention_weight)
        if self.fused and self.ranks.world == 1:
            return  # its last program has made the update
        if self.ranks.world > 1:
            self._meet(share)
        if self.fused:
            rates = self._floats()[:3]
        else:
            rates = torch.tensor([rate, keep, float(count)], device=self.device)
        self._update(rates, planned is not None)

    def _fused(self, planned: Planned, head: NDArray[np.int32]) -> None:
        key = self.key(planned)
        self._send(self._vector(planned, key, head))
        if not self.capture:
            maps, mask = self._encode(key.bucket)
            self._finish(maps, self._decode(key, maps, mask))
            return
        if key.bucket not in self._encoders:
            if key.bucket not in self._met:
                self._met.add(key.bucket)
                maps, mask = self._encode(key.bucket)
                self._finish(maps, self._decode(key, maps, mask))
                return
            self._encoders[key.bucket] = self._capture_encoder(key.bucket)
        encoded = self._encoders[key.bucket]
        if key not in self._decoders:
            self._decoders[key] = self._capture_decoder(key, encoded)
        encoded.forward.replay()
        self._decoders[key].replay()
        encoded.backward.replay()

    def _capture(self, work: Callable[[], Any], pool: Any) -> tuple[torch.cuda.CUDAGraph, Any]:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool, capture_error_mode="thread_local"):
            result = work()
        return graph, result

    def _pool(self, which: int) -> Any:
        if self._pools is None:
            self._pools = (torch.cuda.graph_pool_handle(), torch.cuda.graph_pool_handle())
        return self._pools[which]

    def _capture_encoder(self, bucket: Bucket) -> "_Encoded":
        torch.cuda.synchronize()
        forward, (maps, mask) = self._capture(lambda: self._encode(bucket), self._pool(0))
        gradients = tuple(torch.zeros_like(own) for own in maps)
        backward, _ = self._capture(lambda: self._finish(maps, gradients), self._pool(0))
        # What forward saved has been given back to the pool; the next bucket may use it again,
        # for a step runs forward and backward of one bucket before it turns to another.
        return _Encoded(forward, backward, tuple(own.detach() for own in maps), mask, gradients)

    def _capture_decoder(self, key: Key, encoded: "_Encoded") -> torch.cuda.CUDAGraph:
        torch.cuda.synchronize()

        def work() -> None:
            found = self._decode(key, encoded.maps, encoded.mask)
            torch._foreach_copy_(encoded.gradients, found)

        return self._capture(work, self._pool(1))[0]

    def _plain(self, planned: Planned, seed: int, attention_weight: float) -> None:
        places, size = planned.places, self._images(planned.bucket)
        trees = [own for place in places if (own := self.corpus.levels[place])]
        where = torch.from_numpy(self.corpus.where(places, size)).to(self.device)
        images, mask = self.corpus.pixels(where, planned.bucket)
        columns = self.network.slots(trees)
        self._disturb(columns["partner"], seed)
        batch = Batch(
            images, mask, **{k: torch.from_numpy(v).to(self.device) for k, v in columns.items()}
        )
        down, up = self.network(batch)
        found = losses(batch, down, up, self.with_attention)
        self.losses[:5].add_(torch.stack([part.detach() for part in found]))
        gradients = torch.autograd.grad(found.total(attention_weight), list(self.flat.parameters))
        self.flat.collect(self.flat.names, gradients)


class _Encoded(NamedTuple):
    forward: torch.cuda.CUDAGraph
    backward: torch.cuda.CUDAGraph
    maps: tuple[Tensor, ...]
    mask: Tensor
    gradients: tuple[Tensor, ...]


def _head(
    seed: int, rate: float, keep: float, count: int, attention_weight: float
) -> NDArray[np.int32]:
    head = np.zeros(HEAD, np.int32)
    head[0] = seed
    head[1:5].view(np.float32)[:] = rate, keep, count, attention_weight
    return head


def _room(width: int, images: int) -> int:
    """Slots for so many steps of a level: 1.5, 2, 3, 4, 6, ... times the images."""
    room = images * 3 // 2
    while room < width:
        room = room * 4 // 3 if room & (room - 1) else room * 3 // 2
    return -(-room // 4) * 4


def _rounded(steps: int) -> int:
    """32, 64, 128, ...: few programs, and products of sizes that are fast. None stays none."""
    return max(32, 1 << (steps - 1).bit_length()) if steps else 0


def _join_running(norms: list[Norm]) -> Tensor:
    """Running means and variances of all norms in one vector; the modules keep views of it."""
    joined = torch.cat([part for norm in norms for part in (norm.running_mean, norm.running_var)])
    start = 0
    for norm in norms:
        size = norm.running_mean.numel()
        norm.running_mean = joined[start : start + size]
        norm.running_var = joined[start + size : start + 2 * size]
        start += 2 * size
    return joined
