"""Checks the Python client's values against the vectors that all implementations share.

    check_golden.py FOLDER        where FOLDER is Tests/Fixtures/Golden

Each file has a schema and its hash; values with their encodings, JSON and digests; and deltas.
"""

import sys
from pathlib import Path

from storeactor.encoding import EncodingError, decode, digest, encode
from storeactor.schema import Schema

REFUSED = (
    "1800", "f93c0000", "fb3ff8000000000000", "fa7fc00000", "ff", "f7", "e0", "9fff", "61ff", "18",
    "a2020001 00", "a2 01 00 01 00", "d90102 82 02 01", "d90102 82 01 01", "c1 00", "c2 41 01",
    "d81c 81 d81d 00", "a2 01 00 f5 00", "81" * 129 + "00",
)


def check(path):
    count = 0
    values = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            word, _, rest = line.rstrip("\n").partition(" ")
            name, _, content = rest.partition(" ")
            where = f"{path.name}: {word} {name}"
            if word == "schema":
                schema = Schema(decode(bytes.fromhex(rest)))
            elif word == "hash":
                assert f"{schema.hash:016x}" == rest, where
            elif word == "value":
                values[name] = decode(bytes.fromhex(content), depth=64)
                schema.check(values[name])
            elif word == "json":
                assert schema.text(values[name]) == content, f"{where}: {schema.text(values[name])}"
                if "any" not in str(schema.document):  # JSON knows fewer kinds than any item
                    assert encode(schema.parse(content)) == encode(values[name]), where
            elif word == "digest":
                assert f"{digest(values[name]):016x}" == content, where
            elif word == "delta":
                target, delta = content.split(" ")
                result = schema.apply(decode(bytes.fromhex(delta)), values[name])
                assert encode(result) == encode(values[target]), f"{where} {target}"
            else:
                continue
            count += 1
    return count


def main():
    count = sum(check(path) for path in sorted(Path(sys.argv[1]).glob("*.txt")))
    for text in REFUSED:
        try:
            value = decode(bytes.fromhex(text))
        except EncodingError:
            continue
        raise AssertionError(f"{text} was read as {value!r}")
    print(f"{count} lines and {len(REFUSED)} refusals as expected")


main()
