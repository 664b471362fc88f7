"""The gates of a GRU cell, after its two matrix products; and back. Twin: `torch.nn.GRUCell`.

`input_gates` and `state_gates` are the products with input and state, 3H numbers a row (reset,
update, new), with any stride from row to row; the biases are added here.
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
def _gates(input_gates, state_gates, input_bias, state_bias, j, H: tl.constexpr):
    reset = tl.load(input_gates + j).to(tl.float32) + tl.load(input_bias + j).to(tl.float32)
    reset += tl.load(state_gates + j).to(tl.float32) + tl.load(state_bias + j).to(tl.float32)
    update = tl.load(input_gates + H + j).to(tl.float32) + tl.load(input_bias + H + j).to(
        tl.float32
    )
    update += tl.load(state_gates + H + j).to(tl.float32) + tl.load(state_bias + H + j).to(
        tl.float32
    )
    new = tl.load(input_gates + 2 * H + j).to(tl.float32)
    new += tl.load(input_bias + 2 * H + j).to(tl.float32)
    memory = tl.load(state_gates + 2 * H + j).to(tl.float32)
    memory += tl.load(state_bias + 2 * H + j).to(tl.float32)
    reset = sigmoid(reset)
    return reset, sigmoid(update), tanh(new + reset * memory), memory


@triton.jit
def gru(
    input_gates, state_gates, input_bias, state_bias, state, out, state_stride, H: tl.constexpr
):
    n = tl.program_id(0)
    j = tl.arange(0, H)
    _, update, new, _ = _gates(
        input_gates + n * (3 * H), state_gates + n * state_stride, input_bias, state_bias, j, H
    )
    old = tl.load(state + n * H + j).to(tl.float32)
    tl.store(out + n * H + j, ((1.0 - update) * new + update * old).to(out.dtype.element_ty))


@triton.jit
def gru_backward(
    dout, input_gates, state_gates, input_bias, state_bias, state, dinput_gates, dstate_gates,
    dstate, state_stride, dstate_stride,
    H: tl.constexpr,
):  # fmt: skip
    """`dstate` is what passes by the gates; the rest comes through `dstate_gates`."""
    n = tl.program_id(0)
    j = tl.arange(0, H)
    reset, update, new, memory = _gates(
        input_gates + n * (3 * H), state_gates + n * state_stride, input_bias, state_bias, j, H
    )
    old = tl.load(state + n * H + j).to(tl.float32)
    d = tl.load(dout + n * H + j).to(tl.float32)
    dnew = d * (1.0 - update) * (1.0 - new * new)
    dupdate = d * (old - new) * update * (1.0 - update)
    dreset = dnew * memory * reset * (1.0 - reset)
    kind = dinput_gates.dtype.element_ty
    at = dinput_gates + n * (3 * H) + j
    tl.store(at, dreset.to(kind))
    tl.store(at + H, dupdate.to(kind))
    tl.store(at + 2 * H, dnew.to(kind))
    at = dstate_gates + n * dstate_stride + j
    tl.store(at, dreset.to(kind))
    tl.store(at + H, dupdate.to(kind))
    tl.store(at + 2 * H, (dnew * reset).to(kind))
    tl.store(dstate + n * H + j, (d * update).to(kind))
