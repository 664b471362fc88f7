"""Documents name what there is: their links, files, modules and configuration keys exist."""

import re
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest
from typer.main import get_command

from san.cli.main import app
from san.ink import read_inkml
from tests.conftest import REPOSITORY

DOCS = REPOSITORY / "docs"
MANUAL = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]
CARDS = sorted((REPOSITORY / "src" / "san" / "models").glob("*.md"))
EXPERIMENTS = sorted((REPOSITORY / "experiments").glob("*.md"))
LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")
FENCE = re.compile(r"^\s*```.*?^\s*```$", re.DOTALL | re.MULTILINE)
PYTHON = re.compile(r"^```python$(.*?)^```$", re.DOTALL | re.MULTILINE)
PATH = re.compile(
    r"(?<![\w/.{-])((?:src|tests|tools|benchmarks|configs|docs|experiments|recipes|samples)/[\w./*-]+)"
)
MODULE = re.compile(r"`(san(?:\.(?!json`|safetensors`)\w+)+)`")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
SECTIONS = ("network", "data", "training", "synth")
KEY = re.compile(rf"(?:`\[?|--set )((?:{'|'.join(SECTIONS)})(?:\.[a-z_]+)+)")


def name_of(page: Path) -> str:
    return str(page.relative_to(REPOSITORY))


def anchors(page: Path) -> set[str]:
    """The names under which a page's headings are linked, as GitHub makes them."""
    prose = FENCE.sub("", page.read_text("utf-8"))
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [*MANUAL, *CARDS, *EXPERIMENTS], ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in LINK.findall(FENCE.sub("", page.read_text("utf-8"))):
        target, _, anchor = link.partition("#")
        file = page.parent / target if target else page
        assert file.exists(), link
        if anchor:
            assert anchor in anchors(file), link


def test_every_page_is_linked() -> None:
    starts = [REPOSITORY / "README.md", DOCS / "README.md", REPOSITORY / "experiments/README.md"]
    linked = {
        (start.parent / link.partition("#")[0]).resolve()
        for start in starts
        for link in LINK.findall(start.read_text("utf-8"))
    }
    assert {*DOCS.glob("*.md"), *EXPERIMENTS} - {*starts} <= linked


@pytest.mark.parametrize("page", [*MANUAL, *CARDS], ids=name_of)
def test_every_path_exists(page: Path) -> None:
    for path in PATH.findall(page.read_text("utf-8")):
        path = path.rstrip(".")
        assert any(REPOSITORY.glob(path)) or (REPOSITORY / path).exists(), path


@pytest.mark.parametrize("page", ["ink.md", "photos.md", "page.md"])
def test_a_table_of_files_has_every_file_of_its_folder(page: str) -> None:
    text = (DOCS / page).read_text("utf-8")
    ((name, table),) = re.findall(r"^\| file of `(.+?)/` .*\n((?:\|.*\n)+)", text, re.MULTILINE)
    folder, told = REPOSITORY / name, set[Path]()
    for row in table.splitlines():
        beside = ""  # behind `js/ink.js` stands `stroke.js`
        for file in re.findall(r"`(.+?)`", row.split("|")[1]):
            path = file if "/" in file else beside + file
            beside = path.rpartition("/")[0] + "/" if "/" in path else ""
            told.update(one for place in folder.glob(path) for one in (place, *place.rglob("*")))
    every = {file for file in folder.rglob("*.*") if file.suffix != ".pyc"}
    assert {file for file in every if file.name != "__init__.py"} <= told


@pytest.mark.parametrize("page", [*MANUAL, *CARDS], ids=name_of)
def test_every_module_exists(page: Path) -> None:
    for dotted in MODULE.findall(page.read_text("utf-8")):
        module, rest = dotted, list[str]()
        while find_module(module) is None:
            module, _, last = module.rpartition(".")
            assert module, dotted
            rest.insert(0, last)
        if rest:
            found = import_module(module)
            for attribute in rest:
                assert hasattr(found, attribute), dotted
                found = getattr(found, attribute)


def find_module(name: str) -> object:
    try:
        return find_spec(name)
    except ModuleNotFoundError:
        return None


@pytest.mark.parametrize("page", [*MANUAL, *CARDS], ids=name_of)
def test_every_import_of_the_samples_works(page: Path) -> None:
    for line in re.findall(r"^from san.* import .+$", page.read_text("utf-8"), re.MULTILINE):
        exec(line, {})


def test_a_collection_is_begun_in_an_empty_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (sample,) = PYTHON.findall((DOCS / "own-hand.md").read_text("utf-8"))
    monkeypatch.chdir(tmp_path)
    for _ in range(2):  # and may be gone on with
        exec(sample, {})
    assert read_inkml(tmp_path / "collection" / "minus.inkml").truth == "-"


@pytest.mark.parametrize("page", MANUAL, ids=name_of)
def test_every_attribute_of_the_samples_exists(page: Path) -> None:
    samples = re.findall(
        r"^```python$(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    used = {name for sample in samples for name in re.findall(r"[\w)\]]\.([a-z_]\w+)", sample)}
    assert used - FOREIGN <= names()


@cache
def names() -> frozenset[str]:
    """Names of Python files, and every word in them, in the package and beside it."""
    files = [
        file
        for folder in ("src/san", "tools", "benchmarks", "tests")
        for file in (REPOSITORY / folder).rglob("*.py")
        if file != Path(__file__)
    ]
    words = {word for file in files for word in re.findall(r"\w+", file.read_text("utf-8"))}
    return frozenset(words | {file.name for file in files} | {Path(__file__).name})


@pytest.mark.parametrize("page", [*MANUAL, *CARDS], ids=name_of)
def test_every_file_and_class_exists(page: Path) -> None:
    prose = FENCE.sub("", page.read_text("utf-8"))
    files = [Path(name).name for name in re.findall(r"`([\w/]+\.py)`", prose)]
    classes = re.findall(r"`([A-Z][a-z]+[A-Z]\w+)[`(.]", prose)
    keys = re.findall(r"`([a-z]+_[a-z_]+)[`(]", prose)
    assert set(files + classes + keys) - FOREIGN <= names()


FOREIGN = {  # of other programs, and of corpora
    "TrustedHostMiddleware", "AuthenticationMiddleware", "HTTPBearer", "StaticFiles", "DataLoader",
    "test_photos", "train_photos",
}  # fmt: skip


@cache
def options() -> frozenset[str]:
    """Every long option of `san` and its verbs, and of the scripts beside it."""
    found = {"--help"}
    commands = [get_command(app)]
    while commands:
        command = commands.pop()
        commands += getattr(command, "commands", {}).values()
        for parameter in command.params:
            found.update([*parameter.opts, *parameter.secondary_opts])
    for folder in ("tools", "benchmarks"):
        for script in (REPOSITORY / folder).glob("*.py"):
            found.update(re.findall(r"\"(--[a-z-]+)\"", script.read_text("utf-8")))
    return frozenset(found)


OTHERS = {  # of other programs: curl, accelerate, torchrun, npm
    "--data-binary", "--json", "--multi_gpu", "--multi", "--num", "--no", "--num-processes",
    "--no-python", "--nproc-per-node", "--prefix",
}  # fmt: skip


@pytest.mark.parametrize("page", MANUAL, ids=name_of)
def test_every_option_exists(page: Path) -> None:
    assert set(OPTION.findall(page.read_text("utf-8"))) <= options() | OTHERS


@pytest.mark.parametrize("page", MANUAL, ids=name_of)
def test_every_configuration_key_exists(page: Path) -> None:
    config = pytest.importorskip("san.training.config").Config()
    for dotted in KEY.findall(page.read_text("utf-8")):
        section = config
        for key in dotted.split("."):
            assert is_dataclass(section), dotted
            assert key in {field.name for field in fields(section)}, dotted
            section = getattr(section, key)


@pytest.mark.parametrize("page", [*MANUAL, *CARDS, *EXPERIMENTS], ids=name_of)
def test_one_sentence_a_line(page: Path) -> None:
    """A line of prose ends with its sentence: no sentence is broken over two lines."""
    lines = FENCE.sub("", page.read_text("utf-8")).splitlines()
    for line, following in pairwise(lines):
        prose = re.match(r"[A-Za-z*`(]|\s+[A-Za-z*`(]|[-\d.]+ ", line)
        if prose and re.match(r" *[a-z]", following):
            assert line.rstrip()[-1] in ".:;!?)*,", (line[-60:], following[:60])
