"""Scores of networks of two kinds, read with and without a beam, become the paper's tables."""

import json
import sys
from pathlib import Path

import pytest

from san.errors import SanError
from san.grammar import parse
from san.grammar.vocabulary import Vocabulary
from san.ink import Box, write_inkml
from san.ink.alphabet import compose
from san.model.spec import NetworkConfig
from tests.data.drawn import fill

pytest.importorskip("torch")

from san.model.torch.kinds import build_network
from san.model.torch.weights import save_weights
from tools import paper_scores, paper_tables

SMALL = NetworkConfig(
    stem=8, growth=4, layers=2, hidden=16, embedding=16, attention=16, coverage_kernel=5, merge=12,
    reversed=False,
)  # fmt: skip


@pytest.mark.slow
def test_from_weights_to_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    labels = ("a + b", "a", "b b")
    sheets = {
        f"{number}.inkml": write_inkml(
            compose([(n, Box(60 * at, 0, 60 * at + 40, 60)) for at, n in enumerate(label.split())])
        )
        for number, label in enumerate(labels)
    }
    table = "".join(f"{number}\t{label}\n" for number, label in enumerate(labels))
    fill(tmp_path / "ink", {**sheets, "labels.tsv": table})
    vocabulary = Vocabulary.gather([parse(label) for label in labels])
    runs = tmp_path / "runs"
    for kind, ink in (("san-gs", "composed"), ("dwap", "plain")):
        network = build_network(NetworkConfig(**(SMALL.__dict__ | {"kind": kind})), vocabulary)
        folder = runs / f"{kind}-{ink}-0"
        folder.mkdir(parents=True)
        facts = {"samples": 1200, "minutes": 2.5}
        weights = folder / "weights.safetensors"
        save_weights(weights, network.state_dict(), network.config, vocabulary, facts)
        (folder / "log.jsonl").write_text(json.dumps({"epoch": 1, "step": 77}) + "\n")
        beam = ["--beam", "2"] if kind == "dwap" else []
        words = [
            "score",
            str(folder),
            *beam,
            f"2014={tmp_path / 'ink'}",
            f"2016={tmp_path / 'ink'}",
        ]
        monkeypatch.setattr(sys, "argv", words)
        paper_scores.main()
        found = json.loads((folder / "scores.json").read_text())
        assert len(found) == (4 if beam else 2)
        assert {figures["n"] for figures in found.values()} == {3}
    text = paper_tables.write_tables(runs).read_text("utf-8")
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith(("| dwap", "| san"))]
    assert [row[:4] for row in rows[:3]] == [
        ["| dwap", "plain", "0", "greedy"],
        ["| dwap", "plain", "0", "beam 10"],
        ["| san-gs", "composed", "0", "greedy"],
    ]
    assert rows[-1][1:6] == ["composed", "0", "77", "1,200", "2.5"]
    assert all(len(row) == 12 for row in rows[:6])


def test_nothing_scored_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SanError, match="no run in it is scored"):
        paper_tables.write_tables(tmp_path)
