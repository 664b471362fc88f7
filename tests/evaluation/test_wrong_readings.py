from san.evaluation.wrong_readings import Gallery
from tests.evaluation.readings import wrong_reading


def test_the_shortest_come_first_and_only_so_many_are_kept() -> None:
    gallery = Gallery(3)
    for name, label in enumerate(("a+b+c", "a", "a+b", "a+b+c+d", "b")):
        gallery.offer(wrong_reading(label, "x", str(name)))
    assert [shown.label for shown in gallery] == ["a", "b", "a+b"]
    assert (len(gallery), gallery.offered) == (3, 5)


def test_steps_stand_in_reading_order_and_what_differs_is_marked() -> None:
    shown_steps = list(wrong_reading(r"\frac{a}{b}+1", r"\frac{a}{c}+1").shown_steps())
    assert [shown.step.target for shown in shown_steps] == [
        r"\frac", "<extend>", "a", "<empty>", "c", "<empty>", "+", "1", "<empty>",
    ]  # fmt: skip
    assert [shown.step.target for shown in shown_steps if shown.wrong] == ["c"]


def test_a_right_symbol_in_a_wrong_place_is_marked() -> None:
    shown_steps = wrong_reading("x^2", "x2").shown_steps()
    assert [shown.step.target for shown in shown_steps if shown.wrong] == ["2"]


def test_attention_is_cut_to_the_picture() -> None:
    assert {shown.attention.shape for shown in wrong_reading("x", "y").shown_steps()} == {(3, 5)}


def test_a_label_that_is_no_formula_comes_last() -> None:
    gallery = Gallery(5)
    gallery.offer(wrong_reading(r"\frac{", "x"))
    gallery.offer(wrong_reading("a+b+c", "x"))
    assert [shown.label for shown in gallery] == ["a+b+c", r"\frac{"]
    assert not any(shown.wrong for wrong in list(gallery)[1:] for shown in wrong.shown_steps())
