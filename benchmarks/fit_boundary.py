"""Fits what tells a gap between two formulas from one within a formula (src/san/reader/pages).

    python benchmarks/fit_boundary.py [--count 12000] [--hidden 12]

Boundaries are those of sheets of 1 to 4 formulas of CROHME's training ink, each by one writer, as
strokes and as pictures: of their rows at first, and while rows of one formula are joined in any
order. Writes src/san/reader/pages/boundary.json; prints the errors on sheets of CROHME 2014. Needs
torch and the corpus (SAN_DATA, or shared/data).
"""

import argparse
import json
from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from corpora import CROHME
from san.errors import run_or_exit
from san.ink import draw
from san.reader.pages.boundary import NUMBERS
from san.reader.pages.parts import Parts, parts_of_ink, parts_of_picture
from san.reader.pages.rows import FEATURES, Row, boundary_features, find_rows
from san.reader.pages.segmentation import SLOPES
from san.reader.prepared import prepare_ink
from stacked_sheets import StackedSheet, stacked_sheets

GAPS = (0.05, 2.0)
SLANTED_SHARE = 0.4
"""Of sheets whose rows are looked for at some slope, as a reader does."""
KEPT_PER_STATE = 3
"""Boundaries while rows are joined."""
STEPS, RATE, DECAY = 3000, 0.02, 1e-4
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


def gathered(corpus: str, count: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    rng = np.random.default_rng(seed)
    sheets = stacked_sheets(CROHME / f"{corpus}.inkml.zip", count, seed, 1, GAPS)
    every = [boundary for sheet in sheets for boundary in boundaries(sheet, rng)]
    features, apart = zip(*every, strict=True)
    return torch.tensor(features), torch.tensor(apart, dtype=torch.float32)


def errors(name: str, score: torch.Tensor, apart: torch.Tensor) -> str:
    wrong = (score > 0) != (apart > 0.5)
    loss = nn.functional.binary_cross_entropy_with_logits(score, apart).item()
    within, between = wrong[apart < 0.5].float().mean(), wrong[apart > 0.5].float().mean()
    return (
        f"{name}: {len(apart)} boundaries, cross entropy {loss:.4f}; wrong {within:.2%} of those "
        f"within a formula, {between:.2%} of those between two"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=12_000)
    parser.add_argument("--hidden", type=int, default=12)
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    features, apart = gathered("train", options.count, 1)
    mean, deviation = features.mean(0), features.std(0)
    network = nn.Sequential(
        nn.Linear(len(FEATURES), options.hidden), nn.Tanh(), nn.Linear(options.hidden, 1)
    )
    optimiser = torch.optim.Adam(network.parameters(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, STEPS)
    for _ in range(STEPS):
        score = network((features - mean) / deviation)[:, 0]
        loss = nn.functional.binary_cross_entropy_with_logits(score, apart)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
        optimiser.step()
        schedule.step()
    with torch.no_grad():
        print(errors("training", network((features - mean) / deviation)[:, 0], apart))
        unseen, is_apart = gathered("test2014", options.count // 6, 2)
        print(errors("2014", network((unseen - mean) / deviation)[:, 0], is_apart))
    write(mean, deviation, network)


def write(mean: torch.Tensor, deviation: torch.Tensor, network: nn.Sequential) -> None:
    hidden, _, output = network
    assert isinstance(hidden, nn.Linear)
    assert isinstance(output, nn.Linear)
    arrays = {
        "mean": mean,
        "deviation": deviation,
        "hidden": hidden.weight,
        "hidden_bias": hidden.bias,
        "output": output.weight[0],
        "output_bias": output.bias[0],
    }
    numbers = {
        name: np.round(array.detach().numpy().astype(float), 4).tolist()
        for name, array in arrays.items()
    }
    NUMBERS.write_text(json.dumps({"features": FEATURES, **numbers}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_or_exit(main)
