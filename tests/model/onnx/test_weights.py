"""A file that does not fit is refused with one line."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load, save

from san.errors import SanError
from san.model.checksum import CHECKSUM, checksum
from san.model.onnx.models import build_models
from san.model.spec import NetworkConfig
from tests.conftest import REPOSITORY

WEIGHTS = REPOSITORY / "src" / "san" / "models" / "san.safetensors"
NETWORK = dataclasses.asdict(NetworkConfig())
SIZES = [name for name, value in NETWORK.items() if isinstance(value, int)]
Arrays = dict[str, NDArray[np.generic]]


@pytest.fixture(scope="module")
def content() -> bytes:
    return WEIGHTS.read_bytes()


def _facts(content: bytes) -> dict[str, str]:
    facts: dict[str, str] = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])[
        "__metadata__"
    ]
    return facts


def _lack(arrays: Arrays) -> None:
    del arrays["decoder.gru_beta.bias_hh"]


def _reshape(arrays: Arrays) -> None:
    arrays["encoder.stem.weight"] = arrays["encoder.stem.weight"][:, :, :5, :5].copy()


def _add(arrays: Arrays) -> None:
    arrays["decoder.more\nweight"] = np.zeros(3, np.float32)


def _spoil(value: float) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        spoilt = arrays["decoder.symbol_head.bias"].copy()
        spoilt[3] = value
        arrays["decoder.symbol_head.bias"] = spoilt

    return change


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_are_none(content: bytes, value: float) -> None:
    arrays: Arrays = dict(load(content))
    _spoil(value)(arrays)
    with pytest.raises(SanError, match=r"damaged .*symbol_head\.bias is not of finite"):
        build_models(save(arrays, _facts(content)))


def test_a_changed_number_is_noticed_where_a_checksum_is_kept(content: bytes) -> None:
    arrays: Arrays = dict(load(content))
    facts = _facts(content) | {CHECKSUM: checksum(arrays)}
    assert build_models(save(arrays, facts)).hidden == 256
    _spoil(0.5)(arrays)
    with pytest.raises(SanError, match=r"damaged weights \(their checksum is another"):
        build_models(save(arrays, facts))


def test_what_has_no_end_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(SanError, match=r"/dev/zero: cannot be opened \(not a regular file\)"):
        build_models(Path("/dev/zero"))
    with (tmp_path / "huge.safetensors").open("wb") as file:
        file.truncate(1 << 40)  # a terabyte of nothing
    with pytest.raises(SanError, match="larger than 1,073,741,824 bytes"):
        build_models(tmp_path / "huge.safetensors")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_lack, "decoder.gru_beta.bias_hh is missing"),
        (_reshape, "encoder.stem.weight is 48 x 1 x 5 x 5, not 48 x 1 x 7 x 7"),
        (_add, "decoder.more\N{REPLACEMENT CHARACTER}weight has no place"),
    ],
)
def test_arrays_that_do_not_fit(content: bytes, change: Callable[[Arrays], None], why: str) -> None:
    arrays: Arrays = dict(load(content))
    change(arrays)
    with pytest.raises(SanError) as caught:
        build_models(save(arrays, _facts(content)))
    assert str(caught.value) == f"weights: weights and configuration do not fit ({why})"


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("format", "san-1", "format san-1; this version of san reads san-2"),
        ("format", "san-9", "no weights of this network"),
        ("vocabulary", "[1]", "metadata cannot be read"),
        ("vocabulary", '["x"]', "do not fit"),
        ("network", "{", "metadata cannot be read"),
        ("network", "[]", "metadata cannot be read"),
        ("network", "[" * 100_000, "metadata cannot be read"),
        ("network", json.dumps(NETWORK | dict.fromkeys(SIZES, 0)), "metadata cannot be read"),
        ("network", json.dumps(NETWORK | {"hidden": float("inf")}), "metadata cannot be read"),
        ("network", json.dumps(NETWORK | dict.fromkeys(SIZES, "many")), "metadata cannot be read"),
        ("network", json.dumps(NETWORK | dict.fromkeys(SIZES, 10**30)), "metadata cannot be read"),
        ("network", json.dumps({"hidden": 8}), "metadata cannot be read"),
        ("network", json.dumps(NETWORK | {"hidden": 8}), "do not fit"),
        (
            "network",
            json.dumps(NETWORK | {"kind": "san-gs"}),
            "of kind san-gs; ONNX",
        ),
    ],
)
def test_metadata_that_does_not_fit(content: bytes, name: str, value: str, why: str) -> None:
    facts = {**_facts(content), name: value}
    with pytest.raises(SanError, match=why) as caught:
        build_models(save(dict(load(content)), facts))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("nonsense", [b"", b"nonsense", b"\xff" * 64, b"\x02" + b"\0" * 7 + b"{}"])
def test_what_is_no_weights_file(tmp_path: Path, nonsense: bytes) -> None:
    path = tmp_path / "bad.safetensors"
    with pytest.raises(SanError, match="cannot be opened"):
        build_models(path)
    path.write_bytes(nonsense)
    for source in (path, nonsense):
        with pytest.raises(SanError, match="no weights") as caught:
            build_models(source)
        assert "\n" not in str(caught.value)
