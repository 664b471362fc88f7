"""How many readings the service gives to many clients at once, beside the offline reader.

    python benchmarks/serve.py [--seconds 60] [--clients 32] [--n-best 3]

`san serve` runs as a process of its own. Clients ask it for the files of `samples/`, ink as JSON
and as InkML, pictures and photographs, each client as soon as it has its last answer. Before and
after, `Recognizer.read_many` reads the same files in the same order with the same beam, as long
together as the service. The clients share the cores with the service; that is part of the figure.

CPU time is told too: on a busy machine, compare by it. Exits with 1 if an answer was neither a
formula nor 503, if the service does less than 70% of the offline reader, or if its memory grew.
"""

import argparse
import asyncio
import itertools
import json
import os
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import httpx
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples"
KINDS = {".png": "image/png", ".jpg": "image/jpeg", ".inkml": "application/inkml+xml"}
MIN_THROUGHPUT_SHARE = 0.7
"""Of the images a second that the recognizer alone reads: the service must reach them."""
GROWTH = 1.05
"""Of memory, from the tenth second to the last: what an allocator may keep for itself."""


class Question(NamedTuple):
    path: Path
    url: str
    kind: str
    body: bytes


def questions() -> list[Question]:
    from san.ink import read_inkml

    found = []
    for number, path in enumerate(sorted(SAMPLES.glob("*.*"))):
        if path.suffix == ".inkml" and number % 2:
            strokes = [stroke.tolist() for stroke in read_inkml(path).ink.strokes]
            body = json.dumps({"strokes": strokes}).encode()
            found.append(Question(path, "/api/v1/ink", "application/json", body))
        elif path.suffix in KINDS:
            url = "/api/v1/ink" if path.suffix == ".inkml" else "/api/v1/read"
            found.append(Question(path, url, KINDS[path.suffix], path.read_bytes()))
    return found


def offline(seconds: float, n_best: int) -> tuple[int, float, float]:
    """Readings, wall and CPU seconds of the offline reader; in a process of its own."""
    code = (
        "import sys; sys.path[:0] = sys.argv[3:]; import serve; serve.read_offline(*sys.argv[1:3])"
    )
    here = str(Path(__file__).resolve().parent)
    done = subprocess.run(
        [sys.executable, "-c", code, str(seconds), str(n_best), here],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    count, wall, busy = json.loads(done.stdout)
    return count, wall, busy


def read_offline(seconds: str, n_best: str) -> None:
    from san.reader import Formula, Recognizer

    paths = [question.path for question in questions()]
    reader = Recognizer(n_best=int(n_best))
    reader.read(paths[0])
    wall, busy, count = time.perf_counter(), time.process_time(), 0
    for formula in reader.read_many(itertools.cycle(paths)):
        assert isinstance(formula, Formula)
        assert formula.latex
        count += 1
        if time.perf_counter() - wall > float(seconds):
            break
    print(json.dumps([count, time.perf_counter() - wall, time.process_time() - busy]))


class Served:
    """What the clients and a watch on the service's process saw."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.statuses: Counter[int] = Counter()
        self.latex: dict[Path, set[str]] = {}
        self.memory: list[float] = []  # megabytes, each second


def post(http: httpx.Client, question: Question) -> httpx.Response:
    return http.post(question.url, content=question.body, headers={"Content-Type": question.kind})


async def load(url: str, pid: int, clients: int, seconds: float, n_best: int) -> Served:
    seen, turn, until = Served(), itertools.cycle(questions()), time.perf_counter() + seconds

    async def client(http: httpx.AsyncClient) -> None:
        while time.perf_counter() < until:
            question = next(turn)
            began = time.perf_counter()
            answer = await http.post(
                question.url, params={"n_best": n_best}, content=question.body,
                headers={"Content-Type": question.kind},
            )  # fmt: skip
            seen.statuses[answer.status_code] += 1
            if answer.status_code == 200:
                seen.waits.append(time.perf_counter() - began)
                seen.latex.setdefault(question.path, set()).add(answer.json()["latex"])
            elif answer.status_code == 503:
                await asyncio.sleep(float(answer.headers["Retry-After"]))

    async def watch() -> None:
        while time.perf_counter() < until:
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
            seen.memory.append(pages * os.sysconf("SC_PAGE_SIZE") / 1e6)
            await asyncio.sleep(1)

    limits = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)
    async with httpx.AsyncClient(base_url=url, timeout=60, limits=limits) as http:
        await asyncio.gather(watch(), *(client(http) for _ in range(clients)))
    return seen


def busy(pid: int) -> float:
    """CPU seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--n-best", type=int, default=3)
    given = parser.parse_args()

    before = offline(given.seconds / 2, given.n_best)
    server = subprocess.Popen(
        [sys.executable, "-c", "from san.cli.main import main; main()", "serve", "--port", "0"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split()[0]
        with httpx.Client(base_url=url, timeout=60) as http, ThreadPoolExecutor(4) as pool:
            for answer in pool.map(partial(post, http), questions()):  # everything once: warm
                answer.raise_for_status()
        began, used = time.perf_counter(), busy(server.pid)
        own = time.process_time()
        seen = asyncio.run(load(url, server.pid, given.clients, given.seconds, given.n_best))
        wall, used = time.perf_counter() - began, busy(server.pid) - used
        own = time.process_time() - own
    finally:
        server.terminate()
        server.wait(60)
    after = offline(given.seconds / 2, given.n_best)

    count, offline_wall, offline_busy = (one + two for one, two in zip(before, after, strict=True))
    answered = len(seen.waits)
    alone, served = count / offline_wall, answered / wall
    print(f"offline   {alone:6.1f} readings/s, {1000 * offline_busy / count:5.0f} ms CPU each")
    print(f"served    {served:6.1f} readings/s, {1000 * used / answered:5.0f} ms CPU each")
    print(f"clients   {given.clients}, {1000 * own / answered:.1f} ms CPU an answer")
    print(
        f"ratio     {served / alone:.0%} (by CPU {(offline_busy / count) / (used / answered):.0%})"
    )
    p50, p95 = np.percentile(seen.waits, [50, 95])
    print(f"waits     p50 {p50:.2f} s, p95 {p95:.2f} s, longest {max(seen.waits):.2f} s")
    settled = seen.memory[min(10, len(seen.memory) // 2) :]
    growth = settled[-1] / settled[0]
    print(f"memory    {settled[0]:.0f} MB at 10 s, {settled[-1]:.0f} MB at the end, x{growth:.3f}")
    print(f"statuses  {dict(seen.statuses)}")
    wavering = sum(len(texts) > 1 for texts in seen.latex.values())
    print(f"files     {len(seen.latex)}, {wavering} of them read in more than one way")
    ended = server.returncode
    good = set(seen.statuses) <= {200, 503} and growth < GROWTH
    good = good and served >= MIN_THROUGHPUT_SHARE * alone
    return 0 if good and not ended and not wavering else 1


if __name__ == "__main__":
    sys.exit(main())
