"""The network on ONNX Runtime, as an engine for `san.decoding`.

- The graphs are made in memory from the weights file, in a moment: one copy of the numbers.
- The encoder may use several threads, a step never: its few numbers are not worth waking others.
  Threads do not spin while they wait, so that several callers can share the cores.
- Large images are encoded one at a time, whichever thread asks: each takes some 500 bytes a pixel,
  and all the cores anyway.
- Each image is encoded alone, on the cells that it touches: no time goes into empty canvas, and a
  reading does not depend on the images beside it.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from copy import copy
from pathlib import Path
from threading import Lock
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Floats, Memory, Outcome
from san.errors import SanError
from san.grammar.tree import Relation
from san.grammar.vocabulary import Vocabulary
from san.model.onnx.models import ENCODER, STEP, Models, build_models
from san.model.onnx.runtime import onnxruntime
from san.model.spec import STRIDE

LARGE_PIXELS = 1 << 17
"""Two in a hundred of CROHME's images are larger."""
MAX_STEP_CELLS = 1 << 14
"""Steps times cells of their image that are computed in one call: each takes some 8 kilobytes. Only
a wide tree on a large picture has more."""


class Encoded(NamedTuple):
    """One image."""

    features: Floats  # L x C
    keys: Floats  # A x L
    rows: int
    columns: int
    fine: Mapping[str, Floats]  # of the fine attention, by their names in the graphs


class Session(Protocol):
    """A model that is ready to run."""

    def run(
        self, outputs: Sequence[str], inputs: Mapping[str, NDArray[np.generic]]
    ) -> list[Floats]: ...


class OnnxEngine:
    """Reads on the CPU. `threads` 0 takes all cores. Several threads may use it at once."""

    def __init__(self, weights: Path | bytes | Models, threads: int = 0) -> None:
        models = weights if isinstance(weights, Models) else build_models(weights)
        self._vocabulary = models.vocabulary
        lie_at = f"{models.folder}/" if models.folder else ""
        self._encoder = self._start(models.encoder, threads, f"{lie_at}{ENCODER}")
        self._step = self._start(models.step, 1, f"{lie_at}{STEP}")
        self._hidden = models.hidden
        self._fine = ("fine", "fine_keys") if models.fine_attention else ()
        self._alone = Lock()  # a large image is being encoded
        self._starting = Lock()
        self._model = models.encoder
        self._single: OnnxEngine | None = None

    def _start(self, model: bytes, threads: int, name: str = ENCODER) -> Session:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 4  # what matters is raised; the terminal is the caller's
        try:
            session: Session = onnxruntime.InferenceSession(
                model, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # of a class that its binding keeps to itself
            line = " ".join(str(error).split())[:200]
            raise SanError(f"{name}: ONNX Runtime takes no such model ({line})") from None
        return session

    def on_one_core(self) -> "OnnxEngine":
        """The same network, for callers who have an image for each core: less work in all."""
        with self._starting:
            if self._single is None:
                self._single = copy(self)
                self._single._encoder = self._start(self._model, 1)
            return self._single

    @property
    def vocabulary(self) -> Vocabulary:
        return self._vocabulary

    def encode(self, images: Sequence[NDArray[np.generic]]) -> Memory:
        """Images of any size, ink 1 on 0."""
        content: list[Encoded] = []
        hidden = np.zeros((len(images), self._hidden), np.float32)
        for number, image in enumerate(images):
            pixels = _on_cells(image)
            with self._alone if pixels.size > LARGE_PIXELS else nullcontext():
                wanted = ("features", "keys", "init_state", *self._fine)
                features, keys, init_state, *fine = _run(self._encoder, wanted, {"image": pixels})
            rows, columns = pixels.shape[2] // STRIDE, pixels.shape[3] // STRIDE
            fine_inputs = dict(zip(self._fine, fine, strict=True))
            content.append(Encoded(features, keys, rows, columns, fine_inputs))
            hidden[number] = init_state[0]
        rows = max((encoded.rows for encoded in content), default=0)
        columns = max((encoded.columns for encoded in content), default=0)
        return Memory(content, hidden, np.zeros((len(images), rows, columns), np.float32))

    def alone(self, memory: Memory, number: int) -> Memory:
        """One image of several, as if it had been encoded by itself."""
        encoded: Encoded = memory.content[number]
        only = slice(number, number + 1)
        path = memory.path[only, : encoded.rows, : encoded.columns]
        return Memory([encoded], memory.hidden[only], path)

    def step(
        self,
        memory: Memory,
        image: NDArray[np.int64],
        hidden: Floats,
        path: Floats,
        partner: NDArray[np.int64],
    ) -> Outcome:
        """N steps at once; those of one image are one call, unless that takes too much memory."""
        if len(memory.content) == 1 and path.size <= MAX_STEP_CELLS:  # by far the most frequent
            return self._step_one_image(memory.content[0], hidden, path, partner)
        targets, relations = len(self.vocabulary.targets), len(Relation)
        outcome = Outcome(
            np.empty((len(image), targets), np.float32),
            np.empty((len(image), relations), np.float32),
            np.empty_like(hidden),
            np.zeros_like(path),
        )
        for number in np.unique(image):
            encoded: Encoded = memory.content[number]
            every = np.flatnonzero(image == number)
            calls = -(-len(every) * encoded.rows * encoded.columns // MAX_STEP_CELLS)
            for slots in np.array_split(every, min(calls, len(every))):
                cells = slots, slice(encoded.rows), slice(encoded.columns)
                part = self._step_one_image(encoded, hidden[slots], path[cells], partner[slots])
                outcome.symbols[slots], outcome.relations[slots], outcome.hidden[slots] = part[:3]
                outcome.path[cells] = part.path
        return outcome

    def _step_one_image(
        self, encoded: Encoded, hidden: Floats, path: Floats, partner: NDArray[np.int64]
    ) -> Outcome:
        inputs: dict[str, NDArray[np.generic]] = {
            "features": encoded.features,
            "keys": encoded.keys,
            "hidden": hidden,
            "path": path,
            "partner": partner,
            **encoded.fine,
        }
        return Outcome(
            *_run(self._step, ("symbols", "relations", "next_hidden", "next_path"), inputs)
        )


def _run(
    session: Session, outputs: Sequence[str], inputs: Mapping[str, NDArray[np.generic]]
) -> list[Floats]:
    try:
        return session.run(outputs, inputs)
    except Exception as error:  # of a class that its binding keeps to itself
        if "allocate" in str(error):
            raise MemoryError from None
        raise


def _on_cells(image: NDArray[np.generic]) -> Floats:
    """The image on exactly the cells that it touches: 1 x 1 x H x W."""
    height, width = image.shape
    cells = (max(-(-height // STRIDE), 1), max(-(-width // STRIDE), 1))
    pixels = np.zeros((1, 1, STRIDE * cells[0], STRIDE * cells[1]), np.float32)
    pixels[0, 0, :height, :width] = image
    return pixels
