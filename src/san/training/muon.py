"""Muon: the momentum of a weight matrix, made orthogonal before it becomes a change.

- A matrix's change has singular values near one, whatever its gradient's were: directions that the
  gradient seldom shows move as far as the others. Changes are scaled by 0.2 sqrt(longer side), so
  that an element changes by a fifth of the learning rate, about as much as with AdamW.
- Kernels count as matrices (out x in * k * k). Matrices that are several in one are split: a GRU's
  by its gates, a transformer's into queries, keys and values.
- What is no map between features stays with AdamW: norms, biases, embeddings, heads, the stem, a
  single row.
- Matrices of about one size are filled up with zeros to one shape, lying down, and made orthogonal
  together: some twenty kernels for each of a few such groups. Zeros stay zeros, so that this
  changes nothing.
- Nothing is decided on the host: a captured step stays right.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import torch
from torch import Tensor

MOMENTUM = 0.95
ROUNDS = 5
QUINTIC = (3.4445, -4.7750, 2.0315)
"""Of x, x^3 and x^5: repeated, it takes all of (0, 1] near one, and small values there fast."""
SCALE = 0.2
ADAMW_MODULES = {"stem", "embedding", "symbol_head", "relation_head", "parent_head"}
SPLIT_MODULES = {"weight_ih": 3, "weight_hh": 3, "qkv": 3}
"""Words of a parameter's name, and how many matrices it is."""


class Group(NamedTuple):
    """Matrices of one padded shape, end to end in the stack."""

    begin: int
    shape: tuple[int, int, int]  # how many, rows, columns
    scales: Tensor  # one a matrix


class Muon:
    """Knows where the matrices of a network lie in its flat vectors.

    Args:
        places: of each parameter to train, where its elements are in a flat vector.
        like: a flat vector.
    """

    def __init__(self, places: Mapping[str, Tensor], like: Tensor) -> None:
        device = like.device
        # In float32 the rounds would take a GPU ten times as long; their result is rough anyway.
        self.precision = torch.bfloat16 if device.type == "cuda" else torch.float32
        classes: dict[tuple[int, bool], list[Tensor]] = defaultdict(list)
        for name, elements in places.items():
            for matrix in split_matrices(name, elements):
                rows, columns = matrix.shape
                # 3x3 kernels are long: with them, others would be mostly zeros.
                classes[_rounded(rows), columns > 4 * rows].append(matrix)
        sources, slots, size = [], [], 0
        self.groups: list[Group] = []
        for (rows, _), matrices in sorted(classes.items()):
            columns = -(-max(matrix.shape[1] for matrix in matrices) // 16) * 16
            grid = torch.arange(rows * columns).view(rows, columns)
            for number, matrix in enumerate(matrices):
                sources.append(matrix.flatten())
                inside = grid[: matrix.shape[0], : matrix.shape[1]].flatten()
                slots.append(size + number * rows * columns + inside)
            scales = torch.tensor([SCALE * matrix.shape[1] ** 0.5 for matrix in matrices])
            shape = (len(matrices), rows, columns)
            scales = scales[:, None, None].to(device, self.precision)
            self.groups.append(Group(size, shape, scales))
            size += len(matrices) * rows * columns
        none = torch.zeros(0, dtype=torch.int64)
        # Half as many bytes as with int64, and they are most of what is read.
        self.places = torch.cat([none, *sources]).to(device, torch.int32)  # in the flat vectors
        self.slots = torch.cat([none, *slots]).to(device, torch.int32)  # of the same, in the stack
        # What no slot names is zero for ever.
        self.stack = torch.zeros(size, device=device, dtype=self.precision)
        self.covered = torch.zeros_like(like)  # 1 where a matrix lies
        self.covered[self.places] = 1.0

    def turn(self, gradient: Tensor, momentum: Tensor, fused: bool = False) -> None:
        """Where matrices lie, the gradient becomes the change to be subtracted at rate 1."""
        if fused:
            from san.model.kernels.muon_stack import gather_matrices, scatter_matrices

            gather_matrices(gradient, momentum, self.places, self.slots, self.stack, MOMENTUM)
        else:
            fresh = gradient.index_select(0, self.places)
            kept = momentum.index_select(0, self.places).lerp_(fresh, 1 - MOMENTUM)
            momentum[self.places] = kept
            fresh.lerp_(kept, MOMENTUM)  # Nesterov: as the momentum will be
            self.stack[self.slots] = fresh.to(self.precision)
        for begin, shape, scales in self.groups:
            own = self.stack[begin : begin + shape[0] * shape[1] * shape[2]].view(shape)
            torch.mul(orthogonal(own), scales, out=own)
        if fused:
            scatter_matrices(self.stack, self.places, self.slots, gradient)
        else:
            gradient[self.places] = self.stack.index_select(0, self.slots).to(gradient.dtype)


def orthogonal(stack: Tensor) -> Tensor:
    """Matrices of the same directions whose singular values are about one (Newton-Schulz).

    Each should have no more rows than columns: the products are those of rows.
    """
    size = torch.linalg.vector_norm(stack, dim=(1, 2), keepdim=True, dtype=torch.float32)
    x: Tensor = stack * size.clamp_(min=1e-20).reciprocal_().to(stack.dtype)
    first, third, fifth = QUINTIC
    for _ in range(ROUNDS):
        square = torch.bmm(x, x.mT)
        factor = torch.baddbmm(square, square, square, beta=third, alpha=fifth)
        x = torch.baddbmm(x, factor, x, beta=first)
    return x


def split_matrices(name: str, elements: Tensor) -> Iterator[Tensor]:
    """The matrices of a parameter, each lying down; none where it stays with AdamW."""
    words = name.split(".")
    if elements.dim() < 2 or ADAMW_MODULES.intersection(words):
        return
    parts = max(SPLIT_MODULES.get(word, 1) for word in words)
    flat = elements.flatten(1)
    # The order of columns does not matter: as they lie in memory they are read in one go.
    flat = flat[:, flat[0].argsort()]
    for part in flat.chunk(parts):
        matrix = part if part.shape[0] <= part.shape[1] else part.T
        if len(matrix) > 1:
            yield matrix


def _rounded(rows: int) -> int:
    """16, 24, 32, 48, 64, 96, ...: few groups, and sizes that matrix units like."""
    size = 16
    while size < rows:
        size = size * 4 // 3 if size & (size - 1) else size * 3 // 2
    return size
