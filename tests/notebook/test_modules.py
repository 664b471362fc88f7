"""The page's modules as one text."""

from san.notebook.modules import IMPORT, PAGE_SCRIPTS, imported_first, single_module


def test_a_module_stands_behind_what_it_imports() -> None:
    order = imported_first("san.js")
    assert order[-1] == "san.js"
    assert {"client.js", "ink.js", "stroke.js"} <= set(order)
    for place, name in enumerate(order):
        imported = IMPORT.findall((PAGE_SCRIPTS / name).read_text("utf-8"))
        assert set(imported) <= set(order[:place]), name


def test_every_import_of_these_is_understood() -> None:
    for name in imported_first("san.js"):
        text = (PAGE_SCRIPTS / name).read_text("utf-8")
        lines = [line for line in text.splitlines() if line.startswith(("import", "export {"))]
        assert all(IMPORT.search(line) for line in lines), name


def test_the_script_stands_behind_the_modules() -> None:
    text = single_module("stroke.js", "export default { render };\n")
    assert text.endswith("export default { render };\n")
    assert text.count("const loaded = load(") == 1
