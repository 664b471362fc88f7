"""A decoder over all levels of a batch, with its backward written by hand.

- Forward and reversed decoder are the same recurrence; they differ in where a step's state comes
  from (`Sources`): its parent, or the mean of its children; and a leaf begins anew.
- Autograd would add up every weight's gradient level by level. Here the levels' gradients are kept
  side by side, and each weight's is one product over all of them at the end.
- SAN-GS walks along the traversal: a level is then one step of each image, whose state comes from
  any earlier row, and whose past attention is simply what the row before left.
- Plain twins: `san.model.torch.network.by_level` and `decode_reversed`,
  `san.model.torch.sequential.decode_sequential`.
"""

from typing import Any, NamedTuple

import torch
import triton
from torch import Tensor

from san.model.kernels import attention
from san.model.kernels.gru import gru, gru_back

CELLS = 32  # grid cells that one program works on
NEAR, FAR = 16, 64  # the same for scores: many programs forward, long ones back


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
    levels: tuple[int, ...]  # the order in which levels run
    sources: Sources
    begins: Tensor | None  # L x N, 1 where a step begins with the image's first state (reversed)
    order: Tensor  # steps of image 0, of image 1, ...: flat slots
    first: Tensor  # B + 1: where each image's steps start in `order`
    kept: Tensor | None = None  # L x N x 1: 0 where a step forgets the state it is given
    walk: bool = False  # by step: a source is any earlier row, known by its flat slot


class Weights(NamedTuple):
    """A decoder's weights as the recurrence uses them."""

    held_alpha: Tensor  # 3H x H
    held_alpha_bias: Tensor
    asked: Tensor  # (3H + A) x H: GRU-beta's product with its state, and the query
    held_beta_bias: Tensor
    kernel: Tensor  # A x window^2, padded
    score: Tensor  # A
    given_beta: Tensor  # 3H x C
    given_beta_bias: Tensor
    zero: Tensor  # 3H zeros: GRU-alpha's input bias is in its given part


class Kept(NamedTuple):
    """What forward keeps for backward: one row a slot, L x N x ..."""

    came: Tensor  # the state that a step was given
    held_alpha: Tensor
    middle: Tensor  # the state between the GRUs: c_o
    asked: Tensor
    past: Tensor
    windows: Tensor
    weights: Tensor
    path: Tensor
    context: Tensor
    given_beta: Tensor
    state: Tensor

    def level(self, level: int) -> "Kept":
        return Kept(*(buffer[level] for buffer in self))


class Recurrence(torch.autograd.Function):
    """features, keys, first state, given gates, weights -> states, contexts, attention."""

    @staticmethod
    def forward(ctx, features, keys, begin, given, owned, tree, grid, window, *weights: Tensor):
        w = Weights(*weights)
        count, slots = tree.image.shape
        cells, channels = features.shape[1:]
        hidden, size = w.held_alpha.shape[1], w.score.shape[0]

        def empty(*shape: int, kind: torch.dtype = features.dtype) -> Tensor:
            return torch.empty(count, slots, *shape, device=features.device, dtype=kind)

        fine = torch.float32
        kept = Kept(
            empty(hidden), empty(3 * hidden), empty(hidden), empty(3 * hidden + size),
            empty(0 if tree.walk else cells, kind=fine), empty(cells, w.kernel.shape[1]),
            empty(cells, kind=fine), empty(cells, kind=fine), empty(channels), empty(3 * hidden),
            empty(hidden),
        )  # fmt: skip
        state, path = begin, torch.zeros(len(begin), cells, device=features.device)
        for level in tree.levels:
            own = kept.level(level)
            _bring(state, own.came, tree, level, begin)
            if tree.kept is not None:
                own.came.mul_(tree.kept[level])
            if tree.walk:
                own = own._replace(past=path)
            else:
                _bring(path, own.past, tree, level, None)
            _run_level(features, keys, given[level], owned, tree.image[level], own, w, grid, window)
            state, path = kept.state.flatten(0, 1) if tree.walk else own.state, own.path
        ctx.kept, ctx.rest = kept, (features, keys, begin, given, owned, tree, grid, window, w)
        return kept.state, kept.context, kept.weights

    @staticmethod
    def backward(ctx, dstates, dcontexts, dattention):
        kept, (features, keys, begin, given, _, tree, grid, window, w) = ctx.kept, ctx.rest
        ctx.kept = ctx.rest = None
        found = _Gradients(kept, keys.shape[0], w, dstates, dcontexts, dattention)
        for place in range(len(tree.levels) - 1, -1, -1):
            level = tree.levels[place]
            before = tree.levels[place - 1] if place else None
            found.level_back(
                features,
                keys,
                given[level],
                kept.level(level),
                tree,
                level,
                before,
                w,
                grid,
                window,
            )
        return found.finish(features, keys, begin, kept, tree)


def _bring(source: Tensor, out: Tensor, tree: Tree, level: int, begin: Tensor | None) -> None:
    """The rows that a level's steps are given."""
    s = tree.sources
    size = out.shape[1]
    block = min(1024, triton.next_power_of_2(size))
    attention.sum_sources[(out.shape[0], triton.cdiv(size, block))](
        source, s.first[level], s.many[level], s.scale[level], source, out, size,
        PLUS=False, BE=block,
    )  # fmt: skip
    if tree.begins is not None and begin is not None:
        first = begin.index_select(0, tree.image[level])
        out.addcmul_(first, tree.begins[level][:, None].to(out.dtype))


def _exact(tensor: Tensor) -> bool:
    return tensor.dtype == torch.float32


def _run_level(
    features: Tensor,
    keys: Tensor,
    given: Tensor,
    owned: Tensor,
    image: Tensor,
    own: Kept,
    w: Weights,
    grid: tuple[int, int],
    window: int,
) -> None:
    """Eq. 4 to 6 and 9 to 11 for one level; results go into `own`."""
    slots, hidden = own.came.shape
    cells, channels = features.shape[1:]
    size, wide = w.kernel.shape
    place = (cells, *grid)
    torch.mm(own.came, w.held_alpha.t(), out=own.held_alpha)
    gru[(slots,)](
        given, own.held_alpha, w.zero, w.held_alpha_bias, own.came, own.middle, 3 * hidden, H=hidden
    )
    torch.mm(own.middle, w.asked.t(), out=own.asked)
    score = torch.empty(slots, cells, device=features.device)
    attention.scores[(slots, triton.cdiv(cells, NEAR))](
        keys, own.past, w.kernel, own.asked[:, 3 * hidden :], w.score, image, owned, own.windows,
        score, *place, own.asked.stride(0), A=size, WINDOW=window, BW=wide, BP=NEAR,
        BA=_part(size, 128), EXACT=_exact(keys),
    )  # fmt: skip
    whole = max(16, triton.next_power_of_2(cells))
    attention.soften[(slots,)](score, own.past, own.weights, own.path, cells, BP=whole)
    attention.contexts[(slots, triton.cdiv(channels, 64))](
        own.weights, features, image, own.context, cells, channels // 4, BP=64, BC=64
    )
    torch.mm(own.context, w.given_beta.t(), out=own.given_beta)
    gru[(slots,)](
        own.given_beta, own.asked, w.given_beta_bias, w.held_beta_bias, own.middle, own.state,
        own.asked.stride(0), H=hidden,
    )  # fmt: skip


def _part(size: int, most: int) -> int:
    """The largest power of two up to `most` that divides `size`."""
    part = most
    while size % part:
        part //= 2
    return part


class _Gradients:
    """Gradients of all levels, filled from the last level run to the first."""

    def __init__(
        self,
        kept: Kept,
        images: int,
        w: Weights,
        dstates: Tensor,
        dcontexts: Tensor,
        dattention: Tensor,
    ) -> None:
        count, slots, cells = kept.weights.shape
        size, wide = w.kernel.shape
        like = kept.state
        self.dstate = dstates.contiguous().clone()
        self.dcontext_loss = dcontexts.contiguous()
        self.dattention = dattention.contiguous()
        self.dgiven = torch.empty_like(kept.given_beta)
        self.dheld_alpha = torch.empty_like(kept.held_alpha)
        self.dasked = torch.empty_like(kept.asked)
        self.dgiven_beta = torch.empty_like(kept.given_beta)
        self.dcontext = torch.empty_like(kept.context)
        self.denergy = like.new_empty(count, slots, cells, size)
        self.dpath = torch.zeros_like(kept.path)
        self.dscore_weight = torch.zeros(slots, size, device=like.device)
        self.dcame = torch.empty_like(kept.came)
        hidden = like.shape[2]
        self.dmiddle, self.passed, self.passed_alpha = like.new_empty(3, slots, hidden).unbind()
        self.dweights, self.dscore, self.dpast = torch.empty(
            3, slots, cells, device=like.device
        ).unbind()
        self.dwindows = like.new_empty(slots * cells, wide)

    def level_back(
        self,
        features: Tensor,
        keys: Tensor,
        given: Tensor,
        own: Kept,
        tree: Tree,
        level: int,
        before: int | None,
        w: Weights,
        grid: tuple[int, int],
        window: int,
    ) -> None:
        slots, hidden = own.came.shape
        cells, channels = features.shape[1:]
        size, wide = w.kernel.shape
        place = (cells, *grid)
        image = tree.image[level]
        dasked = self.dasked[level]
        gap = own.asked.stride(0)
        gru_back[(slots,)](
            self.dstate[level], own.given_beta, own.asked, w.given_beta_bias, w.held_beta_bias,
            own.middle, self.dgiven_beta[level], dasked, self.passed, gap, gap, H=hidden,
        )  # fmt: skip
        dcontext = self.dcontext[level]
        torch.addmm(self.dcontext_loss[level], self.dgiven_beta[level], w.given_beta, out=dcontext)
        tiles = (slots, triton.cdiv(cells, CELLS))
        attention.weights_back[tiles](
            dcontext, features, image, self.dpath[level], self.dattention[level], self.dweights,
            cells, channels // 4, BP=CELLS, BC=64,
        )  # fmt: skip
        whole = max(16, triton.next_power_of_2(cells))
        attention.soften_back[(slots,)](own.weights, self.dweights, self.dscore, cells, BP=whole)
        part = _part(size, 32)
        attention.scores_back[(slots, size // part)](
            self.dscore, keys, own.windows, w.kernel, own.asked[:, 3 * hidden :], w.score, image,
            self.denergy[level], dasked[:, 3 * hidden :], self.dscore_weight, cells, gap, gap,
            A=size, BW=wide, BP=FAR, BA=part, EXACT=_exact(keys),
        )  # fmt: skip
        torch.addmm(self.passed, dasked, w.asked, out=self.dmiddle)
        gru_back[(slots,)](
            self.dmiddle, given, own.held_alpha, w.zero, w.held_alpha_bias, own.came,
            self.dgiven[level], self.dheld_alpha[level], self.passed_alpha,
            3 * hidden, 3 * hidden, H=hidden,
        )  # fmt: skip
        torch.addmm(self.passed_alpha, self.dheld_alpha[level], w.held_alpha, out=self.dcame[level])
        if tree.kept is not None:
            self.dcame[level].mul_(tree.kept[level])
        if before is None:
            return
        torch.mm(self.denergy[level].view(-1, size), w.kernel, out=self.dwindows)
        attention.windows_back[tiles](
            self.dwindows, self.dpath[level], self.dpath[before] if tree.walk else self.dpast,
            *place, WINDOW=window, BW=wide, BP=CELLS,
        )  # fmt: skip
        if tree.walk:
            attention.add_rows[(slots, triton.cdiv(hidden, 1024))](
                self.dcame[level], tree.sources.first[level], self.dstate, hidden,
                BE=min(1024, triton.next_power_of_2(hidden)),
            )  # fmt: skip
            return
        dstate = self.dstate[before]
        _bring_back(self.dcame[level], dstate, tree, level, dstate)
        _bring_back(self.dpast, self.dpath[before], tree, level, None)

    def finish(
        self,
        features: Tensor,
        keys: Tensor,
        begin: Tensor,
        kept: Kept,
        tree: Tree,
    ) -> tuple[Any, ...]:
        """Gradients of everything that forward was given."""
        images, cells, channels = features.shape
        size, exact = keys.shape[2], _exact(keys)
        dkeys, dfeatures = torch.empty_like(keys), torch.empty_like(features)
        energies = cells * size
        attention.sum_by_image[(images, triton.cdiv(energies, 1024))](
            self.denergy, tree.order, tree.first, dkeys, energies, BE=1024
        )
        attention.features_back[(images, triton.cdiv(cells, 32), triton.cdiv(channels, 64))](
            kept.weights, self.dcontext, tree.order, tree.first, dfeatures, cells, channels // 4,
            BS=16, BP=32, BC=64, EXACT=exact,
        )  # fmt: skip
        denergy = self.denergy.flatten(1, 2)
        dkernel = torch.bmm(denergy.transpose(1, 2), kept.windows.flatten(1, 2)).sum(0)

        def flat(tensor: Tensor) -> Tensor:
            return tensor.flatten(0, 1)

        held = 3 * begin.shape[1]
        dbegin = torch.zeros_like(begin)
        if tree.begins is None:
            dbegin.index_add_(0, tree.image[tree.levels[0]], self.dcame[tree.levels[0]])
        else:
            own = flat(self.dcame) * flat(tree.begins)[:, None].to(begin.dtype)
            dbegin.index_add_(0, flat(tree.image), own)
        return (
            dfeatures, dkeys, dbegin, self.dgiven, None, None, None, None,
            flat(self.dheld_alpha).t() @ flat(kept.came),
            flat(self.dheld_alpha).sum(0, dtype=torch.float32).to(begin.dtype),
            flat(self.dasked).t() @ flat(kept.middle),
            flat(self.dasked)[:, :held].sum(0, dtype=torch.float32).to(begin.dtype),
            dkernel,
            self.dscore_weight.sum(0).to(begin.dtype),
            flat(self.dgiven_beta).t() @ flat(kept.context),
            flat(self.dgiven_beta).sum(0, dtype=torch.float32).to(begin.dtype),
            None,
        )  # fmt: skip


def _bring_back(source: Tensor, out: Tensor, tree: Tree, level: int, plus: Tensor | None) -> None:
    """Gradients of a level's given rows -> of the rows that they came from."""
    s = tree.sources
    size = out.shape[1]
    block = min(1024, triton.next_power_of_2(size))
    attention.sum_sources[(out.shape[0], triton.cdiv(size, block))](
        source, s.back_first[level], s.back_many[level], s.back_scale[level],
        out if plus is None else plus, out, size, PLUS=plus is not None, BE=block,
    )  # fmt: skip
