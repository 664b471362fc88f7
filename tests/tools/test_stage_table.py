"""The table of a configuration's stages."""

from pathlib import Path

import pytest
from tools.stage_table import table

from san.errors import SanError
from san.grammar.vocabulary import Vocabulary
from san.model.torch.kinds import build_network
from san.model.torch.weights import save_weights
from tests.training.test_loop import SMALL

STAGES = '[[stages]]\nname = "a"\n[[stages]]\nname = "b"\n[[stages]]\nname = "c"\n'


def trained(folder: Path, **facts: object) -> None:
    saved(folder, {"minutes": 4.0, "samples": 12345, "seed": 1, "finished": True} | facts)


def saved(folder: Path, facts: dict[str, object]) -> None:
    folder.mkdir(parents=True)
    network = build_network(SMALL, Vocabulary(("x",)))
    tensors = {name: one for name, one in network.state_dict().items() if "reversed" not in name}
    save_weights(folder / "weights.safetensors", tensors, SMALL, network.vocabulary, facts)


def test_each_stage_that_has_weights_is_a_row_in_the_order_of_the_file(tmp_path: Path) -> None:
    config = tmp_path / "all.toml"
    config.write_text(STAGES, "utf-8")
    scores = {"validation_exact": 61.25, "validation_cross_entropy": 0.21}
    trained(tmp_path / "c", **scores, **{"validation_exact_val-photos": 50.0})
    trained(tmp_path / "a", **scores, finished=False)
    assert table(config, tmp_path).splitlines() == [
        "| stage | minutes | samples | seed | ExpRate | cross entropy | val-photos |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        "| a (not finished) | 4.0 | 12,345 | 1 | 61.25 | 0.2100 |  |",
        "| c | 4.0 | 12,345 | 1 | 61.25 | 0.2100 | 50.00 |",
    ]


def test_what_weights_do_not_say_is_an_empty_cell(tmp_path: Path) -> None:
    config = tmp_path / "all.toml"
    config.write_text(STAGES, "utf-8")
    saved(tmp_path / "b", {"finished": True})
    assert table(config, tmp_path).splitlines()[2] == "| b |  |  |  |  |  |"


def test_nothing_trained_is_one_line(tmp_path: Path) -> None:
    config = tmp_path / "all.toml"
    config.write_text(STAGES, "utf-8")
    with pytest.raises(SanError, match=r"no stage of .* has weights in it"):
        table(config, tmp_path)
