"""Sums: which come out, what has no value, and that strangers' formulas are bounded."""

import time

import pytest

from san.grammar import parse
from san.reader.rescoring.sums import MAX_DEPTH, check_sums


@pytest.mark.parametrize(
    "latex",
    [
        "1+2=3",
        "180^{\\circ}-40^{\\circ}-90^{\\circ}=50^{\\circ}",
        r"\frac{1}{18}+\frac{5}{18}+\frac{7}{18}=\frac{13}{18}",
        r"1\div6=\frac{1}{6}",
        r"4\times4\times21=336(dm^{2})",
        r"2\frac{1}{2}=\frac{5}{2}",
        r"3^{2}+4^{2}=5^{2}",
        r"\sqrt{\frac{81}{25}}=\frac{9}{5}",
        r"-2\times(3-5)=4",
        "2(3+4)=14",
        r"360\times(1-25\%)=270",
        r"10^{-2}=0.01",
        r"[2+\{3-1\}]^{2}=16",
        r"4\div7=0.571",
        r"\begin{cases}1+1=2\end{cases}",
        r"3:4=6:8",
        r"2=+2",
        "12,5+7,25=19,75",
        r"1\div4=0,25",
        r"c)\sqrt{16}=4",
        "12)3+4=7",
    ],
)
def test_sums_that_come_out(latex: str) -> None:
    assert check_sums(parse(latex)) == (1, 0)


@pytest.mark.parametrize(
    "latex",
    [
        "1+2=4",
        r"1+6=\frac{1}{6}",
        r"\frac{1}{18}+\frac{2}{18}=\frac{13}{18}",
        r"1.5=\frac{1}{3}",
        r"2\times3=6.5",
        r"2\frac{1}{2}=1",
        "-1=1",
        r"\angle A=90^{\circ}-30^{\circ}=50^{\circ}",
        "2)3+4=8",
    ],
)
def test_sums_that_do_not(latex: str) -> None:
    assert check_sums(parse(latex)) == (0, 1)


@pytest.mark.parametrize(
    "latex",
    [
        "",
        "=",
        "1+2",
        "2x=4",
        "1=x",
        "1,000=1000",
        r"\sqrt{2}=1",
        r"\frac{1}{0}=1",
        "0^{0}=1",
        "0^{-1}=1",
        "2^{99}=1",
        r"2^{\frac{1}{2}}=1",
        "007=8",
        "1.=1",
        ".5=1",
        "1.2.3=1",
        r"2\frac{3}{2}=3",
        "1_{2}=3",
        "2^{3}_{1}=8",
        "(1=2)",
        "(1+2=3",
        "1+=2",
        r"\frac{1}{2}^{2}=1",
        r"1\approx2",
        r"1\times\times2=2",
        "1600(cm)=16(m)",
        "1=2,3",
        r"+^{2}3=9",
        "1,2=1",
        r"\begin{matrix}1=2&3\\4&5\end{matrix}",
    ],
)
def test_what_is_no_number_is_not_judged(latex: str) -> None:
    assert check_sums(parse(latex)) == (0, 0)


def test_every_equation_of_a_chain_and_of_lines_counts() -> None:
    assert check_sums(parse("1+1=2=3")) == (1, 1)
    assert check_sums(parse("x=1+1=2")) == (1, 0)
    assert check_sums(parse(r"1+1=2\therefore1+1=3")) == (1, 1)
    assert check_sums(parse(r"\begin{cases}1+1=2\\2+2=5\\x=1\end{cases}")) == (1, 1)


def test_strangers_formulas_are_bounded() -> None:
    nested = "(" * 5000 + "1" + ")" * 5000 + "=1"
    began = time.process_time()
    for latex in (
        nested,
        "=".join(["9" * 12 + "^{9}"] * 50),
        r"\times".join(["9" * 12 + "^{9}"] * 200) + "=1",
        r"\frac{1}{" * 400 + "1" + "}" * 400 + "=1",
        "1" * 5000 + "=1",
        "(" * 10 + "9^{9}" + ")^{9}" * 10 + "=1",  # more digits than there are atoms
        r"\times".join(["(9^{9})^{9}"] * 300) + "=1",
        "+".join(rf"\frac{{1}}{{{number}}}" for number in range(10**11, 10**11 + 400)) + "=1",
    ):
        check_sums(parse(latex))
    assert check_sums(parse(nested)) == (0, 0)
    assert check_sums(parse("(" * (MAX_DEPTH - 1) + "1" + ")" * (MAX_DEPTH - 1) + "=1")) == (1, 0)
    assert time.process_time() - began < 5
