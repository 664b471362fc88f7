"""Every endpoint, as people use it."""

import io
import json
from base64 import b64encode

import pytest
from fastapi.testclient import TestClient
from httpx import Response
from PIL import Image
from pydantic import TypeAdapter

from san.grammar import parse, to_latex
from san.grammar.json import from_json
from san.ink import read_inkml, write_inkml
from san.serve.app import create_app
from san.serve.requests import SQUARE
from san.serve.responses import Result, WrittenForms
from tests.ink.formulas import fraction
from tests.serve.conftest import FRACTION, encoded, picture, recognizer, strokes

RESULT = TypeAdapter(Result)


def read(answer: Response) -> Result:
    """An answer that holds exactly what it promises."""
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    found = RESULT.validate_python(answer.json(), extra="forbid")
    assert found["latex"] == to_latex(parse(FRACTION))
    return found


@pytest.mark.parametrize("format", ["PNG", "JPEG", "WEBP", "BMP", "TIFF", "GIF"])
@pytest.mark.slow
def test_images(client: TestClient, format: str) -> None:
    content = picture(format)
    headers = {"Content-Type": f"image/{format.lower()}"}
    found = read(client.post("/api/v1/read", content=content, headers=headers))
    assert found["source"]["kind"] == "image"
    width, height = found["source"]["width"], found["source"]["height"]
    for symbol in found["expression"]["symbols"]:
        left, top, right, bottom = symbol["box"] or (0, 0, 0, 0)
        assert 0 <= left < right <= width
        assert 0 <= top < bottom <= height
        assert "strokes" not in symbol
        assert f'data-symbol="{symbol["id"]}"' in found["mathml"]


def test_a_form_is_as_good_as_a_body(client: TestClient) -> None:
    files = {"file": ("a photo.png", io.BytesIO(picture()), "image/png")}
    read(client.post("/api/v1/read", files=files, data={"note": "mine"}))


def test_options_in_a_form_are_not_passed_over(client: TestClient) -> None:
    files = {"file": ("a photo.png", io.BytesIO(picture()), "image/png")}
    answer = client.post("/api/v1/read", files=files, data={"n_best": "1"})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("n_best: options go in the query, as ?n_best=; ")


@pytest.mark.parametrize("kind", ["application/octet-stream", "", "text/plain; charset=utf-8"])
def test_what_an_image_is_called_does_not_matter(client: TestClient, kind: str) -> None:
    read(client.post("/api/v1/read", content=picture(), headers={"Content-Type": kind}))


def test_an_image_in_json(client: TestClient) -> None:
    content = b64encode(picture()).decode()
    in_lines = "\r\n".join(content[at : at + 60] for at in range(0, len(content), 60))
    for image in (content, f"data:image/png;base64,{content}", f"{in_lines}\n"):
        assert read(client.post("/api/v1/read", json={"image": image}))["latex"] == FRACTION
    page = client.post("/api/v1/page", json={"image": content}).json()
    assert [formula["latex"] for formula in page["formulas"]] == [FRACTION]
    for path in ("read", "page"):
        for wrong in ({"image": "?"}, {"image": ""}, {"image": 7}, {"image": content, "x": 1}):
            assert client.post(f"/api/v1/{path}", json=wrong).status_code == 422


def test_strokes(client: TestClient) -> None:
    found = read(client.post("/api/v1/ink", json={"strokes": strokes(), "unit": "px"}))
    ink = fraction().ink
    assert found["source"] == {"kind": "ink", "width": ink.box.width, "height": ink.box.height}
    # Each stroke belongs to the symbol that it was written for.
    owners = {glyph.label: list(glyph.strokes) for glyph in fraction().glyphs}
    for symbol in found["expression"]["symbols"]:
        assert symbol["strokes"] == owners[symbol["symbol"]]


def test_what_pens_tell_besides_is_passed_over(client: TestClient) -> None:
    plain = read(client.post("/api/v1/ink", json={"strokes": strokes()}))
    timed = [[[*point, 0.5, 7] for point in stroke] for stroke in strokes()]
    timed[0][0] = timed[0][0][:2]
    found = read(client.post("/api/v1/ink", json={"strokes": timed}))
    assert found["expression"] == plain["expression"]


@pytest.mark.parametrize("kind", ["application/inkml+xml", "text/xml", ""])
def test_inkml(client: TestClient, kind: str) -> None:
    content = write_inkml(fraction())
    headers = {"Content-Type": kind}
    found = read(client.post("/api/v1/ink", content=content, headers=headers))
    assert found["source"]["kind"] == "ink"


def test_options(client: TestClient) -> None:
    ink = {"strokes": strokes()}
    full = read(client.post("/api/v1/ink?n_best=4&beam=2&attention=true", json=ink))
    assert len(full["alternatives"]) == 3
    chances = [full["confidence"], *(other["confidence"] for other in full["alternatives"])]
    assert chances[0] == max(chances)
    symbol = full["expression"]["symbols"][0]
    looked = symbol["attention"]
    assert len(looked["values"]) == looked["rows"] * looked["columns"]
    assert sum(looked["values"]) == pytest.approx(1, abs=0.05)
    assert "attention" not in full["alternatives"][0]["expression"]["symbols"][0]
    assert "lg" not in full
    assert full["typst"]
    assert "mathml" in full

    bare = read(client.post("/api/v1/ink?n_best=1&boxes=false&formats=lg", json=ink))
    assert bare["alternatives"] == []
    assert not {"box", "strokes", "attention"} & bare["expression"]["symbols"][0].keys()
    assert "mathml" not in bare
    assert bare["lg"].count("O, ") == len(bare["expression"]["symbols"])
    for alone in ("latex", "json"):
        found = read(client.post(f"/api/v1/ink?n_best=1&formats={alone}", json=ink))
        assert not {"json", "mathml", "typst"} & found.keys()


def test_a_tree_is_written(client: TestClient) -> None:
    answer = client.post("/api/v1/write", json={"expression": SQUARE})
    written = TypeAdapter(WrittenForms).validate_python(answer.json(), extra="forbid")
    assert written["latex"] == "x^{2}"
    assert '<mi data-symbol="0">x</mi>' in written["mathml"]
    assert [symbol["symbol"] for symbol in written["expression"]["symbols"]] == ["x", "2"]


@pytest.mark.parametrize(
    ("typed", "latex"),
    [("β≤x", r"\beta\leq x"), (r"a \le b^2", r"a\leq b^{2}"), ("$x$", "x"), ("", "")],
)
def test_latex_is_written_in_any_spelling(client: TestClient, typed: str, latex: str) -> None:
    written = client.post("/api/v1/write", json={"latex": typed}).json()
    assert written["latex"] == latex
    assert parse(written["latex"]) == from_json(json.dumps(written["expression"]))


def test_an_answer_can_be_corrected(client: TestClient) -> None:
    found = client.post("/api/v1/ink", json={"strokes": strokes()}).json()["expression"]
    found["symbols"][0]["symbol"] = "y"
    answer = client.post("/api/v1/write", json={"expression": found})
    assert parse(answer.json()["latex"]) == parse(r"y=\frac{1}{2}")


@pytest.mark.parametrize(("name", "status"), [(r"\aleph", 200), ("zzz", 422)])
def test_known_symbols_that_nobody_can_hold(client: TestClient, name: str, status: int) -> None:
    """One that the network does not have is passed over; what is no symbol is refused."""
    known = [{"symbol": name, "strokes": [0]}]
    answer = client.post("/api/v1/ink", json={"strokes": strokes(), "known": known})
    assert answer.status_code == status


def test_known_symbols_are_held_fixed(client: TestClient) -> None:
    sheet = fraction()
    one = next(glyph for glyph in sheet.glyphs if glyph.label == "1")
    known: list[dict[str, object]] = [{"symbol": "7", "strokes": list(one.strokes)}]
    for path in ("ink", "page"):
        answer = client.post(
            f"/api/v1/{path}", json={"strokes": strokes(sheet), "known": known}
        ).json()
        found = answer["formulas"][0] if path == "page" else answer
        assert parse(found["latex"]) == parse(r"x=\frac{7}{2}")
    known[0]["strokes"] = [99]
    assert (
        client.post("/api/v1/ink", json={"strokes": strokes(), "known": known}).status_code == 422
    )


def test_ink_with_its_truth(client: TestClient) -> None:
    sheet = fraction()
    symbols = [{"symbol": glyph.label, "strokes": list(glyph.strokes)} for glyph in sheet.glyphs]
    question = {"strokes": strokes(sheet), "latex": sheet.truth, "symbols": symbols}
    answer = client.post("/api/v1/inkml", json=question)
    assert answer.headers["content-type"] == "application/inkml+xml"
    back = read_inkml(answer.content)
    assert back.glyphs == sheet.glyphs
    assert parse(back.truth or "") == parse(FRACTION)
    assert strokes(back) == strokes(sheet)


def test_health(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready"}


def test_the_page_and_its_files(client: TestClient) -> None:
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert client.get("/static/manual.css").headers["content-type"].startswith("text/css")
    manual = client.get("/docs").text
    assert "/api/v1/ink" in manual
    assert "<script" not in manual
    assert "http://" not in manual.replace(str(client.base_url), "")  # nothing from elsewhere


def test_a_service_that_is_not_yet_open_is_not_ready() -> None:
    closed = TestClient(create_app(recognizer()))  # its life has not begun
    for answer in (closed.get("/readyz"), closed.post("/api/v1/read", content=picture())):
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) >= 1
    assert closed.get("/healthz").status_code == 200


def test_the_ink_of_a_dot(client: TestClient) -> None:
    """No width, no height: still an answer."""
    answer = client.post("/api/v1/ink", json={"strokes": [[[5, 5]]]})
    assert answer.status_code == 200
    assert RESULT.validate_python(answer.json())["source"]["width"] == 0


def test_an_image_that_is_known_to_be_upright(client: TestClient) -> None:
    upside_down = encoded(Image.open("samples/gravity.png").rotate(180))
    for path in ("read", "page"):
        turned, known = (
            client.post(f"/api/v1/{path}?{query}", content=upside_down).text
            for query in ("", "upright=true")
        )
        assert '"turned":180' in turned
        assert '"turned"' not in known


def test_a_photograph_turned_by_its_camera(client: TestClient) -> None:
    """Boxes are those of the image as people see it."""
    upright = Image.open(io.BytesIO(picture()))
    turned = upright.transpose(Image.Transpose.ROTATE_90)
    turned.getexif()[0x0112] = 6  # the camera was held so: turn it back
    out = io.BytesIO()
    turned.save(out, "PNG", exif=turned.getexif())
    found = read(client.post("/api/v1/read", content=out.getvalue()))
    assert (found["source"]["width"], found["source"]["height"]) == upright.size
