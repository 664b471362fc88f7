"""How far the run is, and what goes with it: the learning rate (warm-up, then half a cosine down to
zero), and the weight of the loss that teaches the attention (the same half cosine)."""

import math
from dataclasses import dataclass

from san.training.config import TrainingConfig


@dataclass(frozen=True)
class Schedule:
    config: TrainingConfig
    steps_an_epoch: int

    def done(self, step: float, seconds: float) -> float:
        """The part of the run that lies behind, 0 to 1: by the clock if the run has minutes."""
        if self.config.minutes > 0:
            return min(1.0, seconds / (60 * self.config.minutes))
        return min(1.0, step / (self.config.epochs * self.steps_an_epoch))

    def rate(self, step: float, seconds: float) -> float:
        """The learning rate of a step."""
        warm = self.config.warmup_epochs * self.steps_an_epoch
        rise = min(1.0, (step + 1) / warm) if warm else 1.0
        return self.config.learning_rate * rise * self._fall(step, seconds)

    def attention_weight(self, step: float, seconds: float) -> float:
        """The weight of the attention loss at a step."""
        first, last = self.config.attention_loss, self.config.attention_loss_end
        return last + (first - last) * self._fall(step, seconds)

    def _fall(self, step: float, seconds: float) -> float:
        return 0.5 + 0.5 * math.cos(math.pi * self.done(step, seconds))
