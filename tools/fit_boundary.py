"""Fits what tells a gap between two formulas from one within a formula (`san.reader.pages`).

    python -m tools.fit_boundary crohme/train.inkml.zip crohme/test2014.inkml.zip  # 10 minutes

Boundaries are those of sheets of 1 to 4 formulas, each by one writer of the first corpus, as
strokes and as pictures: of their rows at first, and while rows of one formula are joined in any
order. Writes `src/san/reader/pages/boundary.json`; prints the errors on sheets of the second one.
"""

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from san.data.stacked_sheets import StackedSheet, stacked_sheets
from san.errors import run_or_exit
from san.files import write_file
from san.ink import draw
from san.reader.pages.boundary import NUMBERS
from san.reader.pages.parts import Parts, parts_of_ink, parts_of_picture
from san.reader.pages.rows import FEATURES, Row, boundary_features, find_rows
from san.reader.pages.segmentation import SLOPES
from san.reader.prepared import prepare_ink

GAPS = (0.05, 2.0)
"""Letters: closer than most people write, so that what is nearly too close is known, too."""
SLANTED_SHARE = 0.4
"""Of sheets whose rows are looked for at some slope, as a reader does."""
KEPT_PER_STATE = 3
"""Boundaries while rows are joined."""
STEPS, RATE, DECAY = 3000, 0.02, 1e-4
DECIMALS = 4
Owners = NDArray[np.int64]


def parts_of(sheet: StackedSheet, as_picture: bool) -> tuple[Parts, Owners] | None:
    """Parts and their formulas; None where formulas touch."""
    if not as_picture:
        return parts_of_ink(sheet.ink), sheet.owners
    prepared = prepare_ink(sheet.ink)
    if draw(sheet.ink).shape != prepared.picture.shape:  # made smaller, so strokes may touch
        return None
    parts, part_of = parts_of_picture(prepared.picture)
    owners = np.full(len(parts), -1)
    high, wide = prepared.picture.shape
    for stroke, owner in zip(sheet.ink.strokes, sheet.owners.tolist(), strict=True):
        x, y = np.clip(np.rint(prepared.to_picture(stroke)).astype(int), 0, [wide - 1, high - 1]).T
        for part in set(part_of[y, x].tolist()) - {-1}:
            if owners[part] not in (-1, owner):
                return None
            owners[part] = owner
    return parts, owners


def boundaries(sheet: StackedSheet, rng: np.random.Generator) -> Iterator[tuple[list[float], bool]]:
    """Features, and whether two formulas lie beside the boundary."""
    found = parts_of(sheet, rng.random() < 0.5)
    if found is None:
        return
    parts, owners = found
    slope = float(rng.choice(SLOPES)) if rng.random() < SLANTED_SHARE else 0.0
    rows = find_rows(parts, slope)
    formulas = [set(owners[row.parts].tolist()) - {-1} for row in rows]
    if any(len(some) != 1 for some in formulas):
        return
    owner = [next(iter(some)) for some in formulas]
    first = True
    while len(rows) > 1:
        kept = range(len(rows) - 1)
        apart = [owner[number] != owner[number + 1] for number in kept]
        if not first and not all(apart):
            kept = rng.permutation(len(rows) - 1)[:KEPT_PER_STATE].tolist()
        for number in kept:
            yield boundary_features(rows, number, parts.letter), apart[number]
        if all(apart):
            return
        first = False
        join(rows, owner, int(rng.choice(np.flatnonzero(~np.array(apart)))))


def join(rows: list[Row], owner: list[int], number: int) -> None:
    rows[number : number + 2] = [rows[number].merged(rows[number + 1])]
    del owner[number]


def gathered(sheets: Iterable[StackedSheet], seed: int) -> tuple[Tensor, Tensor]:
    """All boundaries x features, and which of them lie between two formulas."""
    rng = np.random.default_rng(seed)
    every = [boundary for sheet in sheets for boundary in boundaries(sheet, rng)]
    features, apart = zip(*every, strict=True)
    return torch.tensor(features), torch.tensor(apart, dtype=torch.float32)


def errors(name: str, score: Tensor, apart: Tensor) -> str:
    wrong = (score > 0) != (apart > 0.5)
    loss = nn.functional.binary_cross_entropy_with_logits(score, apart).item()
    within, between = wrong[apart < 0.5].float().mean(), wrong[apart > 0.5].float().mean()
    return (
        f"{name}: {len(apart)} boundaries, cross entropy {loss:.4f}; wrong {within:.2%} of those "
        f"within a formula, {between:.2%} of those between two"
    )


class FittedBoundary(nn.Module):
    """What `san.reader.pages.boundary` computes, in torch."""

    def __init__(self, features: Tensor, hidden: int) -> None:
        super().__init__()
        self.mean, self.deviation = features.mean(0), features.std(0).clamp(min=1e-3)
        self.hidden, self.output = nn.Linear(len(FEATURES), hidden), nn.Linear(hidden, 1)

    def forward(self, features: Tensor) -> Tensor:
        known = (features - self.mean) / self.deviation
        scores: Tensor = self.output(torch.tanh(self.hidden(known)))[:, 0]
        return scores

    def to_json(self) -> bytes:
        arrays = {
            "mean": self.mean,
            "deviation": self.deviation,
            "hidden": self.hidden.weight,
            "hidden_bias": self.hidden.bias,
            "output": self.output.weight[0],
            "output_bias": self.output.bias[0],
        }
        numbers = {
            name: np.round(array.detach().numpy().astype(float), DECIMALS).tolist()
            for name, array in arrays.items()
        }
        return (json.dumps({"features": FEATURES, **numbers}) + "\n").encode()


def fit(features: Tensor, apart: Tensor, hidden: int, steps: int = STEPS) -> FittedBoundary:
    network = FittedBoundary(features, hidden)
    optimiser = torch.optim.Adam(network.parameters(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for _ in range(steps):
        loss = nn.functional.binary_cross_entropy_with_logits(network(features), apart)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
        optimiser.step()
        schedule.step()
    return network


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("training", type=Path, help="InkML by several writers: a folder or a zip")
    parser.add_argument("unseen", type=Path, help="the same, of others")
    parser.add_argument("--output", "-o", type=Path, default=NUMBERS)
    parser.add_argument("--count", type=int, default=12_000, help="sheets that are stacked")
    parser.add_argument("--hidden", type=int, default=12, help="units of the network")
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    features, apart = gathered(stacked_sheets(options.training, options.count, 1, 1, GAPS), 1)
    network = fit(features, apart, options.hidden)
    with torch.no_grad():
        print(errors("training", network(features), apart))
        sheets = stacked_sheets(options.unseen, max(options.count // 6, 1), 2, 1, GAPS)
        unseen, is_apart = gathered(sheets, 2)
        print(errors("unseen", network(unseen), is_apart))
    write_file(options.output, network.to_json())


if __name__ == "__main__":
    run_or_exit(main)
