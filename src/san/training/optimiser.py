"""Adadelta and AdamW over flat parameters, and the moving average of weights.

Everything that changes from step to step (learning rate, bias corrections) is read from the device,
so that a captured step stays right. Both clip the gradient's norm first.
"""

import torch
from torch import Tensor

from san.training.config import TrainingConfig
from san.training.flat import FlatParameters

BETAS = (0.9, 0.999)
"""AdamW's decays of both moments."""


class Optimiser:
    """`moments` are the two vectors that the method keeps, `average` is the EMA of weights."""

    def __init__(self, flat: FlatParameters, config: TrainingConfig) -> None:
        self.flat, self.config = flat, config
        self.moments = (torch.zeros_like(flat.master), torch.zeros_like(flat.master))
        self.average = flat.master.clone()

    def step(self, rates: Tensor, fused: bool = False) -> Tensor:
        """One update; returns the gradient's norm.

        `rates` are three float32 on the device: the learning rate, the EMA's decay, and which step
        this is, from 1.
        """
        flat, config = self.flat, self.config
        norm: Tensor = torch.linalg.vector_norm(flat.gradient)
        if fused:
            from san.model.kernels.update import fused_update

            working = flat.working if flat.low else flat.master
            vectors = (flat.master, flat.gradient, *self.moments, self.average, working)
            fused_update(
                (*vectors, flat.decayed), norm, rates, flat.low, config.optimiser == "adadelta",
                config.clip_norm, config.weight_decay, config.rho, config.epsilon,
            )  # fmt: skip
            return norm
        flat.gradient.mul_((config.clip_norm / (norm + 1e-6)).clamp(max=1.0))
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
        first.lerp_(gradient, 1 - BETAS[0])
        second.mul_(BETAS[1]).addcmul_(gradient, gradient, value=1 - BETAS[1])
        size = (second / (1 - BETAS[1] ** count)).sqrt_().add_(1e-8)
        change = (first / size).div_(1 - BETAS[0] ** count)
        master.mul_(1 - rate * self.config.weight_decay * self.flat.decayed)
        master.sub_(change.mul_(rate))
