"""Ids, however people write them."""

import pytest

from san.data.ids import id_of, match


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("train_0.jpg", "train_0"),
        ("images/train_0.JPEG", "train_0"),
        ("MfrDB\\MfrDB01.inkml", "MfrDB01"),
        ("18_em_0", "18_em_0"),
        ("version.2", "version.2"),
        ("200924-1331-195.inkml ", "200924-1331-195"),
    ],
)
def test_ids(name: str, key: str) -> None:
    assert id_of(name) == key


@pytest.mark.parametrize(
    ("ids", "labels", "found"),
    [
        (["a"], ["a"], {"a": "a"}),
        (["test_0"], ["test_0.jpg"], {"test_0": "test_0.jpg"}),
        (["test_0.png"], ["images/test_0.jpg"], {"test_0.png": "images/test_0.jpg"}),
        (["s1/1", "s2/1"], ["s2/1", "s1/1"], {"s1/1": "s1/1", "s2/1": "s2/1"}),
        (["s1/1", "s2/1"], ["s1/1.png", "s2/1.png"], {"s1/1": "s1/1.png", "s2/1": "s2/1.png"}),
        (["a.png", "a"], ["a.png"], {"a.png": "a.png"}),
        (["a"], ["a.png", "a.jpg"], {}),
        (["s1/a", "s2/a"], ["a"], {}),
        (["a", "a.png"], ["a.png", "a.jpg"], {"a.png": "a.png"}),
    ],
)
def test_what_is_equal_comes_first_and_what_is_in_doubt_is_left(
    ids: list[str], labels: list[str], found: dict[str, str]
) -> None:
    assert match(ids, labels) == found
