"""Where the corpora lie: the folder SAN_DATA, or shared/data beside the checkout."""

import os
from pathlib import Path

CORPORA = Path(
    os.environ.get("SAN_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data"
)
CROHME = CORPORA / "crohme"
