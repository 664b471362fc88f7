"""A file of results ends with a whole line, and a later run goes on behind it."""

import json
from pathlib import Path
from typing import Any

import pytest

from san.cli.results_file import ResultsFile
from san.errors import SanError
from san.ink import draw
from san.reader.inputs import Input, find_inputs
from tests.cli.console import complaint, san
from tests.conftest import REPOSITORY
from tests.data.drawn import encoded
from tests.reader.pages.written import lines_of


def kept(file: ResultsFile, *ids: str) -> list[str]:
    """Those that are not read again."""
    wanted = [Input(id, Path(f"{id}.png")) for id in ids]
    left = file.not_done(wanted)
    return [item.id for item in wanted if item not in left]


def test_what_a_killed_run_left_of_a_line_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "read.tsv"
    path.write_text("a\tx\nb#1\ty\nb#2\tz\nc\tunfin")
    with ResultsFile(path, resume=True) as file:
        assert kept(file, "a", "b", "b#1", "c", "") == ["a", "b", "b#1"]
        file.write("c\tw\n")
    assert path.read_text() == "a\tx\nb#1\ty\nb#2\tz\nc\tw\n"


@pytest.mark.parametrize("name", ["read.tsv", "read.jsonl", "read.md", "read.tex"])
def test_what_stood_there_goes_when_something_is_written(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("an hour of work\n")
    done = san("read", tmp_path / "mistyped.png", "-o", path)
    assert done.returncode == 1
    assert f"0 read: {path} is left as it was" in done.stderr
    assert path.read_text() == "an hour of work\n"
    with ResultsFile(path) as file:
        file.flush()
        assert file.keeps_old
        file.write("x\n")
    assert not file.keeps_old
    assert path.read_text() == "x\n"
    with ResultsFile(tmp_path / "new.tsv") as file:
        assert not file.keeps_old


def test_json_lines_are_known_by_their_ids(tmp_path: Path) -> None:
    path = tmp_path / "read.jsonl"
    path.write_text(json.dumps({"id": "ü", "latex": "x"}, ensure_ascii=False) + '\n{"id": "b')
    with ResultsFile(path, resume=True) as file:
        assert kept(file, "ü", "b") == ["ü"]
    assert path.read_text().endswith('"x"}\n')


@pytest.mark.parametrize("torn", ["", "b", "b#3", "b#3\tunfin"])
def test_a_page_whose_end_is_not_known_is_read_again(tmp_path: Path, torn: str) -> None:
    path = tmp_path / "read.tsv"
    path.write_text("a#1\tx\na#2\ty\nb#1\tz\nb#2\tw\n" + torn)
    with ResultsFile(path, resume=True) as file:
        file.drop_unfinished(["a", "b"])
        assert kept(file, "a", "b") == ["a"]
        file.write("b#1\tv\n")
    assert path.read_text() == "a#1\tx\na#2\ty\nb#1\tv\n"


@pytest.mark.parametrize(
    ("name", "content", "wanted"),
    [
        ("read.tsv", "b#1\tz\nb#2\tw\nc\tx\n", "b"),
        ("read.tsv", "b#1\tz\nb#2\tw\nc\tunfin", "b"),
        ("read.tsv", "b#1\tz\nb#2\tw\nb#2x\tun", "b"),
        ("read.tsv", "b#1\tz\nb#2\tw\n", "a"),  # nobody would read it again
        ("read.jsonl", '{"id": "b"}\n{"id": "b#1"}\n', "b"),  # all of a source on its line
    ],
)
def test_what_is_whole_or_not_read_now_is_kept(
    tmp_path: Path, name: str, content: str, wanted: str
) -> None:
    path = tmp_path / name
    path.write_text(content)
    with ResultsFile(path, resume=True) as file:
        file.drop_unfinished([wanted])
        assert kept(file, "b") == ["b"]
    assert path.read_text() == content[: content.rindex("\n") + 1]


@pytest.mark.parametrize(
    ("name", "content"), [("read.tsv", "a\tx\n"), ("read.jsonl", '{"id": "a"}\n')]
)
def test_a_byte_order_mark_is_no_part_of_an_id(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8-sig")
    with ResultsFile(path, resume=True) as file:
        assert file.ids == {"a"}
        file.write("b\ty\n")
    assert path.read_text(encoding="utf-8-sig") == f"{content}b\ty\n"


@pytest.mark.parametrize("content", ["no table\n", "\xff\n", "[]\n"])
@pytest.mark.parametrize("name", ["a.tsv", "a.jsonl"])
def test_another_file_is_not_gone_on_with(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="latin-1")
    with pytest.raises(SanError, match="line 1 is no result"):
        ResultsFile(path, resume=True)
    assert path.read_text(encoding="latin-1") == content


@pytest.mark.parametrize(("line", "how"), [("a\tx\n", "without"), ("a\tx\t0.9\n", "with")])
def test_a_table_keeps_its_columns(tmp_path: Path, line: str, how: str) -> None:
    path = tmp_path / "read.tsv"
    path.write_text(line)
    ResultsFile(path, resume=True, confidence=how == "with")
    with pytest.raises(SanError, match=f"was written {how} --confidence"):
        ResultsFile(path, resume=True, confidence=how != "with")
    assert path.read_text() == line


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("read.tsv", "a\tx\nb#1\ty\nb#2\tz\n"),
        ("read.jsonl", '{"id": "a"}\n{"id": "b", "formulas": []}\n'),
    ],
)
def test_a_page_is_no_single_formula(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    with ResultsFile(path, resume=True) as file:
        file.check_single(["a", "c"])
        with pytest.raises(SanError, match="b stands there with several formulas"):
            file.check_single(["a", "b"])


def left_of(path: Path, *names: str) -> list[str]:
    """The ids of files that a resumed run reads, as rows or a refusal."""
    with ResultsFile(path, resume=True) as file:
        return [item.id for item in file.not_done(find_inputs(names)[0])]


def test_rows_of_json_know_their_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("read.jsonl")
    rows = [{"id": "a", "file": "x/a.png"}, {"id": "d.p1", "file": "x/d.pdf"}, {"id": "old"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert left_of(path, "x/a.png", "x/b.png", "old.png") == ["b"]
    assert left_of(path, str(tmp_path / "x" / "a.png")) == []
    assert left_of(path, "x/a.png", "y/a.png") == ["y/a"]
    with pytest.raises(SanError, match=r"^read.jsonl: a stands there, of x/a.png: name another"):
        left_of(path, "y/a.png")
    with pytest.raises(SanError, match=r"^read.jsonl: old stands there, which x/old.png may be"):
        left_of(path, "x/old.png", "y/old.png")
    pages = [Input(f"x/d.p{number}", Path("x/d.pdf"), number) for number in (1, 2)]
    with ResultsFile(path, resume=True) as file:
        assert file.not_done(pages) == pages[1:]


def test_what_a_table_calls_otherwise_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "read.tsv"
    path.write_text("a\tx\n")
    assert left_of(path, "x/a.png", "b.png") == ["b"]
    assert left_of(path, "a.png", "x/a.png") == ["x/a"]
    with pytest.raises(SanError, match=r"a stands there, which x/a.png may be: resume with the"):
        left_of(path, "x/a.png", "y/a.png")
    path.write_text("x/a\tx\ny/a\ty\n")
    assert left_of(path, "x/a.png", "y/a.png") == []
    with pytest.raises(SanError, match=r"x/a stands there, which x/a.png may be"):
        left_of(path, "x/a.png")
    path.write_text("page#1\tx\npage#2\ty\n")
    with pytest.raises(SanError, match=r"page stands there, which x/page.png may be"):
        left_of(path, "x/page.png", "x/page#1.png")


class FullDisk:
    """A file on a disk with room for ten bytes more."""

    def __init__(self, file: Any) -> None:
        self.file, self.room = file, 10

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def write(self, content: bytes) -> int:
        if not self.room:
            raise OSError(28, "No space left on device")
        part = content[: self.room]
        self.room -= len(part)
        return int(self.file.write(part))

    def truncate(self, size: int) -> None:
        self.room += self.file.seek(0, 2) - size
        self.file.truncate(size)


def test_a_full_disk_leaves_no_half_line(tmp_path: Path) -> None:
    path = tmp_path / "read.tsv"
    with ResultsFile(path) as file:
        file._file = FullDisk(file._file)  # type: ignore[assignment]
        file.write("a\tx\n")
        file.flush()
        file.write("b\tlonger than fits\n")
        with pytest.raises(SanError, match="no space left"):
            file.flush()
    assert path.read_text() == "a\tx\n"


def test_a_full_disk_leaves_the_end_of_a_document(tmp_path: Path) -> None:
    path = tmp_path / "read.tex"
    with ResultsFile(path, ending="end\n") as file:
        file.write("x\n")
        file.flush()
        file._file = FullDisk(file._file)  # type: ignore[assignment]
        file.write("y\n" * 50)
        with pytest.raises(SanError, match="no space left"):
            file.flush()
    assert path.read_text() == "x\nend\n"


@pytest.mark.slow
def test_reading_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    samples = REPOSITORY / "samples"
    names = [str(samples / name) for name in ("euler.inkml", "euler.png", "basel.inkml")]
    results = tmp_path / "read.tsv"
    whole = san("read", "--quick", *names, "-o", str(tmp_path / "whole.tsv"))
    assert whole.returncode == 0
    lines = (tmp_path / "whole.tsv").read_text().splitlines(keepends=True)
    results.write_text("".join(lines[:2]) + lines[2][:4])
    resumed = san("read", "--quick", *names, "-o", str(results), "--resume")
    assert "2 read before" in resumed.stderr
    assert "1 read" in resumed.stderr
    assert results.read_text() == "".join(lines)
    again = san("read", "--quick", *names, "-o", str(results), "--resume")
    assert again.returncode == 0
    assert results.read_text() == "".join(lines)


@pytest.mark.slow
def test_a_page_that_was_half_written_is_read_again(tmp_path: Path) -> None:
    page = tmp_path / "page.png"
    page.write_bytes(encoded(255 - draw(lines_of("x+1=2", "a+b", gap=2.0))))
    results = tmp_path / "read.tsv"
    results.write_text("page#1\tx+1=2\npage#2\ta")
    done = san("read", "--quick", page, "-o", results, "--resume")
    said = [f"0 read before: {results}", f"1 read, 2 formulas: {results}"]
    assert done.stderr.splitlines() == said
    assert results.read_text() == "page#1\tx+1=2\npage#2\ta+b\n"


@pytest.mark.slow
def test_there_has_to_be_something_to_go_on_with() -> None:
    assert "name it with --output" in complaint("read", "samples/euler.png", "--resume")
    for name in ("out.md", "out.tex"):
        said = complaint("read", "samples/euler.png", "--resume", "-o", name)
        assert said == f"san: {name}: --resume goes on with .tsv and .jsonl alone"
