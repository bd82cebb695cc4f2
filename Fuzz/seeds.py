"""Writes the committed corpus, from the golden files and a few things put together here.

Run it in this folder when the golden corpus has changed: python3 seeds.py (needs cbor2).
"""

import hashlib
import pathlib

import cbor2

GOLDEN = pathlib.Path("../Tests/Fixtures/Golden")
CORPUS = pathlib.Path("Corpus")

# The first byte of an input, as Entry.swift reads it.
ITEM, VALUE, DELTA, SCHEMA, DOCUMENT, JSON, TYPED, MESSAGE = range(8)
GENERATED = 0xf0


def keep(target, content):
    data = bytes([target]) + content
    (CORPUS / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)


def header(major, count):
    encoded = bytearray(cbor2.dumps(count))
    encoded[0] |= major << 5
    return bytes(encoded)


def encode(value):
    if isinstance(value, set):
        return header(6, 258) + header(4, len(value)) + b"".join(sorted(map(encode, value)))
    if isinstance(value, list):
        return header(4, len(value)) + b"".join(map(encode, value))
    if isinstance(value, dict):
        parts = sorted((encode(key), encode(content)) for key, content in value.items())
        return header(5, len(parts)) + b"".join(key + content for key, content in parts)
    if isinstance(value, float):
        return cbor2.dumps(value, canonical=True)
    return cbor2.dumps(value)


def row(number, title="", children=()):
    return {"id": number, "title": title, "children": list(children)}


def golden():
    for path in sorted(GOLDEN.glob("*.txt")):
        schema, values = b"", {}
        for line in path.read_text().splitlines():
            words = line.split(" ", 3)
            if words[0] == "schema":
                schema = bytes.fromhex(words[1])
                keep(SCHEMA, schema)
            if words[0] == "value":
                values[words[1]] = bytes.fromhex(words[2])
                if len(values) < 4 and len(line) < 400:
                    keep(ITEM, values[words[1]])
                    keep(TYPED, values[words[1]])
            if words[0] == "json" and len(line) < 300:
                keep(JSON, line.split(" ", 2)[2].encode())
            if words[0] == "delta" and len(line) < 600:
                delta = bytes.fromhex(words[3])
                keep(DOCUMENT, schema + values[words[1]] + delta)
                keep(TYPED, delta)


def states():
    state = {
        "flag": True, "small": -3, "wide": [-1, 2**64 - 1], "number": -0.5,
        "text": "A text that is long enough to be spliced, é and 𝄞 in it!",
        "choice": {"pair": {"first": 1, "second": "é"}}, "maybe": [None], "list": [[], [1]],
        "set": {"b", "é"}, "table": {1: ["x", "y"], -7: []}, "any": {"a": [None]},
        "rows": [row(3, "c"), row(1, "a", [row(7)])],
    }
    keep(VALUE, encode(state))
    keep(VALUE, encode({**state, "choice": "none", "maybe": None, "rows": [], "set": set()}))
    keep(JSON, b'{"id": 4, "title": "x", "children": []}')
    keep(JSON, b'[1.5, "2026-01-31T09:30:00.5Z", "nan", -0.0, 1e300, []]')


def deltas():
    forms = [
        {0: True, 1: 5, 2: [0, 7], 3: 1.5}, {4: [2, 4, "ext"]}, {4: [[0, 1, "B"], [3, 0, "é"]]},
        {5: [0, {"row": {**row(1)}}]}, {5: [2, {0: {1: "x"}}]}, {5: [3, {1: "y"}]},
        {6: [0, None]}, {6: [1, [0, 4]]}, {6: None}, {7: [1, [0, 1, []]]}, {7: [0, 1, [[9], []]]},
        {7: [[0, [0, 0, [1]]], [2, 0, [[5]]]]}, {8: {0: ["a"], 1: ["b"]}},
        {9: {0: [1], 1: [5, ["q"]], 2: [300, [0, 0, ["z"]]]}}, {9: {0: [1], 1: [1, []]}},
        {10: {0: [1], 1: [0, 3], 2: [1, row(9)], 3: [2, {1: "t"}]}},
        {10: [{0: [2]}, {1: [0, 3], 3: [3, {1: "u"}]}]}, {10: {3: [1, {2: [0, 0, [row(4)]]}]}},
        {11: {"any": [1]}},
    ]
    for form in forms:
        keep(DELTA, encode(form))
        for other in forms:
            if form.keys() == other.keys():
                keep(DELTA, encode(form) + encode(other))
    keep(DELTA, b"".join(encode(form) for form in forms[:6]))
    keep(TYPED, encode([1, 0, "x"]))


def messages():
    token, topic = b"\x11" * 16, b"\x12" + b"\x22" * 16
    for message in [
        [1, 1, token, None, 1, "name", 1], [2, 1, [["counter", 0, None, 5, [7, 9]]]],
        [4, 1, 1, "tapped", None, 2, {"a": {"_0": 1}}, 5], [5, 1, 2], [6, 3], [7, 1, 65536],
        [8, 1], [9, 1], [10],
        [65, 1, 1, token, 7, 9, topic, 0, False, 3000, [1048576, 1024, 1024], [4]],
        [66, "overloaded", "no"], [67], [68, 1, topic, [[0, 1], [1, "c", "m", ["x"]]]],
        [69, 1, 1, 5, 3, 0, b"\xa0\x01\x02"], [70, 1, 1, 5, [[1, 2]]], [70, 1, 1, 5, None],
        [71, 1, [5, [1, 6], [2, "rejected", "why"]], 1, 2], [72, [1], 1, 2], [73, 1, 2, 3, 4],
        [74, 1, []], [75, 1, {}], [76, "goingDown", ""], [77, 3],
        [1, 1, 5, 2, 0], [2, 1, 2, [0, [1, {0: 1}]]], [3, 5, 1, None, [1, 2**64 - 1]], [1, 7],
    ]:
        keep(MESSAGE, encode(message))
    keep(MESSAGE, b"\x02" + encode([token, 1]))
    keep(MESSAGE, b"\x10" + encode([1, 7]))


def generated():
    pair = {"pair": {"zz": 1, "a": "é"}}
    for value in [
        {"a": 1, "letters": {"a": "x", "bb": ""}, "codable": {"x": [1, 2]}},
        {"zz": 1, "letters": {}}, {"letters": {}}, {"a": 1, "b": 2}, {"a": 1, "bb": 2, "cc": 3},
        {"a", "bb"}, {"x": [1], "é": []}, {1.5: 1, 0.0: 2}, ["http://x/", None], {"http://x/"},
        [b"ab", b""], [1.5, -0.0], "bb", pair,
    ]:
        keep(GENERATED, encode(value))
    for delta in [
        {0: 7}, {1: {0: ["bb"], 1: ["a", "z"]}}, {2: {"y": [3]}}, [3, {0: 2, 1: "x"}], [0, "a"],
        {0: ["a"], 1: ["b", [1]], 2: ["é", [0, 0, [5]]]}, {0: ["é"], 1: ["b"]},
        [5, 2, b"xyz"], b"abc", [0, [1, "http://y/"]], [0, 1, []], {7: [1, [0, 1, []]], 11: None},
    ]:
        keep(GENERATED, encode(delta))


CORPUS.mkdir(exist_ok=True)
generated()
golden()
states()
deltas()
messages()
