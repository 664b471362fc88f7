"""The sections of the two small networks that readings are rescored with."""

from pathlib import Path

import pytest

from san.errors import SanError
from san.training.config import load_config
from san.training.rescoring_config import (
    LanguageModelConfig,
    StrokeNetworkConfig,
    check_sections,
    load_language_model,
    load_stroke_network,
)
from tests.training.test_config import write


def test_the_language_model_has_a_section_of_its_own(tmp_path: Path) -> None:
    path = write(tmp_path, "[language_model]\nsteps = 7\n[training]\nepochs = 3")
    assert load_language_model(path).steps == 7
    assert load_config(path).training.epochs == 3
    assert load_language_model(write(tmp_path, "")) == LanguageModelConfig()
    for text, complaint in (
        ("[language_model]\nstep = 7", "language_model.step: unknown; known here are hidden,"),
        ("[language_model]\nsteps = 0", "language_model.steps: 0 is not between 1 and inf"),
        ("language_model = 3", "language_model: a section, not 3"),
    ):
        with pytest.raises(SanError, match=complaint):
            load_language_model(write(tmp_path, text))


def test_so_has_the_network_of_strokes(tmp_path: Path) -> None:
    path = write(tmp_path, "[stroke_network]\nepochs = 7\n[training]\nepochs = 3")
    assert load_stroke_network(path).epochs == 7
    assert load_config(path).training.epochs == 3
    assert load_stroke_network(write(tmp_path, "")) == StrokeNetworkConfig()
    for text in (
        "[stroke_network]\nepoch = 7",
        "[stroke_network]\nhead_width = 0",
        "stroke_network = 3",
    ):
        with pytest.raises(SanError, match="stroke_network"):
            check_sections(write(tmp_path, text))
