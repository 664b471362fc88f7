"""The gates of a GRU cell, after its two matrix products; and back. Twin: `torch.nn.GRUCell`.

`given` and `held` are the products with input and state, 3H numbers a row (reset, update, new), any
distance from row to row; the biases are added here.
"""

import triton
import triton.language as tl


@triton.jit
def sigmoid(x):
    return 1.0 / (1.0 + tl.exp(-x))


@triton.jit
def tanh(x):
    return 1.0 - 2.0 / (tl.exp(2.0 * x) + 1.0)


@triton.jit
def _gates(given, held, given_bias, held_bias, j, H: tl.constexpr):
    reset = tl.load(given + j).to(tl.float32) + tl.load(given_bias + j).to(tl.float32)
    reset += tl.load(held + j).to(tl.float32) + tl.load(held_bias + j).to(tl.float32)
    update = tl.load(given + H + j).to(tl.float32) + tl.load(given_bias + H + j).to(tl.float32)
    update += tl.load(held + H + j).to(tl.float32) + tl.load(held_bias + H + j).to(tl.float32)
    new = tl.load(given + 2 * H + j).to(tl.float32)
    new += tl.load(given_bias + 2 * H + j).to(tl.float32)
    memory = tl.load(held + 2 * H + j).to(tl.float32)
    memory += tl.load(held_bias + 2 * H + j).to(tl.float32)
    reset = sigmoid(reset)
    return reset, sigmoid(update), tanh(new + reset * memory), memory


@triton.jit
def gru(given, held, given_bias, held_bias, state, out, held_gap, H: tl.constexpr):
    n = tl.program_id(0)
    j = tl.arange(0, H)
    _, update, new, _ = _gates(
        given + n * (3 * H), held + n * held_gap, given_bias, held_bias, j, H
    )
    old = tl.load(state + n * H + j).to(tl.float32)
    tl.store(out + n * H + j, ((1.0 - update) * new + update * old).to(out.dtype.element_ty))


@triton.jit
def gru_back(
    dout, given, held, given_bias, held_bias, state, dgiven, dheld, dstate, held_gap, dheld_gap,
    H: tl.constexpr,
):  # fmt: skip
    """`dstate` is what passes by the gates; the rest comes through `dheld`."""
    n = tl.program_id(0)
    j = tl.arange(0, H)
    reset, update, new, memory = _gates(
        given + n * (3 * H), held + n * held_gap, given_bias, held_bias, j, H
    )
    old = tl.load(state + n * H + j).to(tl.float32)
    d = tl.load(dout + n * H + j).to(tl.float32)
    dnew = d * (1.0 - update) * (1.0 - new * new)
    dupdate = d * (old - new) * update * (1.0 - update)
    dreset = dnew * memory * reset * (1.0 - reset)
    kind = dgiven.dtype.element_ty
    at = dgiven + n * (3 * H) + j
    tl.store(at, dreset.to(kind))
    tl.store(at + H, dupdate.to(kind))
    tl.store(at + 2 * H, dnew.to(kind))
    at = dheld + n * dheld_gap + j
    tl.store(at, dreset.to(kind))
    tl.store(at + H, dupdate.to(kind))
    tl.store(at + 2 * H, (dnew * reset).to(kind))
    tl.store(dstate + n * H + j, (d * update).to(kind))
