"""A decoder over all levels of a batch, with its backward written by hand.

- Forward and reversed decoder are the same recurrence; they differ in where a step's state comes
  from (`Sources`): its parent, or the mean of its children; a leaf begins with the initial state.
- Autograd would add up every weight's gradient level by level. Here the levels' gradients are saved
  side by side, and each weight's is one product over all of them at the end.
- SAN-GS runs along the traversal: a level is then one step of each image, whose state comes from
  any earlier row, and whose past attention is that of the row before.
- Plain twins: `decode_by_level` and `decode_reversed` in `san.model.torch.network`,
  `san.model.torch.sequential.decode_sequential`.
"""

from typing import Any, NamedTuple

import torch
import triton
from torch import Tensor

from san.model.kernels import attention
from san.model.kernels.gru import gru, gru_backward

CELL_TILE = 32  # grid cells that one program works on
SCORE_TILE = 64  # the same for scores, and the most channels: the matrix units' own measure
WINDOW_TILE = 16


class Sources(NamedTuple):
    """Rows of the level run before that a level's steps come from: L x N each.

    A step reads `many` rows from `first` on and scales their sum; going back, a row of that level
    reads `back_many` rows from `back_first` on. One of the two directions always has a single row.
    """

    first: Tensor
    many: Tensor
    scale: Tensor
    back_first: Tensor
    back_many: Tensor
    back_scale: Tensor


class Tree(NamedTuple):
    """A batch's trees for the recurrence."""

    image: Tensor  # L x N
    used: Tensor  # L x N, 0 where a slot is empty
    levels: tuple[int, ...]  # the order in which levels run
    sources: Sources
    restarts: Tensor | None  # L x N, 1 where a step receives the image's initial state (reversed)
    order: Tensor  # steps of image 0, of image 1, ...: flat slots
    first: Tensor  # B + 1: where each image's steps start in `order`
    state_mask: Tensor | None = None  # L x N x 1: 0 where a step does without its parent's state
    sequential: bool = False  # by step: a source is any earlier row, known by its flat slot


class RecurrenceWeights(NamedTuple):
    """A decoder's weights as the recurrence uses them."""

    state_gates_alpha: Tensor  # 3H x H
    state_bias_alpha: Tensor
    queries: Tensor  # (3H + A) x H: GRU-beta's product with its state, and the query
    state_bias_beta: Tensor
    kernel: Tensor  # A x window^2, padded
    score: Tensor  # A
    input_gates_beta: Tensor  # 3H x C
    input_bias_beta: Tensor
    zero: Tensor  # 3H zeros: GRU-alpha's input bias is in its given part


class Saved(NamedTuple):
    """What forward saves for backward: one row a slot, L x N x ..."""

    state_in: Tensor  # the parent's state
    state_gates_alpha: Tensor
    mid_state: Tensor  # the state between the GRUs: c_o
    queries: Tensor
    past: Tensor
    windows: Tensor
    weights: Tensor
    path: Tensor
    context: Tensor
    input_gates_beta: Tensor
    state: Tensor

    def level(self, level: int) -> "Saved":
        return Saved(*(buffer[level] for buffer in self))


class Recurrence(torch.autograd.Function):
    """features, keys, first state, given gates, weights -> states, contexts, attention."""

    @staticmethod
    def forward(
        ctx, features, keys, init_state, input_gates, mask, tree, grid, window, *weights: Tensor
    ):
        w = RecurrenceWeights(*weights)
        count, slots = tree.image.shape
        cells, channels = features.shape[1:]
        hidden, size = w.state_gates_alpha.shape[1], w.score.shape[0]

        def empty(*shape: int, kind: torch.dtype = features.dtype) -> Tensor:
            return torch.empty(count, slots, *shape, device=features.device, dtype=kind)

        fine = torch.float32
        saved = Saved(
            empty(hidden), empty(3 * hidden), empty(hidden), empty(3 * hidden + size),
            empty(0 if tree.sequential else cells, kind=fine), empty(cells, w.kernel.shape[1]),
            empty(cells, kind=fine), empty(cells, kind=fine), empty(channels), empty(3 * hidden),
            empty(hidden),
        )  # fmt: skip
        state, path = init_state, torch.zeros(len(init_state), cells, device=features.device)
        for level in tree.levels:
            row = saved.level(level)
            _gather_sources(state, row.state_in, tree, level, init_state)
            if tree.state_mask is not None:
                row.state_in.mul_(tree.state_mask[level])
            if tree.sequential:
                row = row._replace(past=path)
            else:
                _gather_sources(path, row.past, tree, level, None)
            _run_level(features, keys, input_gates[level], mask, tree, level, row, w, grid, window)
            state, path = saved.state.flatten(0, 1) if tree.sequential else row.state, row.path
        ctx.saved_levels, ctx.rest = (
            saved,
            (features, keys, init_state, input_gates, mask, tree, grid, window, w),
        )
        return saved.state, saved.context, saved.weights

    @staticmethod
    def backward(ctx, dstates, dcontexts, dattention):
        saved, (features, keys, init_state, input_gates, _, tree, grid, window, w) = (
            ctx.saved_levels,
            ctx.rest,
        )
        ctx.saved_levels = ctx.rest = None
        gradients = _Gradients(saved, keys.shape[0], w, dstates, dcontexts, dattention)
        for place in range(len(tree.levels) - 1, -1, -1):
            level = tree.levels[place]
            before = tree.levels[place - 1] if place else None
            gradients.level_backward(
                features, keys, input_gates[level], saved.level(level), tree, level, before, w,
                grid, window,
            )  # fmt: skip
        return gradients.finish(features, keys, init_state, saved, tree)


def _gather_sources(
    source: Tensor, out: Tensor, tree: Tree, level: int, init_state: Tensor | None
) -> None:
    """The rows that a level's steps receive."""
    s = tree.sources
    size = out.shape[1]
    block = min(1024, triton.next_power_of_2(size))
    attention.sum_sources[(out.shape[0], triton.cdiv(size, block))](
        source, s.first[level], s.many[level], s.scale[level], source, out, size,
        PLUS=False, BE=block,
    )  # fmt: skip
    if tree.restarts is not None and init_state is not None:
        first = init_state.index_select(0, tree.image[level])
        out.addcmul_(first, tree.restarts[level][:, None].to(out.dtype))


def _exact(tensor: Tensor) -> bool:
    return tensor.dtype == torch.float32


def _fast(tensor: Tensor) -> bool:
    return tensor.is_cuda and not _exact(tensor)


def _run_level(
    features: Tensor,
    keys: Tensor,
    input_gates: Tensor,
    mask: Tensor,
    tree: Tree,
    level: int,
    saved: Saved,
    w: RecurrenceWeights,
    grid: tuple[int, int],
    window: int,
) -> None:
    """Eq. 4 to 6 and 9 to 11 for one level; results go into `saved`."""
    slots, hidden = saved.state_in.shape
    cells, channels = features.shape[1:]
    size, wide = w.kernel.shape
    place = (cells, *grid)
    image, used = tree.image[level], tree.used[level]
    torch.mm(saved.state_in, w.state_gates_alpha.t(), out=saved.state_gates_alpha)
    gru[(slots,)](
        input_gates, saved.state_gates_alpha, w.zero, w.state_bias_alpha, saved.state_in,
        saved.mid_state, 3 * hidden, H=hidden,
    )  # fmt: skip
    torch.mm(saved.mid_state, w.queries.t(), out=saved.queries)
    score = torch.empty(slots, cells, device=features.device)
    attention.scores[(slots, triton.cdiv(cells, SCORE_TILE))](
        keys, saved.past, w.kernel, saved.queries[:, 3 * hidden :], w.score, image, used, mask,
        saved.windows, score, *place, saved.queries.stride(0), A=size, WINDOW=window, BW=wide,
        BP=SCORE_TILE, BA=part_of(size, SCORE_TILE), EXACT=_exact(keys), FAST=_fast(keys),
        SAVE=True,
    )  # fmt: skip
    whole = max(16, triton.next_power_of_2(cells))
    attention.softmax_rows[(slots,)](score, saved.past, saved.weights, saved.path, cells, BP=whole)
    attention.contexts[(slots, triton.cdiv(channels, 64))](
        saved.weights, features, image, used, saved.context, cells, channels // 4, BP=128, BC=64
    )
    torch.mm(saved.context, w.input_gates_beta.t(), out=saved.input_gates_beta)
    gru[(slots,)](
        saved.input_gates_beta, saved.queries, w.input_bias_beta, w.state_bias_beta,
        saved.mid_state, saved.state, saved.queries.stride(0), H=hidden,
    )  # fmt: skip


def part_of(size: int, most: int) -> int:
    """The largest power of two up to `most` that divides `size`."""
    part = most
    while size % part:
        part //= 2
    return part


class _Gradients:
    """Gradients of all levels, filled from the last level run to the first."""

    def __init__(
        self,
        saved: Saved,
        images: int,
        w: RecurrenceWeights,
        dstates: Tensor,
        dcontexts: Tensor,
        dattention: Tensor,
    ) -> None:
        count, slots, cells = saved.weights.shape
        size, wide = w.kernel.shape
        like = saved.state
        self.dstate = dstates.contiguous().clone()
        self.dcontext_loss = dcontexts.contiguous()
        self.dattention = dattention.contiguous()
        self.dinput_gates = torch.empty_like(saved.input_gates_beta)
        self.dstate_gates_alpha = torch.empty_like(saved.state_gates_alpha)
        self.dqueries = torch.empty_like(saved.queries)
        self.dinput_gates_beta = torch.empty_like(saved.input_gates_beta)
        self.dcontext = torch.empty_like(saved.context)
        self.denergy = like.new_empty(count, slots, cells, size)
        self.dpath = torch.zeros_like(saved.path)
        self.dscore_weight = torch.zeros(slots, size, device=like.device)
        self.dstate_in = torch.empty_like(saved.state_in)
        hidden = like.shape[2]
        self.dmid_state, self.passed, self.passed_alpha = like.new_empty(3, slots, hidden).unbind()
        self.dweights, self.dscore, self.dpast = torch.empty(
            3, slots, cells, device=like.device
        ).unbind()
        self.dwindows = like.new_empty(slots * cells, wide)

    def level_backward(
        self,
        features: Tensor,
        keys: Tensor,
        input_gates: Tensor,
        saved: Saved,
        tree: Tree,
        level: int,
        before: int | None,
        w: RecurrenceWeights,
        grid: tuple[int, int],
        window: int,
    ) -> None:
        slots, hidden = saved.state_in.shape
        cells, channels = features.shape[1:]
        size, wide = w.kernel.shape
        place = (cells, *grid)
        image, used = tree.image[level], tree.used[level]
        dqueries = self.dqueries[level]
        gap = saved.queries.stride(0)
        gru_backward[(slots,)](
            self.dstate[level], saved.input_gates_beta, saved.queries, w.input_bias_beta,
            w.state_bias_beta, saved.mid_state, self.dinput_gates_beta[level], dqueries,
            self.passed, gap, gap, H=hidden,
        )  # fmt: skip
        dcontext = self.dcontext[level]
        torch.addmm(
            self.dcontext_loss[level],
            self.dinput_gates_beta[level],
            w.input_gates_beta,
            out=dcontext,
        )
        tiles = (slots, triton.cdiv(cells, CELL_TILE))
        attention.weights_backward[tiles](
            dcontext, features, image, used, self.dpath[level], self.dattention[level],
            self.dweights, cells, channels // 4, BP=CELL_TILE, BC=64,
        )  # fmt: skip
        whole = max(16, triton.next_power_of_2(cells))
        attention.softmax_backward[(slots,)](
            saved.weights, self.dweights, self.dscore, cells, BP=whole
        )
        part = part_of(size, SCORE_TILE)
        attention.scores_backward[(slots, size // part)](
            self.dscore, keys, saved.windows, w.kernel, saved.queries[:, 3 * hidden :], w.score,
            image, used, self.denergy[level], dqueries[:, 3 * hidden :], self.dscore_weight, cells,
            gap, gap, A=size, BW=wide, BP=SCORE_TILE, BA=part, EXACT=_exact(keys),
            FAST=_fast(keys),
        )  # fmt: skip
        torch.addmm(self.passed, dqueries, w.queries, out=self.dmid_state)
        gru_backward[(slots,)](
            self.dmid_state, input_gates, saved.state_gates_alpha, w.zero, w.state_bias_alpha,
            saved.state_in,
            self.dinput_gates[level], self.dstate_gates_alpha[level], self.passed_alpha,
            3 * hidden, 3 * hidden, H=hidden,
        )  # fmt: skip
        torch.addmm(
            self.passed_alpha,
            self.dstate_gates_alpha[level],
            w.state_gates_alpha,
            out=self.dstate_in[level],
        )
        if tree.state_mask is not None:
            self.dstate_in[level].mul_(tree.state_mask[level])
        if before is None:
            return
        torch.mm(self.denergy[level].view(-1, size), w.kernel, out=self.dwindows)
        attention.windows_backward[(slots, triton.cdiv(cells, WINDOW_TILE))](
            self.dwindows, self.dpath[level], used,
            self.dpath[before] if tree.sequential else self.dpast, *place,
            WINDOW=window, BW=wide, BP=WINDOW_TILE, num_warps=2,
        )  # fmt: skip
        if tree.sequential:
            attention.add_rows[(slots, triton.cdiv(hidden, 1024))](
                self.dstate_in[level], tree.sources.first[level], self.dstate, hidden,
                BE=min(1024, triton.next_power_of_2(hidden)),
            )  # fmt: skip
            return
        dstate = self.dstate[before]
        _scatter_to_sources(self.dstate_in[level], dstate, tree, level, dstate)
        _scatter_to_sources(self.dpast, self.dpath[before], tree, level, None)

    def finish(
        self,
        features: Tensor,
        keys: Tensor,
        init_state: Tensor,
        saved: Saved,
        tree: Tree,
    ) -> tuple[Any, ...]:
        """Gradients of everything that forward received."""
        images, cells, channels = features.shape
        size, exact = keys.shape[2], _exact(keys)
        dkeys, dfeatures = torch.empty_like(keys), torch.empty_like(features)
        energies = cells * size
        attention.sum_by_image[(images, triton.cdiv(energies, 1024))](
            self.denergy, tree.order, tree.first, dkeys, energies, BE=1024
        )
        attention.features_backward[(images, triton.cdiv(cells, 32), triton.cdiv(channels, 64))](
            saved.weights, self.dcontext, tree.order, tree.first, dfeatures, cells, channels // 4,
            BS=16, BP=32, BC=64, EXACT=exact,
        )  # fmt: skip
        denergy = self.denergy.flatten(1, 2)
        dkernel = torch.bmm(denergy.transpose(1, 2), saved.windows.flatten(1, 2)).sum(0)

        def flat(tensor: Tensor) -> Tensor:
            return tensor.flatten(0, 1)

        held = 3 * init_state.shape[1]
        dinit_state = torch.zeros_like(init_state)
        if tree.restarts is None:
            dinit_state.index_add_(0, tree.image[tree.levels[0]], self.dstate_in[tree.levels[0]])
        else:
            restarted = flat(self.dstate_in) * flat(tree.restarts)[:, None].to(init_state.dtype)
            dinit_state.index_add_(0, flat(tree.image), restarted)
        return (
            dfeatures, dkeys, dinit_state, self.dinput_gates, None, None, None, None,
            flat(self.dstate_gates_alpha).t() @ flat(saved.state_in),
            flat(self.dstate_gates_alpha).sum(0, dtype=torch.float32).to(init_state.dtype),
            flat(self.dqueries).t() @ flat(saved.mid_state),
            flat(self.dqueries)[:, :held].sum(0, dtype=torch.float32).to(init_state.dtype),
            dkernel,
            self.dscore_weight.sum(0).to(init_state.dtype),
            flat(self.dinput_gates_beta).t() @ flat(saved.context),
            flat(self.dinput_gates_beta).sum(0, dtype=torch.float32).to(init_state.dtype),
            None,
        )  # fmt: skip


def _scatter_to_sources(
    source: Tensor, out: Tensor, tree: Tree, level: int, plus: Tensor | None
) -> None:
    """Gradients of a level's given rows -> of the rows that they came from."""
    s = tree.sources
    size = out.shape[1]
    block = min(1024, triton.next_power_of_2(size))
    attention.sum_sources[(out.shape[0], triton.cdiv(size, block))](
        source, s.back_first[level], s.back_many[level], s.back_scale[level],
        out if plus is None else plus, out, size, PLUS=plus is not None, BE=block,
    )  # fmt: skip
