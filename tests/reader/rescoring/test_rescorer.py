"""Sense: what counts, that it is a probability, and that a file that is none is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import save

from san.decoding.confidence import fingerprint
from san.errors import SanError
from san.grammar import parse
from san.models import NETWORK, SENSE
from san.reader.rescoring.rescorer import FORMAT, Rule, Sense, unpaired
from tests.reader.small_sense import HIDDEN, NAMES, arrays, likes

FACTS = {
    "format": FORMAT,
    "words": json.dumps(NAMES),
    "hidden": str(HIDDEN),
    "rule": json.dumps(vars(Rule())),
}


def test_the_network_alone_is_taken_at_its_word() -> None:
    sense = Sense(likes({}, Rule()))
    trees = [parse(latex) for latex in ("x", "y", "(x")]
    assert sense.judge(trees, [0.5, 0.2, 0.1]) == pytest.approx([0.5, 0.2, 0.1])


def test_what_reads_well_wins_where_the_network_wavers() -> None:
    rule = replace(Rule(), fluency=1.0)
    trees = [parse("x+x"), parse("x+y")]
    close, far = [0.4, 0.35], [0.8, 0.001]
    for liked, first in (({"x": 2.0}, 0), ({"y": 2.0}, 1)):
        sense = Sense(likes(liked, rule))
        confidence = sense.judge(trees, close)
        assert int(np.argmax(confidence)) == first
        assert 0 < sum(confidence) < 1
        assert int(np.argmax(sense.judge(trees, far))) == 0  # ink counts as well


def test_kinds_and_brackets_count() -> None:
    trees = [parse("x+y"), parse("x+x")]
    assert np.argmax(Sense(likes({}, replace(Rule(), kinds=-1.0))).judge(trees, [0.4, 0.3])) == 1
    trees = [parse("(x+x"), parse("(x)x")]
    bent = Sense(likes({}, replace(Rule(), brackets=-1.0)))
    assert np.argmax(bent.judge(trees, [0.4, 0.3])) == 1


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
    ],
)
def test_brackets_close_in_their_own_chain(latex: str, count: int) -> None:
    assert unpaired(parse(latex)) == count


def test_improbable_readings_are_still_ranked() -> None:
    sense = Sense()
    confidence = sense.judge([parse("x+1"), parse("x+2")], [1e-40, 1e-44])
    assert confidence[0] > confidence[1] > 0
    assert sense.judge([parse("x")], [0.0])[0] >= 0
    assert sense.judge([parse("x")], [1.0])[0] > 0.9


def test_the_shipped_one_knows_mathematics() -> None:
    sense = Sense()
    assert SENSE.stat().st_size <= 1_600_000
    better, worse = r"\sin(x)+\cos(x)", r"\sin(x+\cos)x)"
    fluent = sense.features([parse(better), parse(worse)])[:, 0]
    assert fluent[0] > fluent[1] + 3
    trees = [parse("x^{2}+2x+1"), parse(r"x^{2}+2\times+1")]
    assert np.argmax(sense.judge(trees, [0.3, 0.35])) == 0


def test_the_shipped_one_is_fitted_for_the_shipped_network() -> None:
    """After new weights: python -m tools.fit_sense test2014.bitmaps.zip"""
    sense = Sense()
    assert sense.fitted_for == fingerprint(NETWORK)
    assert sense.rule != Rule()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"format": "san-1"}, "no weights of this network"),
        ({"words": "[]"}, "different names"),
        ({"words": "7"}, "different names"),
        ({"words": json.dumps(dict.fromkeys(NAMES))}, "different names"),
        ({"words": json.dumps(["x"] * 10)}, "different names"),
        ({"words": json.dumps(["x", [], {}])}, "different names"),
        ({"words": "[" * 100_000}, "metadata"),
        ({"hidden": "-1"}, "no size"),
        ({"hidden": "1e9"}, "metadata"),
        ({"hidden": "7"}, "do not fit"),
        ({"rule": "{}"}, "metadata"),
        ({"rule": json.dumps({**vars(Rule()), "steps": float("nan")})}, "no numbers"),
    ],
)
def test_another_file_is_one_line(change: dict[str, str], why: str) -> None:
    with pytest.raises(SanError, match=why) as refused:
        Sense(save(dict(arrays()), {**FACTS, **change}))
    assert "\n" not in str(refused.value)


def test_arrays_that_lack_or_are_too_many_are_refused() -> None:
    own = arrays()
    del own["bias"]
    with pytest.raises(SanError, match="bias is missing"):
        Sense(save(own, FACTS))
    with pytest.raises(SanError, match="has no place"):
        Sense(save({**arrays(), "more": np.zeros(1, np.float16)}, FACTS))
    with pytest.raises(SanError, match="no weights can be read"):
        Sense(b"nonsense")
