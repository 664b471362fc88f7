"""A real server and real sockets: clients that are slow, silent, half gone or gone."""

import json
import socket
import struct
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import h11
import httpx
import pytest
from fastapi.testclient import TestClient

from san.reader import Recognizer, Source
from san.reader.cancellable import CancelCheck
from san.reader.prepared import PreparedImage
from san.serve import server
from san.serve.app import create_app
from san.serve.settings import Settings
from tests.serve.conftest import asking, live, picture, recognizer, sent, strokes, waits_for
from tests.serve.test_refusals import refusal

pytestmark = pytest.mark.live

INK = json.dumps({"strokes": strokes()}).encode()
IMAGE = {"content": picture()}


def post(body: bytes, length: int | None = None) -> bytes:
    claimed = len(body) if length is None else length
    head = "POST /api/v1/ink HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    return f"{head}Content-Length: {claimed}\r\n\r\n".encode() + body


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    settings = Settings(upload_timeout=0.5, allowed_hosts=())
    with live(create_app(recognizer(), settings)) as port:
        yield port


def test_a_request_over_the_wire(port: int) -> None:
    said = sent(port, post(INK))
    assert said.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"server:" not in said.partition(b"\r\n\r\n")[0].lower()
    assert json.loads(said.partition(b"\r\n\r\n")[2])["format"] == "san-result"


def test_a_body_that_does_not_come(port: int) -> None:
    said = sent(port, post(INK[:100], len(INK)))
    assert said.startswith(b"HTTP/1.1 408 ")
    assert b"application/problem+json" in said


def test_a_body_that_is_too_large_is_refused_unseen(port: int) -> None:
    said = sent(port, post(b"", 10**12))
    assert said.startswith(b"HTTP/1.1 413 ")
    url = f"http://127.0.0.1:{port}/api/v1/ink"
    with httpx.Client() as client:
        # Who sends it all the same hears of it, and may go on.
        assert "2,000,000 bytes" in refusal(client.post(url, content=bytes(9_000_000)), 413)
        chunks = (bytes(500_000) for _ in range(9))  # of no announced length
        assert "2,000,000 bytes" in refusal(client.post(url, content=chunks), 413)
        assert client.post(url, content=INK).status_code == 200


def test_half_closed_and_nonsense_do_no_harm(port: int) -> None:
    sent(port, post(INK[:100], len(INK)), half=True)
    sent(port, post(INK), half=True)
    assert sent(port, b"\x16\x03\x01 nonsense\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    assert sent(port, post(INK)).startswith(b"HTTP/1.1 200 ")


def test_who_says_nothing_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "IDLE_TIMEOUT", 0.2)
    with live(create_app(recognizer())) as port:
        assert sent(port, seconds=5) == b""
        assert sent(port, b"POST / HTTP/1.1\r\nHost:", seconds=5) == b""
        # Who is waiting for an answer is at work, however long that takes.
        assert sent(port, post(INK)).startswith(b"HTTP/1.1 200 ")


def test_who_does_not_take_the_answer_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "IDLE_TIMEOUT", 0.2)
    many = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 500
    with live(create_app(recognizer())) as port, socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        deaf.connect(("127.0.0.1", port))
        deaf.sendall(many)
        deaf.settimeout(0.1)

        def is_cut() -> bool:
            try:
                deaf.send(b"x")
            except OSError as error:
                return not isinstance(error, TimeoutError)
            return False

        assert waits_for(is_cut)


CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"


def test_a_body_of_tiny_chunks(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "FREE_CHUNKS", 100)
    head = post(b"").partition(b"Content-Length")[0] + CHUNKED
    few = b"".join(b"1\r\n%c\r\n" % byte for byte in b'{"strokes": [[[0, 0], [9, 9]]]}')
    assert sent(port, head + few + b"0\r\n\r\n").startswith(b"HTTP/1.1 200 ")
    said = sent(port, head + b"1\r\n \r\n" * (server.FREE_CHUNKS + 1))
    assert said.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert b"application/problem+json" in said
    assert b"send larger ones" in said
    # Nor is HEAD answered with a body here.
    bare = sent(port, head.replace(b"POST", b"HEAD") + b"1\r\n \r\n" * (server.FREE_CHUNKS + 1))
    assert bare.startswith(b"HTTP/1.1 400 ")
    assert bare.endswith(b"\r\n\r\n")


def test_tiny_chunks_leave_the_loop_to_others() -> None:
    now = [100.0]
    budget = server.ChunkBudget(lambda: now[0])

    def parsed(connection: server.LimitedConnection) -> int:
        """Pieces until it asks for more, or for a pause."""
        return sum(1 for _ in iter(connection.next_event, h11.NEED_DATA))

    def chunked(chunk: bytes, count: int) -> server.LimitedConnection:
        connection = server.LimitedConnection(h11.SERVER)
        connection.budget = budget
        head = post(b"").partition(b"Content-Length")[0] + CHUNKED
        connection.receive_data(head + b"%x\r\n%b\r\n" % (len(chunk), chunk) * count)
        return connection

    tiny, other = chunked(b" ", 1300), chunked(b" ", 10)
    assert parsed(tiny) == 1 + server.CHUNKS_A_SLICE
    assert tiny.deferred
    assert parsed(other) == 1  # its head: all together have so many
    now[0] += 1
    assert parsed(chunked(b" " * server.MIN_CHUNK_BYTES, 900)) == 901  # large ones are not counted
    tiny.deferred = False
    assert parsed(tiny) == server.CHUNKS_A_SLICE - 1
    now[0] += 1
    tiny.deferred = False
    parsed(tiny)
    assert not tiny.deferred


def test_tiny_chunks_are_taken_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "CHUNKS_A_SLICE", 10)
    body = b'{"strokes": [[[0, 0], [9, 9]]]}'
    tiny = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
    head = post(b"").partition(b"Content-Length")[0] + CHUNKED
    with live(create_app(recognizer())) as port, ThreadPoolExecutor(3) as pool:
        for said in pool.map(lambda _: sent(port, head + tiny), range(3)):
            assert said.startswith(b"HTTP/1.1 200 ")


def test_two_lengths_of_one_body_are_refused(port: int) -> None:
    head = b"POST /api/v1/ink HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n" + CHUNKED
    said = sent(port, head + b"0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 400 ")
    assert b"both Content-Length and Transfer-Encoding" in said
    assert said.count(b"HTTP/1.1 ") == 1  # what came behind is nobody's request
    assert b"connection: close" in said.lower()


@contextmanager
def idle(port: int, count: int) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [
            stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10))
            for _ in range(count)
        ]


def test_idle_connections_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MIN_IDLE_SECONDS", 0.0)
    with live(create_app(recognizer()), max_connections=5) as port, idle(port, 8) as silent:
        assert sent(port, post(INK)).startswith(b"HTTP/1.1 200 ")
        assert silent[0].recv(10) == b""  # the oldest was closed


def test_too_many_connections_are_told_so() -> None:
    with live(create_app(recognizer()), max_connections=5) as port:
        with idle(port, 5):
            head, _, body = post(INK).partition(b"\r\n\r\n")
            # In pieces, as clients do: the last may come when the answer is there.
            said = sent(port, head + b"\r\n\r\n", body[:9], body[9:])
            assert said.startswith(b"HTTP/1.1 503 ")
            assert b"retry-after: 1\r\n" in said
            assert b"too many connections" in said
            with idle(port, 2 * server.MAX_REFUSED) as refused:  # of these the first are closed
                assert refused[-1].recv(10).startswith(b"HTTP/1.1 5")
                assert sent(port, post(INK)).startswith(b"HTTP/1.1 503 ")
        assert waits_for(lambda: sent_or_reset(port, post(INK)).startswith(b"HTTP/1.1 200 "))


def sent_or_reset(port: int, content: bytes) -> bytes:
    try:
        return sent(port, content)
    except ConnectionError:
        return b""


def test_connections_stay_below_the_systems_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    for limit, allowed in ((1024, 512), (300, 300 - server.OTHER_DESCRIPTORS), (10, 1), (-1, 512)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, soft=limit: (soft, soft))
        assert server.allowed_connections(512) == allowed


def test_a_head_that_is_too_large(port: int) -> None:
    said = sent(port, b"GET / HTTP/1.1\r\nCookie: " + b"x" * server.MAX_HEAD_BYTES)
    assert said.startswith(b"HTTP/1.1 400 ")
    assert b"a head of more than 65,536 bytes" in said
    assert b"not HTTP" in sent(port, b"what is this?\r\n\r\n")


def pieces(content: bytes, size: int) -> Iterator[bytes]:
    return (content[at : at + size] for at in range(0, len(content), size))


def test_bodies_in_small_pieces_are_taken() -> None:
    photograph = picture() + bytes(300_000)  # what comes behind a picture's end is passed over
    # As JSON's own encoder hands it out: most are of one or two letters.
    ink = {"strokes": [[[place, place % 7] for place in range(900)]]}
    tokens = [token.encode() for token in json.JSONEncoder().iterencode(ink)]
    assert len(tokens) > 3_000
    with live(create_app(recognizer())) as port:
        address = f"http://127.0.0.1:{port}/api/v1/"
        for size in (1024, 100):
            answer = httpx.post(address + "read", content=pieces(photograph, size))
            assert answer.status_code == 200
        assert httpx.post(address + "ink", content=iter(tokens)).status_code == 200


def test_of_an_announced_length_any_pieces_will_do() -> None:
    connection = server.LimitedConnection(h11.SERVER)
    connection.receive_data(post(b"", server.FREE_CHUNKS + 1))
    assert isinstance(connection.next_event(), h11.Request)
    for _ in range(server.FREE_CHUNKS + 1):
        connection.receive_data(b" ")
        assert isinstance(connection.next_event(), h11.Data)
    assert isinstance(connection.next_event(), h11.EndOfMessage)


def test_nonsense_behind_an_answer(port: int, caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(b"POST /nothing HTTP/1.1\r\nHost: x\r\n" + CHUNKED)
        assert connection.recv(65536).startswith(b"HTTP/1.1 404 ")
        connection.sendall(b"no chunk\r\n")
        while connection.recv(65536):
            pass
    assert "Traceback" not in caplog.text


def test_who_leaves_in_the_middle_is_no_error_of_ours(
    port: int, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_connection(("127.0.0.1", port)) as gone:
        gone.sendall(post(INK[:100], len(INK)))
    with httpx.Client(base_url=f"http://127.0.0.1:{port}") as aside:
        left = 'san_requests_total{path="/api/v1/ink",status="499"}'
        assert waits_for(lambda: left in aside.get("/metrics").text)
    assert "an error of ours" not in caplog.text


class Held(Recognizer):
    """Opens what it is given, images at least, when it is let."""

    def __init__(self, every: bool = False) -> None:
        self.__dict__.update(recognizer().__dict__)
        self.every = every
        self.let, self.opened = threading.Event(), 0

    def open(self, source: Source, check: CancelCheck | None = None) -> PreparedImage:
        self.opened += 1
        if self.every or isinstance(source, bytes):
            self.let.wait(20)
        return super().open(source, check)


def test_who_sends_and_leaves_at_once_takes_nobodys_place() -> None:
    held = Held(every=True)
    settings = Settings(threads=1, max_queue=2)
    with live(create_app(held, settings)) as port, ThreadPoolExecutor(2) as pool:
        first = pool.submit(sent, port, post(INK))
        assert waits_for(lambda: held.opened == 1)
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", port)) as gone:
                gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                gone.sendall(post(INK) + b"GET / HTTP/1.1\r\n")
        second = pool.submit(sent, port, post(INK))
        held.let.set()
        assert first.result(20).startswith(b"HTTP/1.1 200 ")
        assert second.result(20).startswith(b"HTTP/1.1 200 ")


@pytest.mark.slow
def test_a_stop_is_answered_and_does_not_wait_for_ever(caplog: pytest.LogCaptureFixture) -> None:
    held = Held(every=True)  # as a decoder that does not end
    with ThreadPoolExecutor(2) as pool:
        with live(create_app(held, Settings(threads=1)), grace=1) as port:
            asked = pool.submit(sent, port, post(INK))
            half_sent = pool.submit(sent, port, post(INK[:50], len(INK)))
            assert waits_for(lambda: held.opened == 1)
        answers = asked.result(20), half_sent.result(20)
        held.let.set()
    for said in answers:
        assert said.startswith(b"HTTP/1.1 503 ")
        assert b"the service is stopping" in said
        assert b"retry-after" in said.lower()
    assert "Traceback" not in caplog.text


def test_who_leaves_is_not_read() -> None:
    held = Held(every=True)
    app = create_app(held, Settings(threads=1))
    with live(app) as port, httpx.Client(base_url=f"http://127.0.0.1:{port}") as aside:
        first = threading.Thread(target=sent, args=(port, post(INK)))
        first.start()
        assert waits_for(lambda: held.opened == 1)
        gone = socket.create_connection(("127.0.0.1", port))
        gone.sendall(post(INK))
        assert waits_for(lambda: "san_queue_length 1.0" in aside.get("/metrics").text)
        gone.close()
        assert waits_for(lambda: "san_queue_length 0.0" in aside.get("/metrics").text)
        held.let.set()
        first.join(20)
        assert 'status="499"' in aside.get("/metrics").text
    assert held.opened == 1


def test_a_full_line_and_late_answers() -> None:
    held = Held(every=True)
    settings = Settings(threads=1, max_queue=1, timeout=0.7)
    answers = []
    with TestClient(create_app(held, settings)) as client:

        def ask() -> None:
            answers.append(client.post("/api/v1/ink", content=INK))

        asked = [threading.Thread(target=ask) for _ in range(2)]
        asked[0].start()
        assert waits_for(lambda: held.opened == 1)
        asked[1].start()
        assert waits_for(lambda: "san_queue_length 1.0" in client.get("/metrics").text)
        assert "too many" in refusal(client.get("/readyz"), 503)
        assert client.get("/healthz").status_code == 200
        full = client.post("/api/v1/ink", content=INK)
        assert "too many" in refusal(full, 503)
        assert int(full.headers["Retry-After"]) >= 1
        for one in asked:
            one.join(10)
        held.let.set()
        assert client.get("/readyz").status_code == 200
        assert client.post("/api/v1/ink", content=INK).status_code == 200
    assert all("not read within 0.7 seconds" in refusal(answer, 503) for answer in answers)
    assert held.opened == 2  # the one that was given up in the line was never opened


def test_bodies_together_are_bounded() -> None:
    with asking(Settings(max_held_bytes=len(INK))) as client:  # images leave room for ink
        assert client.post("/api/v1/read", content=INK).status_code == 503
        assert client.post("/api/v1/ink", content=INK).status_code == 200
    with asking(Settings(max_held_bytes=len(INK) - 1)) as client:
        answer = client.post("/api/v1/ink", content=INK)
        assert "at once" in refusal(answer, 503)
        assert answer.headers["Retry-After"] == "1"
        small = {"strokes": [[[0, 0], [9, 9]]]}
        assert client.post("/api/v1/ink", json=small).status_code == 200  # what was held is let go


def test_many_at_once_get_their_own_answers() -> None:
    bodies = [picture(), INK, b"nonsense"] * 4
    with asking() as client, ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda body: client.post("/api/v1/read", content=body), bodies))
    # Strokes are no image, but a picture is.
    assert [answer.status_code for answer in answers] == [200, 422, 422] * 4
    assert {answer.json()["latex"] for answer in answers[::3]} == {answers[0].json()["latex"]}


def test_a_huge_photograph_does_not_hold_the_small_up() -> None:
    """It is opened by one reader; the other one goes on with the rest."""
    held = Held()
    with TestClient(create_app(held, Settings(threads=2))) as client:
        photograph = threading.Thread(target=client.post, args=("/api/v1/read",), kwargs=IMAGE)
        photograph.start()
        assert waits_for(lambda: held.opened == 1)
        for _ in range(3):
            assert client.post("/api/v1/ink", content=INK).status_code == 200
        assert photograph.is_alive()
        held.let.set()
        photograph.join(20)
