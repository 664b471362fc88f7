from pathlib import Path

import pytest

from san.reader.inputs import Input, find_inputs
from tests.data.drawn import fill


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    names = ["b.png", "a.inkml", "notes.txt", "sub/b.jpg", "sub/c.heic", ".hidden.png"]
    fill(tmp_path / "in", dict.fromkeys(names, ""))
    (tmp_path / "bare").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_folder_with_all_its_folders(folder: Path) -> None:
    inputs, failures = find_inputs(["in"])
    assert [(item.id, item.path.as_posix()) for item in inputs] == [
        ("a", "in/a.inkml"),
        ("in/b", "in/b.png"),
        ("in/sub/b", "in/sub/b.jpg"),
        ("c", "in/sub/c.heic"),
    ]
    assert failures == []


def test_a_picture_and_the_ink_of_one_name_are_told_apart(folder: Path) -> None:
    (folder / "in" / "a.png").write_bytes(b"")
    ids = [item.id for item in find_inputs(["in"])[0]]
    assert ids == ["in/a.inkml", "in/a.png", "in/b", "in/sub/b", "c"]


@pytest.mark.parametrize(
    ("names", "ids"),
    [
        (["page.png", "page#1.png"], ["page.png", "page#1.png"]),
        (["a/page.png", "b/page#12.png"], ["a/page", "b/page#12"]),
        (["notes.pdf", "notes.p2.png"], ["notes.pdf", "notes.p2.png"]),
        (["notes.pdf", "notes.p2#1.png"], ["notes.pdf", "notes.p2#1.png"]),
        (["-", "stdin.p2.png"], ["-", "stdin.p2"]),
        (["page", "page#1"], ["page#", "page#1#"]),
        (["page.png", "other#1.png", "page#x.png"], ["page", "other#1", "page#x"]),
        (["notes.png", "notes.p2.png"], ["notes", "notes.p2"]),  # a picture has no pages
    ],
)
def test_no_source_is_called_as_a_formula_or_a_page_of_another(
    folder: Path, names: list[str], ids: list[str]
) -> None:
    assert [item.id for item in find_inputs(names)[0]] == ids


@pytest.mark.parametrize(
    ("names", "ids"),
    [
        (["caf\udce8.png", "caf\udce9.png"], [r"caf\udce8", r"caf\udce9"]),
        (["a\tb.png", "a\nb.png"], [r"a\tb", r"a\nb"]),
        (["a\tb.png", r"a\tb.png"], [r"a\tb", r"a\\tb"]),
    ],
)
def test_names_that_cannot_be_printed_are_told_apart(names: list[str], ids: list[str]) -> None:
    assert [item.id for item in find_inputs(names)[0]] == ids


def test_files_and_patterns_each_file_once(folder: Path) -> None:
    inputs, failures = find_inputs(["in/notes.txt", "in/*.png", "in/b.png", "-", "none.png"])
    assert inputs == [
        Input("notes", Path("in/notes.txt")),
        Input("b", Path("in/b.png")),
        Input("stdin", Path("-")),
        Input("none", Path("none.png")),  # whoever opens it will say that it is not there
    ]
    assert failures == []
    assert [item.path.name for item in find_inputs(["in/**/*.jpg"])[0]] == ["b.jpg"]
    assert [item.path for item in find_inputs([str(folder / "in" / "*.png")])[0]] == [
        folder / "in/b.png"
    ]


def test_a_name_with_brackets_is_a_name_first(folder: Path) -> None:
    (folder / "x[1].png").write_bytes(b"")
    assert find_inputs(["x[1].png"])[0] == [Input("x[1]", Path("x[1].png"))]


def test_an_address_of_the_web_is_no_file() -> None:
    address = "https://example.org/a.png"
    (failure,) = find_inputs([address])[1]
    assert str(failure) == f"{address}: an address, where files are read: download it first"


def test_what_is_not_there_is_named(folder: Path) -> None:
    (folder / "in" / "gone.png").symlink_to("nowhere")
    inputs, failures = find_inputs(["bare", "*.gif", "in", "x" * 5000, ""])
    assert len(inputs) == 5
    assert [str(failure) for failure in failures] == [
        "bare: no images and no ink in this folder",
        "*.gif: no file fits this pattern",
        "in/gone.png: neither a file nor a folder",
        "an empty name: no file is named",
    ]
