"""Adadelta, AdamW and Muon over flat parameters, and the moving average of weights.

- Everything that changes from step to step (learning rate, bias corrections) is read from the
  device, so that a captured step stays right. All clip the gradient's norm first.
- Muon changes weight matrices alone (`san.training.muon`); what is left is AdamW's. The first
  moment of a matrix is its momentum, and its second is of no use.
"""

import torch
from torch import Tensor

from san.training.config import TrainingConfig
from san.training.flat import FlatParameters
from san.training.muon import Muon


class Optimiser:
    """`moments` are the two vectors that the method keeps."""

    def __init__(self, flat: FlatParameters, config: TrainingConfig) -> None:
        self.flat, self.config = flat, config
        self.moments = (torch.zeros_like(flat.master), torch.zeros_like(flat.master))
        self.average = flat.master.clone()
        self.muon = Muon(flat) if config.optimiser == "muon" else None
        # 0: not decayed; 1: decayed; 2: decayed, and the gradient has become the change.
        self.kinds = flat.matrices if self.muon is None else flat.matrices + self.muon.turned

    def step(self, rates: Tensor, fused: bool = False) -> Tensor:
        """One update; returns the gradient's norm.

        `rates` are three float32 on the device: the learning rate, how much of the average stays,
        and which step this is, from 1.
        """
        flat, config = self.flat, self.config
        norm: Tensor = torch.linalg.vector_norm(flat.gradient)
        if self.muon is not None or not fused:
            flat.gradient.mul_((config.clip / (norm + 1e-6)).clamp(max=1.0))
        if self.muon is not None:
            self.muon.turn(flat.gradient, self.moments[0])
        if fused:
            from san.model.kernels.update import fused_update

            working = flat.working if flat.low else flat.master
            vectors = (flat.master, flat.gradient, *self.moments, self.average, working)
            fused_update((*vectors, self.kinds), norm, rates, flat.low, config)
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
        gradient = self.flat.gradient.add_(master, alpha=config.decay)
        squares.mul_(config.rho).addcmul_(gradient, gradient, value=1 - config.rho)
        change = (changes + config.epsilon).sqrt_()
        change.div_((squares + config.epsilon).sqrt_()).mul_(gradient)
        changes.mul_(config.rho).addcmul_(change, change, value=1 - config.rho)
        master.sub_(change.mul_(rate))

    def _adamw(self, rate: Tensor, count: Tensor) -> None:
        first, second = self.moments
        gradient, master = self.flat.gradient, self.flat.master
        turned = self.kinds > 1
        first.lerp_(gradient, torch.where(turned, 0.0, 0.1))
        second.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
        size = (second / (1 - 0.999**count)).sqrt_().add_(1e-8)
        change = torch.where(turned, gradient, (first / size).div_(1 - 0.9**count))
        master.mul_(1 - rate * self.config.decay * self.kinds.clamp(max=1.0))
        master.sub_(change.mul_(rate))
