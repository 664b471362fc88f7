from san.evaluation.gallery import Gallery
from tests.evaluation.readings import exhibit


def test_the_shortest_come_first_and_only_so_many_are_kept() -> None:
    gallery = Gallery(3)
    for name, label in enumerate(("a+b+c", "a", "a+b", "a+b+c+d", "b")):
        gallery.offer(exhibit(label, "x", str(name)))
    assert [shown.label for shown in gallery] == ["a", "b", "a+b"]
    assert (len(gallery), gallery.offered) == (3, 5)


def test_looks_stand_in_reading_order_and_what_differs_is_marked() -> None:
    looks = list(exhibit(r"\frac{a}{b}+1", r"\frac{a}{c}+1").looks())
    assert [look.step.target for look in looks] == [
        r"\frac", "<extend>", "a", "<empty>", "c", "<empty>", "+", "1", "<empty>",
    ]  # fmt: skip
    assert [look.step.target for look in looks if look.wrong] == ["c"]


def test_a_right_symbol_in_a_wrong_place_is_marked() -> None:
    looks = exhibit("x^2", "x2").looks()
    assert [look.step.target for look in looks if look.wrong] == ["2"]


def test_attention_is_cut_to_the_picture() -> None:
    assert {look.attention.shape for look in exhibit("x", "y").looks()} == {(3, 5)}


def test_a_label_that_is_no_formula_comes_last() -> None:
    gallery = Gallery(5)
    gallery.offer(exhibit(r"\frac{", "x"))
    gallery.offer(exhibit("a+b+c", "x"))
    assert [shown.label for shown in gallery] == ["a+b+c", r"\frac{"]
    assert not any(look.wrong for shown in list(gallery)[1:] for look in shown.looks())
