"""Table 3: all systems read the same pictures; SAN in two ways, strings with a beam as well."""

import sys
from pathlib import Path

import pytest

from san.data.pack import Pack
from san.errors import SanError
from san.grammar.languages import Kind
from san.grammar.vocabulary import Vocabulary
from tests.synth.packs import ink_pack

pytest.importorskip("torch")

from benchmarks import paper_speed
from san.model.torch.kinds import build_network
from san.model.torch.weights import save_weights
from tests.training.test_kinds import settings


def run(folder: Path, kind: Kind, vocabulary: Vocabulary) -> Path:
    network = build_network(settings(kind).network, vocabulary)
    folder.mkdir()
    weights = folder / "weights.safetensors"
    save_weights(weights, network.state_dict(), network.config, network.vocabulary)
    return folder


@pytest.mark.slow
def test_each_system_has_a_row_for_each_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = ink_pack(tmp_path, 5)
    packed = Pack.load(pack)
    vocabulary = Vocabulary.gather([packed.tree(place) for place in range(len(packed))])
    kinds: tuple[Kind, ...] = ("san", "bttr")
    runs = [f"{kind}={run(tmp_path / kind, kind, vocabulary)}" for kind in kinds]
    table = tmp_path / "speed.md"
    words = ["speed", str(pack), *runs, "--count", "2", "--beam", "3", "-o", str(table)]
    monkeypatch.setattr(sys, "argv", words)
    paper_speed.main()
    lines = table.read_text("utf-8").splitlines()
    assert lines[0].startswith("2 pictures, one at a time, on CPU")
    rows = [line.strip("| ").split(" | ") for line in lines[4:]]
    assert [row[:2] for row in rows] == [
        ["san", "step by step"], ["san", "level by level"], ["bttr", "greedy"], ["bttr", "beam 3"],
    ]  # fmt: skip
    assert all(float(row[3]) > 0 for row in rows)
    assert rows[0][4] == "1.00"

    monkeypatch.setattr(sys, "argv", ["speed", str(pack), "san"])
    with pytest.raises(SanError, match="a name and a run"):
        paper_speed.main()
