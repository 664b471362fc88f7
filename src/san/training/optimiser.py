"""Parameters in one vector, the learning rate's schedule, and the update: Adadelta, AdamW, Muon.

- `master` is float32 and is what training changes. The network computes with `working`: bf16 copies
  of it, or the master itself where the precision is float32. One vector for all parameters makes an
  update a few kernels.
- Batch norm's weights always stay float32. 3x3 kernels lie channels last, as cuDNN wants them.
- What changes from step to step (learning rate, bias corrections) is read from the device, so that
  a captured step stays right. The gradient's norm is clipped first.
- Muon changes weight matrices alone (`san.training.muon`); what is left is AdamW's, at the same
  rate and decay. The first moment of a matrix is its momentum, and its second is of no use.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from san.model.spec import is_float32
from san.training.config import TrainingConfig
from san.training.muon import Muon


class FlatParameters:
    """All parameters of a network, which keeps views of them."""

    def __init__(self, network: nn.Module, precision: torch.dtype = torch.float32) -> None:
        named = list(network.named_parameters())
        # Those in working precision first: one cast serves them all.
        named.sort(key=lambda item: is_float32(item[0]))
        self.names = [name for name, _ in named]
        device = named[0][1].device
        starts, size, low = [], 0, 0
        for name, parameter in named:
            starts.append(size)
            size += -(-parameter.numel() // 8) * 8  # so that each starts on 16 bytes
            low = low if is_float32(name) else size
        self.master = torch.zeros(size, device=device)
        self.gradient = torch.zeros(size, device=device)
        self.decayed = torch.zeros(size, device=device)  # 1 where AdamW decays weights
        self.low = low if precision != torch.float32 else 0
        self.working = torch.zeros(self.low, device=device, dtype=precision)
        self.parameters: list[nn.Parameter] = []
        self.gradients: list[Tensor] = []
        self._views: dict[str, tuple[int, torch.Size, bool]] = {}
        for start, (name, parameter) in zip(starts, named, strict=True):
            last = parameter.dim() == 4 and parameter.shape[2] > 1 and parameter.shape[1] > 1
            self._views[name] = (start, parameter.shape, last)
            self._view(self.master, name).copy_(parameter.data)
            source = self.working if start < self.low else self.master
            parameter.data = self._view(source, name)
            decays = parameter.dim() > 1 and parameter.requires_grad
            self._view(self.decayed, name).fill_(float(decays))
            self.parameters.append(parameter)
            self.gradients.append(self._view(self.gradient, name))
        self.refresh()

    def _view(self, vector: Tensor, name: str) -> Tensor:
        start, shape, channels_last = self._views[name]
        flat = vector[start : start + shape.numel()]
        if not channels_last:
            return flat.view(shape)
        out, inner, high, wide = shape
        return flat.view(out, high, wide, inner).permute(0, 3, 1, 2)

    def refresh(self) -> None:
        """Working copies follow the master."""
        if self.low:
            self.working.copy_(self.master[: self.low])

    def collect(self, names: Sequence[str], gradients: Sequence[Tensor]) -> None:
        """Gradients of some parameters into the flat vector; in two calls, whatever their types."""
        place = {name: index for index, name in enumerate(self.names)}
        for kind in (torch.float32, torch.bfloat16):
            chosen = [
                (self.gradients[place[name]], gradient)
                for name, gradient in zip(names, gradients, strict=True)
                if gradient.dtype == kind
            ]
            if chosen:
                torch._foreach_copy_([to for to, _ in chosen], [gradient for _, gradient in chosen])

    def tensors(self, vector: Tensor) -> dict[str, Tensor]:
        """A flat vector (the master, an average) as named tensors."""
        return {name: self._view(vector, name) for name in self.names}

    def trained_places(self) -> dict[str, Tensor]:
        """Of each parameter that is not frozen, where its elements lie in the flat vectors."""
        everywhere = self.tensors(torch.arange(len(self.master)))
        return {
            name: everywhere[name]
            for name, parameter in zip(self.names, self.parameters, strict=True)
            if parameter.requires_grad
        }


@dataclass(frozen=True)
class Schedule:
    """Warm-up and half a cosine for the learning rate; the half cosine for the attention loss."""

    config: TrainingConfig
    steps_per_epoch: int

    def done(self, step: float, seconds: float) -> float:
        """The part of the run that is over, 0 to 1: by the clock if the run has minutes."""
        if self.config.minutes > 0:
            return min(1.0, seconds / (60 * self.config.minutes))
        return min(1.0, step / (self.config.epochs * self.steps_per_epoch))

    def learning_rate(self, step: float, seconds: float) -> float:
        """The learning rate of a step."""
        warmup = self.config.warmup_epochs * self.steps_per_epoch
        rise = min(1.0, (step + 1) / warmup) if warmup else 1.0
        last = self.config.final_rate
        fall = last + (1 - last) * self._fall(step, seconds)
        return self.config.learning_rate * rise * fall

    def attention_weight(self, step: float, seconds: float) -> float:
        """The weight of the attention loss at a step."""
        first, last = self.config.attention_loss, self.config.attention_loss_end
        return last + (first - last) * self._fall(step, seconds)

    def _fall(self, step: float, seconds: float) -> float:
        return 0.5 + 0.5 * math.cos(math.pi * self.done(step, seconds))


BETAS = (0.9, 0.999)
"""AdamW's decays of both moments."""


class Optimiser:
    """`moments` are the two vectors that the method keeps, `average` is the EMA of weights."""

    def __init__(self, flat: FlatParameters, config: TrainingConfig) -> None:
        self.flat, self.config = flat, config
        self.moments = (torch.zeros_like(flat.master), torch.zeros_like(flat.master))
        self.average = flat.master.clone()
        self.muon: Muon | None = None
        # 0: not decayed; 1: decayed; 2: decayed, and the gradient has become the change.
        self.kinds = flat.decayed
        if config.optimiser == "muon":
            self.muon = Muon(flat.trained_places(), flat.master)
            self.kinds = flat.decayed + self.muon.covered

    def step(self, rates: Tensor, fused: bool = False) -> Tensor:
        """One update; returns the gradient's norm.

        `rates` are three float32 on the device: the learning rate, the EMA's decay, and which step
        this is, from 1.
        """
        flat, config = self.flat, self.config
        norm: Tensor = torch.linalg.vector_norm(flat.gradient)
        clip_norm = config.clip_norm
        if self.muon is not None or not fused:
            flat.gradient.mul_((clip_norm / (norm + 1e-6)).clamp(max=1.0))
            clip_norm = 0.0  # it is done
        if self.muon is not None:
            self.muon.turn(flat.gradient, self.moments[0], fused)
        if fused:
            from san.model.kernels.optimiser_update import fused_update

            working = flat.working if flat.low else flat.master
            vectors = (flat.master, flat.gradient, *self.moments, self.average, working)
            fused_update(
                (*vectors, self.kinds), norm, rates, flat.low, config.optimiser == "adadelta",
                clip_norm, config.weight_decay, config.rho, config.epsilon,
            )  # fmt: skip
            return norm
        rate, keep, count = rates
        if config.optimiser == "adadelta":
            self._adadelta(rate)
        else:
            self._adamw(rate, count)
        flat.refresh()
        self.average.lerp_(flat.master, 1 - keep)
        return norm

    def _adadelta(self, rate: Tensor) -> None:
        config, (squares, changes) = self.config, self.moments
        master = self.flat.master
        gradient = self.flat.gradient.add_(master, alpha=config.weight_decay)
        squares.mul_(config.rho).addcmul_(gradient, gradient, value=1 - config.rho)
        change = (changes + config.epsilon).sqrt_()
        change.div_((squares + config.epsilon).sqrt_()).mul_(gradient)
        changes.mul_(config.rho).addcmul_(change, change, value=1 - config.rho)
        master.sub_(change.mul_(rate))

    def _adamw(self, rate: Tensor, count: Tensor) -> None:
        first, second = self.moments
        gradient, master = self.flat.gradient, self.flat.master
        turned = self.kinds > 1
        first.lerp_(gradient, torch.where(turned, 0.0, 1 - BETAS[0]))
        second.mul_(BETAS[1]).addcmul_(gradient, gradient, value=1 - BETAS[1])
        size = (second / (1 - BETAS[1] ** count)).sqrt_().add_(1e-8)
        change = torch.where(turned, gradient, (first / size).div_(1 - BETAS[0] ** count))
        master.mul_(1 - rate * self.config.weight_decay * self.flat.decayed)
        master.sub_(change.mul_(rate))
