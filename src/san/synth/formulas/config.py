"""Configuration of formulas: which are chosen from text, and how likely invented ones are."""

from dataclasses import dataclass, field, fields

from san.config import ranged
from san.errors import SanError


@dataclass(frozen=True)
class MaxFormulas:
    """How many formulas a text file gives, by how its name begins."""

    crohme: int = ranged(13_000, 0, 10_000_000, "files whose names begin so")
    mathwriting: int = ranged(8_000, 0, 10_000_000, "files whose names begin so")
    hme100k: int = ranged(4_500, 0, 10_000_000, "files whose names begin so")
    mne: int = ranged(1_000, 0, 10_000_000, "files whose names begin so")
    others: int = ranged(5_000, 0, 10_000_000, "any other file")

    def of(self, name: str) -> int:
        """Of a file of this name."""
        begins = (source.name for source in fields(self) if name.startswith(source.name))
        return int(getattr(self, next(begins, "others")))


@dataclass(frozen=True)
class FormulaTextConfig:
    """What `san ink formulas` chooses from text files."""

    max_steps: int = ranged(60, 1, 1000, "of a formula: 99% of CROHME's have fewer")
    max_line_steps: int = ranged(150, 1, 1000, "the same for one of several lines")
    max_formulas: MaxFormulas = field(default_factory=MaxFormulas)


@dataclass(frozen=True)
class FactorShares:
    """How likely each form of a factor is; what is left is letters and numbers."""

    fraction: float = ranged(0.08, 0.0, 1.0, r"\frac{}{}")
    root: float = ranged(0.04, 0.0, 1.0, r"\sqrt{}")
    bracket: float = ranged(0.07, 0.0, 1.0, "(a+b)^{2}")
    function: float = ranged(0.05, 0.0, 1.0, r"\sin x")
    big_operator: float = ranged(0.025, 0.0, 1.0, r"\sum with limits")
    integral: float = ranged(0.015, 0.0, 1.0, r"\int with limits, and dx")
    limit: float = ranged(0.015, 0.0, 1.0, r"\lim, \max")
    series: float = ranged(0.01, 0.0, 1.0, r"a_{1},\ldots,a_{n}")
    figure: float = ranged(0.03, 0.0, 1.0, r"\angle ABC")
    cover: float = ranged(0.02, 0.0, 1.0, r"\overline{AB}")
    accent: float = ranged(0.02, 0.0, 1.0, r"\hat{x}")
    ring: float = ranged(0.01, 0.0, 1.0, r"\textcircled{1}")
    decimal: float = ranged(0.01, 0.0, 1.0, "3.14")
    degree: float = ranged(0.01, 0.0, 1.0, r"30^{\circ}")
    prime: float = ranged(0.01, 0.0, 1.0, r"f^{\prime}")
    postfix: float = ranged(0.02, 0.0, 1.0, r"5!, 30\%")
    blank: float = ranged(0.015, 0.0, 1.0, r"\square")
    scripted_letter: float = ranged(0.2, 0.0, 1.0, "x_{i}^{2}, as far as scripts are drawn")


@dataclass(frozen=True)
class InventConfig:
    """Chances of the grammar's rules."""

    frequency_power: float = ranged(
        0.5, 0.0, 1.0, "symbols of a class are drawn by how often they were written, to this power"
    )
    deep_share: float = ranged(0.2, 0.0, 1.0, "of formulas: nested deeply")
    deep_levels: int = ranged(3, 1, 20, "of those: nested so many levels")
    another_level: float = ranged(0.25, 0.0, 1.0, "of those: nested one level more")
    deep_fraction: int = ranged(2, 0, 100, "weight of fractions among their levels")
    deep_root: int = ranged(1, 0, 100, "weight of roots among their levels")
    deep_denominator: float = ranged(0.5, 0.0, 1.0, "what is nested is below the bar, not above it")
    deep_script: float = ranged(0.4, 0.0, 1.0, "one of the innermost levels is a script")
    deep_script_levels: int = ranged(2, 0, 20, "those that may be: small print nobody reads")
    deep_subscript: float = ranged(0.2, 0.0, 1.0, "which is a subscript, if it is short")
    max_deep_subscript: int = ranged(3, 0, 100, "symbols of one that is short")
    deep_neighbour: float = ranged(0.5, 0.0, 1.0, "something plain beside a level")
    neighbour_behind: float = ranged(0.5, 0.0, 1.0, "of those: behind it, not before it")
    relation: float = ranged(0.4, 0.0, 1.0, "a relation and another sum")
    relation_below: int = ranged(3, 0, 100, "symbols: shorter sums always have one")
    relation_text: float = ranged(0.06, 0.0, 1.0, "of relations: an arrow with text above")
    relation_text_below: float = ranged(0.2, 0.0, 1.0, "and below")
    leading_ring: float = ranged(0.02, 0.0, 1.0, "a number in a ring first")
    leading_sign: float = ranged(0.03, 0.0, 1.0, r"\therefore first")
    leading_quantifier: float = ranged(0.03, 0.0, 1.0, r"\forall x first")
    full_stop: float = ranged(0.02, 0.0, 1.0, "a full stop last")
    another_term: float = ranged(0.45, 0.0, 0.95, "of sums; less in what is nested")
    another_term_depth: float = ranged(0.5, 0.0, 10.0, "by how much less, a level")
    separator: float = ranged(0.2, 0.0, 1.0, "a comma instead of a sign, outermost")
    leading_minus: float = ranged(0.08, 0.0, 1.0, "of sums")
    another_factor: float = ranged(0.25, 0.0, 0.95, "of terms")
    plain_sum: float = ranged(0.4, 0.0, 1.0, "of what is plain: two symbols with a sign between")
    digit: float = ranged(0.5, 0.0, 1.0, "of single plain symbols: a digit, not a letter")
    letter: float = ranged(0.5, 0.0, 1.0, "of factors without a form: a letter, not a number")
    max_digits: int = ranged(3, 1, 20, "of a number")
    digits_power: float = ranged(2.0, 0.0, 10.0, "of a uniform number: long numbers are seldom")
    plainer_a_level: float = ranged(0.12, 0.0, 1.0, "part of the forms that a level loses")
    superscript: float = ranged(0.25, 0.0, 1.0, "of letters that may have scripts")
    subscript: float = ranged(0.2, 0.0, 1.0, "of letters that may have scripts")
    script_depth: float = ranged(0.3, 0.0, 10.0, "by how much less, a level")
    short_script: float = ranged(0.6, 0.0, 1.0, "of scripts: one symbol, not a sum")
    root_index: float = ranged(0.2, 0.0, 1.0, "of roots")
    bracket_script_depth: int = ranged(2, 0, 20, "levels by which a bracket's scripts are rarer")
    bracket_pair: float = ranged(0.2, 0.0, 1.0, "of brackets: a comma and another symbol")
    log_base: float = ranged(0.5, 0.0, 1.0, r"of \log")
    function_power: float = ranged(0.2, 0.0, 1.0, "of other functions")
    operator_limits: float = ranged(0.8, 0.0, 1.0, "of big operators: a lower limit")
    operator_upper: float = ranged(0.8, 0.0, 1.0, "of those: an upper limit")
    integral_limits: float = ranged(0.7, 0.0, 1.0, "of integrals")
    maximum_range: float = ranged(0.4, 0.0, 1.0, r"of \max and the like: over what")
    figure_corners: float = ranged(0.6, 0.0, 1.0, "of figures: three capitals, not one")
    cover_side: float = ranged(0.5, 0.0, 1.0, "of covers: two capitals below")
    accent_subscript: float = ranged(0.2, 0.0, 1.0, "of accented letters")
    ring_number: float = ranged(0.7, 0.0, 1.0, "of rings: a number")
    max_ring_digits: int = ranged(2, 1, 20, "of that number")
    postfix_number: float = ranged(0.5, 0.0, 1.0, "of postfix signs: behind a number")
    factors: FactorShares = field(default_factory=FactorShares)


@dataclass(frozen=True)
class InventLinesConfig:
    """Shares and chances of invented formulas of several lines."""

    system: float = ranged(0.28, 0.0, 1.0, "share: equations behind a brace")
    congruence: float = ranged(0.06, 0.0, 1.0, r"share: \angle ABC=\angle DEF and the like")
    cases: float = ranged(0.14, 0.0, 1.0, "share: a function by cases")
    stacked: float = ranged(0.17, 0.0, 1.0, "share: lines without a brace")
    matrix: float = ranged(0.35, 0.0, 1.0, "share: matrices")
    max_rows: int = ranged(6, 2, 20, "of lines")
    rows_power: float = ranged(2.5, 0.1, 10.0, "of a uniform number: above 1, few rows are common")
    max_side: int = ranged(5, 2, 20, "rows and columns of a matrix")
    side_power: float = ranged(1.7, 0.1, 10.0, "the same for the sides of a matrix")
    longest_line: int = ranged(12, 1, 100, "symbols of a line that is a formula by itself")
    subscripted: float = ranged(0.15, 0.0, 1.0, "of systems: letters have an index")
    solution: float = ranged(0.2, 0.0, 1.0, "of systems: x=1, y=2")
    determined: float = ranged(0.7, 0.0, 1.0, "of the others: as many lines as letters")
    missing_letter: float = ranged(0.15, 0.0, 1.0, "that a letter is not in a line")
    leading_minus: float = ranged(0.12, 0.0, 1.0, "of lines")
    minus: float = ranged(0.5, 0.0, 1.0, "before a term, else a plus")
    angle: float = ranged(0.5, 0.0, 1.0, "of congruences: angles, else sides")
    squared: float = ranged(0.1, 0.0, 1.0, "of letters")
    coefficient: float = ranged(0.6, 0.0, 1.0, "of letters: a number before it")
    over: float = ranged(0.08, 0.0, 1.0, "of terms: over a number")
    inequality: float = ranged(0.2, 0.0, 1.0, "of systems and of conditions")
    numbered: float = ranged(0.15, 0.0, 1.0, "lines end in their numbers, in rings")
    leading_sign: float = ranged(0.06, 0.0, 1.0, r"\therefore before a system")
    comma: float = ranged(0.6, 0.0, 1.0, "between a value and its condition")
    bracketed_condition: float = ranged(0.25, 0.0, 1.0, "(x>0)")
    function_head: float = ranged(0.8, 0.0, 1.0, "f(x)= before cases")
    free_line: float = ranged(0.4, 0.0, 1.0, "of stacked lines: any formula")
    leading_relation: float = ranged(0.2, 0.0, 1.0, "of the others: =5, as it goes on")
    matrix_head: float = ranged(0.3, 0.0, 1.0, "A= before a matrix")
    matrix_power: float = ranged(0.12, 0.0, 1.0, "a script on its bracket")
    transpose: float = ranged(0.5, 0.0, 1.0, "of such scripts: T, else 2")
    another_matrix: float = ranged(0.18, 0.0, 1.0, "a second one behind it")
    matrix_sign: float = ranged(0.5, 0.0, 1.0, "between the two")
    matrix_value: float = ranged(0.1, 0.0, 1.0, "=5 behind it")
    square: float = ranged(0.7, 0.0, 1.0, "as many columns as rows")
    vector: float = ranged(0.12, 0.0, 1.0, "one column")
    round: float = ranged(0.4, 0.0, 1.0, "share of brackets: ( )")
    square_brackets: float = ranged(0.33, 0.0, 1.0, "share of brackets: [ ]")
    bars: float = ranged(0.2, 0.0, 1.0, "share of brackets: | |")
    no_brackets: float = ranged(0.07, 0.0, 1.0, "share: none")
    indexed_entries: float = ranged(0.12, 0.0, 1.0, "of matrices: a_{12}")
    short_entries: float = ranged(0.15, 0.0, 1.0, "of matrices: entries are short formulas")
    negative_entry: float = ranged(0.2, 0.0, 1.0, "of other entries")
    letter_entry: float = ranged(0.2, 0.0, 1.0, "of other entries")
    long_entry: float = ranged(0.2, 0.0, 1.0, "of numbers: up to three digits, not one")
    fraction_entry: float = ranged(0.04, 0.0, 1.0, "of other entries")
    negative_value: float = ranged(0.25, 0.0, 1.0, "of right sides")
    fraction_value: float = ranged(0.15, 0.0, 1.0, "of right sides")
    root_value: float = ranged(0.05, 0.0, 1.0, "of right sides")

    def __post_init__(self) -> None:
        kinds = self.system + self.congruence + self.cases + self.stacked + self.matrix
        if not kinds or not self.round + self.square_brackets + self.bars + self.no_brackets:
            raise SanError("synth.invent_lines: one share of each choice must be above 0")
