"""The command line: one file a verb."""

import os

# Before numpy is imported: its products are small here, and after each of them the threads of its
# BLAS spin for longer than a picture takes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
