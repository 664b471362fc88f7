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
    for kind, ink, seed in (("san-gs", "composed", 0), ("dwap", "plain", 0), ("dwap", "plain", 1)):
        network = build_network(NetworkConfig(**(SMALL.__dict__ | {"kind": kind})), vocabulary)
        folder = runs / f"{kind}-{ink}-{seed}"
        folder.mkdir(parents=True)
        if seed:
            (folder / "at_once.txt").write_text("7\n")
        facts = {"samples": 1200, "minutes": 2.5}
        weights = folder / "weights.safetensors"
        save_weights(weights, network.state_dict(), network.config, vocabulary, facts)
        (folder / "log.jsonl").write_text(json.dumps({"epoch": 1, "step": 77}) + "\n")
        beam = ["--beam", "2"] if kind == "dwap" else []
        corpora = [f"{year}={tmp_path / 'ink'}" for year in (2014, 2016)]
        words = ["score", str(folder), *beam, *corpora]
        monkeypatch.setattr(sys, "argv", words)
        paper_scores.main()
        found = json.loads((folder / "scores.json").read_text())
        assert len(found) == (4 if beam else 2)
        assert {figures["n"] for figures in found.values()} == {3}
        assert len((folder / "2014.tsv").read_text().splitlines()) == 3
        for figures in found.values():  # as if one were right
            figures |= {"exprate": 100 / (3 - seed), "exprate_interval": [6.1, 79.2]}
            figures["by_length"]["1-5"] |= {"exprate": 50.0, "exprate_interval": [9.5, 90.5]}
        (folder / "scores.json").write_text(json.dumps(found))
    text = paper_tables.write_tables(runs).read_text("utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    rows = [line.strip("| ").split(" | ") for line in lines]
    assert [row[:5] for row in rows[2:9]] == [
        ["dwap", "plain", "0", "greedy", "33.3 (6.1 to 79.2)"],
        ["dwap", "plain", "1", "greedy", "50.0 (6.1 to 79.2)"],
        ["dwap", "plain", "mean", "greedy", "41.7"],
        ["dwap", "plain", "0", "beam 10", "33.3 (6.1 to 79.2)"],
        ["dwap", "plain", "1", "beam 10", "50.0 (6.1 to 79.2)"],
        ["dwap", "plain", "mean", "beam 10", "41.7"],
        ["san-gs", "composed", "0", "greedy", "33.3 (6.1 to 79.2)"],
    ]
    parts = ["easy (3)", "moderate (0)", "hard (0)", "1-5 (3)", "6-10 (0)"]
    assert rows[9][4:9] == parts
    assert rows[11][6:9] == ["-", "50.0 (9.5 to 90.5)", "-"]
    assert rows[13][7] == "50.0"
    size = f"{paper_tables.parameters(weights) / 1e6:.2f} M"
    assert rows[-2:] == [
        ["dwap", "plain", "1", "77", "1,200", "2.5", "7", size],
        ["san-gs", "composed", "0", "77", "1,200", "2.5", "1", rows[-1][-1]],
    ]


def test_nothing_scored_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SanError, match="no run in it is scored"):
        paper_tables.write_tables(tmp_path)
