"""The whole recipe is data: it is printed, read back, documented and checked."""

import dataclasses
import tomllib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from san.config import build, to_toml
from san.errors import SanError
from san.synth.config import SynthConfig


def options(config: Any, section: str) -> Iterator[tuple[str, "dataclasses.Field[Any]", Any]]:
    for option in dataclasses.fields(config):
        value = getattr(config, option.name)
        if dataclasses.is_dataclass(value):
            yield from options(value, f"{section}.{option.name}")
        else:
            yield f"{section}.{option.name}", option, value


def test_the_recipe_is_read_back_as_it_is_printed() -> None:
    config = SynthConfig()
    assert build(SynthConfig, tomllib.loads(to_toml(config))) == config


def test_every_value_is_described() -> None:
    assert [
        name for name, option, _ in options(SynthConfig(), "") if not option.metadata["doc"]
    ] == []


def test_every_number_has_a_range_and_lies_in_it() -> None:
    for name, option, value in options(SynthConfig(), "synth"):
        if isinstance(value, str | bool) or not np.size(value):
            continue
        assert {"low", "high"} <= option.metadata.keys(), name
        for number in np.ravel(value).tolist():
            assert option.metadata["low"] <= number <= option.metadata["high"], name


def test_one_number_can_be_changed_and_the_others_of_its_section_stay() -> None:
    config = build(SynthConfig, {"photo_distortion": {"slant": 0.2}})
    default = SynthConfig().photo_distortion
    assert config.photo_distortion == dataclasses.replace(default, slant=0.2)
    config = build(SynthConfig, {"photo_distortion": {"joined_strokes": {"bow": 0.3}}})
    joined = dataclasses.replace(default.joined_strokes, bow=0.3)
    assert config.photo_distortion == dataclasses.replace(default, joined_strokes=joined)


def test_a_number_out_of_its_range_is_one_line() -> None:
    with pytest.raises(SanError, match=r"^layout\.marks\.cover_gap\[1\]: 99\.0 is not between"):
        build(SynthConfig, {"layout": {"marks": {"cover_gap": [0.1, 99.0]}}})


def test_composed_samples_can_be_less_wild() -> None:
    usual = build(SynthConfig, {"composed_wildness": 0.5})
    assert usual.composed_distortion == usual.distortion  # wildness is off
    wild = build(SynthConfig, {"composed_wildness": 0.5, "distortion": {"wildness": [0.6, 2.0]}})
    assert wild.distortion.wildness == (0.6, 2.0)
    assert wild.composed_distortion == dataclasses.replace(wild.distortion, wildness=(0.3, 1.0))
