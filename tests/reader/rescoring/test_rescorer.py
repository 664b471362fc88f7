"""Rescoring: what counts, that it is a probability, and that a file that is none is refused."""

import json

import numpy as np
import pytest
from safetensors.numpy import save

from san.decoding.confidence import fingerprint
from san.errors import SanError
from san.grammar import parse
from san.models import NETWORK, RESCORING
from san.reader.rescoring.rescorer import FORMAT, Rescorer, RescoringWeights, unpaired_brackets
from tests.reader.small_rescorer import HIDDEN, NAMES, arrays, likes

FACTS = {
    "format": FORMAT,
    "vocabulary": json.dumps(NAMES),
    "hidden": str(HIDDEN),
    "weights": json.dumps(vars(RescoringWeights())),
}


def test_the_network_alone_is_taken_at_its_word() -> None:
    rescorer = Rescorer(likes({}, RescoringWeights()))
    trees = [parse(latex) for latex in ("x", "y", "(x")]
    assert rescorer.confidences(trees, [0.5, 0.2, 0.1]) == pytest.approx([0.5, 0.2, 0.1])


def test_what_reads_well_wins_where_the_network_wavers() -> None:
    weights = RescoringWeights(language_model=1.0)
    trees = [parse("x+x"), parse("x+y")]
    close, far = [0.4, 0.35], [0.8, 0.001]
    for liked, first in (({"x": 2.0}, 0), ({"y": 2.0}, 1)):
        rescorer = Rescorer(likes(liked, weights))
        confidence = rescorer.confidences(trees, close)
        assert int(np.argmax(confidence)) == first
        assert 0 < sum(confidence) < 1
        assert int(np.argmax(rescorer.confidences(trees, far))) == 0  # ink counts as well


def test_lines_are_judged_by_those_who_have_met_some() -> None:
    single, lines = parse("x+y"), parse(r"\begin{cases}x\\y\end{cases}")
    rescorer = Rescorer(likes({}, RescoringWeights(steps=1.0)))
    assert rescorer.can_judge(single)
    assert not rescorer.can_judge(lines)
    assert not rescorer.features([single, lines]).any()  # the network alone counts
    assert rescorer.features([single, parse("x")]).any()


def test_kinds_and_brackets_count() -> None:
    trees = [parse("x+y"), parse("x+x")]
    assert (
        np.argmax(
            Rescorer(likes({}, RescoringWeights(distinct_symbols=-1.0))).confidences(
                trees, [0.4, 0.3]
            )
        )
        == 1
    )
    trees = [parse("(x+x"), parse("(x)x")]
    rescorer = Rescorer(likes({}, RescoringWeights(unpaired_brackets=-1.0)))
    assert np.argmax(rescorer.confidences(trees, [0.4, 0.3])) == 1


@pytest.mark.parametrize(
    ("latex", "count"),
    [
        ("(x)", 0),
        ("(x", 1),
        (r"\frac{(x}{y)}", 2),
        (r"x^{(2)}", 0),
        ("|x|", 0),
        ("|x", 1),
        (r"[x)", 2),
        (r"\{x\}", 0),
        ("", 0),
        (r"\begin{cases}x\\y\end{cases}", 0),
        (r"\begin{cases}x)\\(y\end{cases}", 2),
        (r"\begin{rcases}x\\y\end{rcases}=1", 0),
        (r"(\begin{matrix}x\\y\end{matrix}", 1),
        (r"\begin{pmatrix}x&y\end{pmatrix}", 0),
    ],
)
def test_brackets_close_in_their_own_chain(latex: str, count: int) -> None:
    assert unpaired_brackets(parse(latex)) == count


def test_a_language_model_of_single_formulas_has_no_say_in_several_lines() -> None:
    weights = RescoringWeights(language_model=1.0, steps=1.0)
    rescorer = Rescorer(likes({"x": 5.0}, weights))
    trees = [parse(r"\begin{cases}y=1\\z=2\end{cases}"), parse("x=1")]
    assert rescorer.confidences(trees, [0.5, 0.3]) == pytest.approx([0.5, 0.3])


def test_improbable_readings_are_still_ranked() -> None:
    rescorer = Rescorer()
    confidence = rescorer.confidences([parse("x+1"), parse("x+2")], [1e-40, 1e-44])
    assert confidence[0] > confidence[1] > 0
    assert rescorer.confidences([parse("x")], [0.0])[0] >= 0
    assert rescorer.confidences([parse("x")], [1.0])[0] > 0.9


def test_the_shipped_one_knows_mathematics() -> None:
    rescorer = Rescorer()
    assert RESCORING.stat().st_size <= 1_600_000
    better, worse = r"\sin(x)+\cos(x)", r"\sin(x+\cos)x)"
    fluent = rescorer.features([parse(better), parse(worse)])[:, 0]
    assert fluent[0] > fluent[1] + 3
    trees = [parse("x^{2}+2x+1"), parse(r"x^{2}+2\times+1")]
    assert np.argmax(rescorer.confidences(trees, [0.3, 0.35])) == 0
    numbered = [parse(r"c)\sqrt{16}=4"), parse(r"c>\sqrt{16}=4")]  # with a sum that comes out
    assert np.argmax(rescorer.confidences(numbered, [0.7, 0.1])) == 0


def test_the_shipped_one_is_fitted_for_the_shipped_network() -> None:
    """After new weights: python -m tools.fit_rescoring test2014.bitmaps.zip val_photos.zip"""
    rescorer = Rescorer()
    assert rescorer.fitted_for == fingerprint(NETWORK)
    assert rescorer.weights != RescoringWeights()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"format": "san-1"}, "no weights of this network"),
        ({"vocabulary": "[]"}, "different names"),
        ({"vocabulary": "7"}, "different names"),
        ({"vocabulary": json.dumps(dict.fromkeys(NAMES))}, "different names"),
        ({"vocabulary": json.dumps(["x"] * 10)}, "different names"),
        ({"vocabulary": json.dumps(["x", [], {}])}, "different names"),
        ({"vocabulary": "[" * 100_000}, "metadata"),
        ({"hidden": "-1"}, "no size"),
        ({"hidden": "1e9"}, "metadata"),
        ({"hidden": "7"}, "do not fit"),
        ({"weights": "{}"}, "metadata"),
        (
            {"weights": json.dumps({**vars(RescoringWeights()), "steps": float("nan")})},
            "no numbers",
        ),
    ],
)
def test_another_file_is_one_line(change: dict[str, str], why: str) -> None:
    with pytest.raises(SanError, match=why) as refused:
        Rescorer(save(dict(arrays()), {**FACTS, **change}))
    assert "\n" not in str(refused.value)


def test_arrays_that_lack_or_are_too_many_are_refused() -> None:
    own = arrays()
    del own["output_bias"]
    with pytest.raises(SanError, match="output_bias is missing"):
        Rescorer(save(own, FACTS))
    with pytest.raises(SanError, match="has no place"):
        Rescorer(save({**arrays(), "more": np.zeros(1, np.float16)}, FACTS))
    with pytest.raises(SanError, match="no weights can be read"):
        Rescorer(b"nonsense")
