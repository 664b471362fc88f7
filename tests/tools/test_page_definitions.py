from tools.page_definitions import FILE, text


def test_the_page_has_the_definitions_of_the_grammar() -> None:
    """After a change: python -m tools.page_definitions"""
    assert FILE.read_text(encoding="utf-8") == text()
