"""Muon: the momentum of a weight matrix, made orthogonal before it becomes a change.

- A matrix's change has singular values near one, whatever its gradient's were: directions that the
  gradient seldom shows move as far as the others. Changes are scaled by 0.2 sqrt(longer side), the
  usual size of AdamW's, so that its learning rate and decay serve here too.
- Kernels count as matrices (out x in * k * k). A GRU's matrices are split into their three gates.
  What is not a map between features stays with AdamW: norms, biases, embeddings, the heads of the
  decoder, the stem, a single row.
- Matrices of about one size are filled up with zeros to one shape, lying down, and turned together:
  some twenty kernels for each of a few such groups. Zeros stay zeros, so that this changes nothing.
- Nothing is decided on the host: a captured step stays right.
"""

from collections import defaultdict
from typing import NamedTuple

import torch
from torch import Tensor

from san.training.flat import FlatParameters

MOMENTUM = 0.95
ROUNDS = 5
QUINTIC = (3.4445, -4.7750, 2.0315)
"""Of x, x^3 and x^5: repeated, it takes all of (0, 1] near one, and small values there fast."""
OTHERS = {"embedding", "symbol", "relation", "stem"}
GATED = {"weight_ih": 3, "weight_hh": 3}


class Group(NamedTuple):
    """Matrices of one padded shape, end to end in the stack."""

    begin: int
    shape: tuple[int, int, int]  # how many, rows, columns
    scales: Tensor  # one a matrix


class Muon:
    """Knows where a network's matrices lie in the flat vectors."""

    def __init__(self, flat: FlatParameters) -> None:
        device = flat.master.device
        # In fp32 the rounds would take the GPU ten times as long; their result is rough anyway.
        self.kind = torch.bfloat16 if device.type == "cuda" else torch.float32
        classes: dict[int, list[Tensor]] = defaultdict(list)
        for matrix in _matrices(flat):
            classes[_rounded(len(matrix))].append(matrix)
        places, slots, size = [], [], 0
        self.groups: list[Group] = []
        for rows, matrices in sorted(classes.items()):
            columns = -(-max(own.shape[1] for own in matrices) // 16) * 16
            grid = torch.arange(rows * columns).view(rows, columns)
            for number, own in enumerate(matrices):
                places.append(own.flatten())
                inside = grid[: own.shape[0], : own.shape[1]].flatten()
                slots.append(size + number * rows * columns + inside)
            scales = torch.tensor([0.2 * own.shape[1] ** 0.5 for own in matrices], device=device)
            shape = (len(matrices), rows, columns)
            self.groups.append(Group(size, shape, scales[:, None, None]))
            size += len(matrices) * rows * columns
        none = torch.zeros(0, dtype=torch.int64)
        self.places = torch.cat([none, *places]).to(device)  # in the flat vectors
        self.slots = torch.cat([none, *slots]).to(device)  # of the same, in the stack
        self.stack = torch.zeros(size, device=device)  # what no slot names is zero for ever
        self.turned = torch.zeros_like(flat.master)  # 1 where a matrix lies
        self.turned[self.places] = 1.0

    def turn(self, gradient: Tensor, momentum: Tensor) -> None:
        """Where matrices lie, the gradient becomes the change to be subtracted at rate 1."""
        fresh = gradient.index_select(0, self.places)
        kept = momentum.index_select(0, self.places).lerp_(fresh, 1 - MOMENTUM)
        momentum.index_copy_(0, self.places, kept)
        fresh.lerp_(kept, MOMENTUM)  # Nesterov: as the momentum will be
        self.stack.index_copy_(0, self.slots, fresh)
        for begin, shape, scales in self.groups:
            own = self.stack[begin : begin + shape[0] * shape[1] * shape[2]].view(shape)
            own.copy_(orthogonal(own, self.kind)).mul_(scales)
        gradient.index_copy_(0, self.places, self.stack.index_select(0, self.slots))


def orthogonal(stack: Tensor, kind: torch.dtype = torch.float32) -> Tensor:
    """Matrices of the same directions whose singular values are about one (Newton-Schulz).

    Each should have no more rows than columns: the products are those of rows.
    """
    size = torch.linalg.vector_norm(stack, dim=(1, 2), keepdim=True).clamp_(min=1e-20)
    x: Tensor = (stack / size).to(kind)
    first, third, fifth = QUINTIC
    for _ in range(ROUNDS):
        square = torch.bmm(x, x.mT)
        factor = torch.baddbmm(square, square, square, beta=third, alpha=fifth)
        x = torch.baddbmm(x, factor, x, beta=first)
    return x


def _matrices(flat: FlatParameters) -> list[Tensor]:
    """Of each matrix, lying down, where its elements are in the flat vectors."""
    found = []
    everywhere = torch.arange(len(flat.master))
    for name, places in flat.tensors(everywhere).items():
        words = name.split(".")
        if places.dim() < 2 or OTHERS.intersection(words):
            continue
        for gate in places.flatten(1).chunk(GATED.get(words[-1], 1)):
            lying = gate if gate.shape[0] <= gate.shape[1] else gate.T
            if len(lying) > 1:
                found.append(lying)
    return found


def _rounded(rows: int) -> int:
    """16, 24, 32, 48, 64, 96, ...: few groups, and sizes that matrix units like."""
    size = 16
    while size < rows:
        size = size * 4 // 3 if size & (size - 1) else size * 3 // 2
    return size
