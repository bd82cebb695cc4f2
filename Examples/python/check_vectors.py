"""Compares the exit codes of a storectl for the vectors with the expected ones.

check_vectors.py STORECTL        prints the differences, and exits with 1 if there are any
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import vectors


def main() -> int:
    different, named = 0, vectors.read_vectors()
    environment = os.environ | {"SWIFT_BACKTRACE": "enable=no"}
    for vector in named:
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "data"
            vectors.load(vector, data)
            command = [sys.argv[1], "--json", "verify", "--data", str(data)]
            run = subprocess.run(command, capture_output=True, timeout=60, env=environment)
        if run.returncode != vector["storectl"]:
            different += 1
            text = run.stderr.decode(errors="replace").strip()
            print(f"{vector['name']}: {run.returncode} instead of {vector['storectl']}\n{text}\n")
    print(f"{len(named)} vectors, {different} with another exit code")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
