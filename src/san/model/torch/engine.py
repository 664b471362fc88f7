"""The network as an engine for `san.decoding`.

- What steps hand on to each other stays on the device. Scores go to the decoder, in one copy a
  depth; attention follows when all is read.
- `half` is for GPUs: the encoder, nine tenths of the arithmetic, folded and in half precision. The
  decoder stays in single precision, or errors would add up along a path; its attention is that of
  the training step's kernels, where Triton is at hand.
- Each depth has its price, however few steps it takes. Images that were encoded on canvases of
  different sizes are decoded as one frontier (`join`): larger grids cost less than more depths.
- A frontier may be wide: its steps run in parts that a GPU's memory holds.
- The host waits for the device once a depth, for the scores.
- `captured` is for many frontiers of the same shapes on a GPU: fine attention is fused as well, and
  from the second frontier on a depth is one launch (`san.model.torch.captured_steps`). That is
  1.2 times as many images, but of shapes that seldom come again capturing takes longer than it
  saves: it is for who asks (experiments/log.md, 36).
"""

from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from san.decoding.engine import Floats, Memory, Outcome
from san.errors import SanError
from san.grammar.vocabulary import Vocabulary
from san.model.torch.attention import Memory as Encoded
from san.model.torch.batch import canvas
from san.model.torch.captured_steps import CapturedSteps, Results, StepTensors
from san.model.torch.cuda import Capturer
from san.model.torch.encoder import Encoder
from san.model.torch.fine_attention import FineFeatures
from san.model.torch.folded import FoldedEncoder, fold_encoder
from san.model.torch.network import SAN
from san.model.torch.weights import load_san

if TYPE_CHECKING:  # Triton, which is not everywhere
    from san.model.kernels import reading as kernels

MAX_CELLS = 1 << 19
"""Grid cells of all steps that run at once: each takes some 10 KB."""


class OnDevice:
    """Numbers by slot, on the engine's device; `np.asarray` fetches them.

    `np.concatenate` joins them there: one large copy is fetched sooner than many small ones.
    """

    def __init__(self, rows: Tensor) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, slots: NDArray[np.int64] | slice | int | None) -> "OnDevice":
        if isinstance(slots, np.ndarray):
            chosen = torch.from_numpy(slots).to(self.rows.device, non_blocking=True)
            return OnDevice(self.rows.index_select(0, chosen))
        return OnDevice(self.rows[slots])

    def __sub__(self, other: "OnDevice") -> "OnDevice":
        return OnDevice(self.rows - other.rows)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        array = _fetched(self.rows)
        return array.astype(dtype or array.dtype, copy=bool(copy))

    def __array_function__(self, function: Any, types: Any, given: Any, options: Any) -> Any:
        if function is not np.concatenate or options or len(given) > 1:
            return NotImplemented
        return OnDevice(torch.cat([part.rows for part in given[0]]))


class TorchEngine:
    """Wraps a network; it is put into evaluation mode and runs without gradients."""

    def __init__(
        self,
        network: SAN,
        device: torch.device | str = "cpu",
        half: bool = False,
        captured: bool = False,
    ) -> None:
        self.network = network.to(device).eval()
        self.device = torch.device(device)
        self.encoder: Encoder | FoldedEncoder = (
            fold_encoder(network.encoder) if half else network.encoder
        )
        with torch.no_grad():
            self.coverage = network.decoder.attention.folded_coverage()
        self.fused: kernels.FusedAttentions | None = None
        self.captured: CapturedSteps | None = None
        if half and self.device.type == "cuda" and find_spec("triton") is not None:
            from san.model.kernels.reading import FusedAttentions

            self.fused = FusedAttentions(network.decoder)
            if captured:
                self.captured = CapturedSteps(self._part, Capturer(self.device), MAX_CELLS)

    @property
    def vocabulary(self) -> Vocabulary:
        return self.network.vocabulary

    def encode(
        self, images: Sequence[NDArray[np.generic]], size: tuple[int, int] = (0, 0)
    ) -> Memory:
        """Images of any size, ink 1 on 0, on one canvas of at least `size` pixels."""
        pixels, mask = canvas(images, size)
        return self.encode_canvas(torch.from_numpy(pixels), torch.from_numpy(mask))

    @torch.inference_mode()
    def encode_canvas(self, pixels: Tensor, mask: Tensor) -> Memory:
        """Images that lie on one canvas already: B x 1 x H x W, and the cells that each owns."""
        pixels, mask = (given.to(self.device, non_blocking=True) for given in (pixels, mask))
        features, fine = self.encoder.scales(pixels.float(), mask)
        return self._memory(self.network.decoder.memory(features, mask, fine))

    @torch.inference_mode()
    def join(self, memories: Sequence[Memory]) -> Memory:
        """The images of several memories as one: grids grow to the right and down, unowned."""
        every: list[Encoded] = [memory.content for memory in memories]
        rows, columns = (max(sides) for sides in zip(*(part.grid for part in every), strict=True))

        def grown(cells: Tensor, grid: tuple[int, int], times: int) -> Tensor:
            missing = (0, times * (columns - grid[1]), 0, times * (rows - grid[0]))
            apart = cells.unflatten(1, (times * grid[0], times * grid[1]))
            return functional.pad(apart, (0, 0) * (cells.dim() - 2) + missing).flatten(1, 2)

        def joined(parts: Sequence[Tensor], times: int = 1) -> Tensor:
            pairs = zip(parts, every, strict=True)
            return torch.cat([grown(part, memory.grid, times) for part, memory in pairs])

        features, keys, mask = map(joined, zip(*(part[:3] for part in every), strict=True))
        init_state = torch.cat([part.init_state for part in every])
        fines = [part.fine for part in every if part.fine is not None]
        fine = (
            FineFeatures(*(joined(parts, 2) for parts in zip(*fines, strict=True)))
            if fines
            else None
        )
        return self._memory(Encoded(features, keys, mask, init_state, (rows, columns), fine))

    @torch.inference_mode()
    def alone(self, memory: Memory, number: int) -> Memory:
        """One image of several, as if it had been encoded by itself."""
        content: Encoded = memory.content
        owned = content.mask[number].unflatten(0, content.grid).cpu().numpy()
        grid = int(owned.any(1).sum()), int(owned.any(0).sum())

        def cut(cells: Tensor, times: int = 1) -> Tensor:
            apart = cells[number].unflatten(0, (times * content.grid[0], times * content.grid[1]))
            own: Tensor = apart[None, : times * grid[0], : times * grid[1]]
            return own.flatten(1, 2)

        features, keys, mask = map(cut, content[:3])
        fine = content.fine and FineFeatures(*(cut(part, 2) for part in content.fine))
        state = content.init_state[number : number + 1]
        return self._memory(Encoded(features, keys, mask, state, grid, fine))

    def on_one_core(self) -> "TorchEngine":
        return self  # the device's cores are one, and torch's are the process's

    def _memory(self, content: Encoded) -> Memory:
        path = torch.zeros_like(content.mask, dtype=torch.float32).unflatten(1, content.grid)
        return Memory(content, OnDevice(content.init_state), OnDevice(path))

    @torch.inference_mode()
    def step(
        self,
        memory: Memory,
        image: NDArray[np.int64],
        hidden: OnDevice | Floats,
        path: OnDevice | Floats,
        partner: NDArray[np.int64],
    ) -> Outcome:
        states, paths = self._here(hidden), self._here(path)
        results = self.captured and self.captured.run(memory, image, states, paths, partner)
        scores, state, paths = results or self._in_parts(
            memory.content, image, partner, states, paths
        )
        targets = len(self.vocabulary.targets)
        symbols, relations = np.split(_fetched(scores), [targets], 1)
        return Outcome(symbols, relations, OnDevice(state), OnDevice(paths))

    def _in_parts(
        self,
        content: Encoded,
        image: NDArray[np.int64],
        partner: NDArray[np.int64],
        hidden: Tensor,
        path: Tensor,
    ) -> Results:
        images, partners = self._here(image), self._here(partner)
        every = StepTensors(images, partners, torch.ones_like(images), hidden, path)
        size = max(MAX_CELLS // path[0].numel(), 1)
        parts = [
            self._part(
                content,
                StepTensors(*(rows[start : start + size] for rows in every)),
                int(np.bincount(image[start : start + size]).max()),
            )
            for start in range(0, len(image), size)
        ]
        scores, states, paths = (
            column[0] if len(column) == 1 else torch.cat(column)
            for column in zip(*parts, strict=True)
        )
        return scores, states, paths

    def _part(self, content: Encoded, given: StepTensors, max_steps: int | None = None) -> Results:
        """No image has more steps here than `max_steps`, which captured steps need not know."""
        decoder = self.network.decoder
        past = given.path.flatten(1)
        embedded = decoder.embedding(given.partner)
        inputs = content, self.coverage, given.image, given.hidden, past, embedded
        fused = self.fused
        attention = None if fused is None else partial(fused.attention, used=given.used)
        output = decoder.step(*inputs, attention)
        if fused is None or self.captured is None:
            fine = decoder.fine_context(content, given.image, output, max_steps=max_steps)
        else:
            fine = fused.fine_context(content, given.image, output, given.used)
        heads = decoder.heads(embedded, output.state, output.context, fine)
        paths = (past + output.weights).view(given.path.shape)
        return torch.cat(heads, 1), output.state, paths

    def _here(self, rows: OnDevice | NDArray[np.generic]) -> Tensor:
        if isinstance(rows, OnDevice):
            return rows.rows
        return torch.from_numpy(rows).to(self.device, non_blocking=True)


def open_engine(weights: Path, device: str) -> TorchEngine:
    """The engine of a weights file on a device of torch; "auto" is a GPU where there is one. On a
    GPU the encoder computes in half precision."""
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    network = load_san(weights)
    try:
        return TorchEngine(network, device, half=device.startswith("cuda"))
    except (AssertionError, RuntimeError) as error:  # built without it; none there
        raise SanError(f"no device {device} ({str(error).partition(chr(10))[0]})") from None


def _fetched(rows: Tensor) -> NDArray[Any]:
    """On the host; from a GPU straight into memory that torch keeps for such copies."""
    if not rows.is_cuda:
        return rows.cpu().numpy()
    near = rows.to("cpu", non_blocking=True)
    torch.cuda.current_stream(rows.device).synchronize()
    return near.numpy()
