"""The paper's figures from tiny networks that know four formulas of our own ink by heart."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from san.decoding.frontier import decode
from san.decoding.stack import decode_stacks
from san.errors import SanError
from san.grammar.languages import Kind

pytest.importorskip("torch")

from tools.paper_drawing import draw_strings
from tools.paper_figures import make_figures, open_system
from tools.paper_looks import looks_of
from tools.paper_samples import LONGER, OwnSample, own_samples

from san.model.torch.readers import StepReader
from san.training.dataset import ArraySource, PackedDataset
from san.training.loop import TrainingRun
from tests.training.test_kinds import settings
from tests.training.test_loop import quiet
from tools import paper_figures

pytestmark = pytest.mark.slow

KNOWN = ("pythagoras", "einstein", "logarithm", "gravity")
"""The names of the formulas that all are trained on."""


def known(hands: int) -> list[OwnSample]:
    return [one for one in own_samples(hands) if one.name.partition(",")[0] in KNOWN]


def trained(folder: Path, kind: Kind, samples: list[OwnSample]) -> Path:
    images = [sample.image.picture for sample in samples]
    data = PackedDataset(ArraySource(images, [sample.tree for sample in samples]), "cpu", kind=kind)
    plan = settings(kind, epochs=60, batch_size=4, optimiser="adamw", learning_rate=1e-2, ema=0.9)
    TrainingRun(plan, data, None, folder / kind, say=quiet).go()
    return folder / kind


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder, samples = tmp_path_factory.mktemp("runs"), known(1)
    # The string decoder is shown the first of them alone: it breaks where the tree does not.
    strings = trained(folder, "dwap", samples[:1])
    return {kind: trained(folder, kind, samples) for kind in ("san", "san-gs")} | {"dwap": strings}


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    def samples(hands: int) -> Iterator[OwnSample]:
        return iter(known(hands))

    monkeypatch.setattr(paper_figures, "own_samples", samples)


def test_attention_that_a_step_is_given(runs: dict[str, Path]) -> None:
    pixels = known(1)[0].pixels
    readers = {kind: open_system(f"{kind}={run}").reader for kind, run in runs.items()}
    for reader in readers.values():
        assert isinstance(reader, StepReader)
        looks = looks_of(reader, pixels)
        assert looks[0].given.max() == 0.0
        for look in looks:
            assert look.own.sum() == pytest.approx(1.0, abs=1e-4)
    by_path, of_all, of_string = (looks_of(reader, pixels) for reader in readers.values())
    # a^2+b^2=c^2: with coverage every step adds its attention; on a path scripts leave nothing.
    assert [round(float(look.given.sum())) for look in of_string] == [*range(len(of_string))]
    assert "".join(look.name for look in of_string) == "a^{2}+b^{2}=c^{2}"
    for looks in (by_path, of_all):
        assert "".join(look.name for look in looks) == "asup2+bsup2=csup2"
    names = [look.name for look in by_path]
    (plus,) = (place for place, name in enumerate(names) if name == "+")
    assert round(float(by_path[plus].given.sum())) == 2  # a, and the E behind it
    assert round(float(of_all[plus].given.sum())) == 4  # 2 and its end, too


def test_pictures_are_made_where_there_are_samples(
    runs: dict[str, Path], few: None, tmp_path: Path
) -> None:
    systems = [open_system(f"{name}={run}") for name, run in runs.items()]
    index = make_figures(tmp_path / "figures", systems, 1).read_text("utf-8")
    assert "| san | san | 4 | 4 |" in index
    assert "| dwap | dwap | 1 | 4 |" in index
    assert "Not read by san: no sample is like that." in index
    pictures = {path.name for path in (tmp_path / "figures").glob("*.png")}
    assert pictures == {"attention.png", "strings.png"}
    for name in pictures:
        assert f"]({name})" in index
        with Image.open(tmp_path / "figures" / name) as picture:
            assert picture.width == 1280
            colours = np.unique(np.asarray(picture).reshape(-1, 3), axis=0)
            assert len(colours) > 20

    # A network that knows one of them fails at the others: where is framed in red.
    swapped = {"san": trained(tmp_path, "san", known(1)[:1])}
    systems = [open_system(f"{name}={run}") for name, run in swapped.items()]
    index = make_figures(tmp_path / "figures", systems, 1).read_text("utf-8")
    assert "no sample" not in index
    pixels = np.asarray(Image.open(tmp_path / "figures" / "failures.png").convert("RGB"), int)
    red = (pixels[..., 0] > 150) & (pixels[..., 1] < 90) & (pixels[..., 2] < 60)
    assert red[:, :430].any()  # on the ink
    assert red[:, 480:].any()  # in the text


def test_strings_without_end_are_cut(runs: dict[str, Path]) -> None:
    sample = known(1)[0]
    (reading,) = decode_stacks(_engine(runs["san-gs"]), [sample.pixels])
    (other,) = decode(_engine(runs["san"]), [sample.pixels])

    class Endless:
        parses, latex, expression = False, " ".join(["x"] * 5000), None

    long = draw_strings([(sample, {"dwap": Endless(), "san": other})])  # type: ignore[dict-item]
    short = draw_strings([(sample, {"dwap": reading, "san": other})])
    assert short.height <= long.height < 2 * short.height


def _engine(run: Path) -> StepReader:
    reader = open_system(f"one={run}").reader
    assert isinstance(reader, StepReader)
    return reader


def test_samples_are_the_same_each_time_and_hands_are_not() -> None:
    first, again = list(own_samples(2)), list(own_samples(2))
    for one, other in zip(first, again, strict=True):
        assert np.array_equal(one.image.picture, other.image.picture)
    half = len(first) // 2
    for one, other in zip(first[:half], first[half:], strict=True):
        assert one.label == other.label
        assert one.image.picture.shape != other.image.picture.shape or not np.array_equal(
            one.image.picture, other.image.picture
        )
    assert {sample.label for sample in first} >= set(LONGER.values())


def test_what_is_wrong_is_told(runs: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(SanError, match="a name and a run"):
        open_system("runs/paper/san-plain-0")
    with pytest.raises(SanError, match="one of the networks has to be of kind san"):
        make_figures(tmp_path, [open_system(f"dwap={runs['dwap']}")], 1)
