"""Tests of storeactor/journal.py with files that are put together here, by docs/JOURNAL.md.

    python3 -m unittest test_journal
"""

import contextlib
import io
import json
import random
import struct
import tempfile
import unittest
from pathlib import Path
from typing import Any

from storeactor import journal
from storeactor.encoding import encode, siphash

SCHEMA = [["named", "Root"], {"Root": ["record", [["count", "int64"], ["note", "text"]]]}]
WIDER = [["named", "R"], {"R": ["record", [["note", "text"], ["more", ["optional", "text"]],
                                           ["count", "int64"]]]}]  # fmt: skip
KEY = 0x1122334455667788


def pad(data: bytes) -> bytes:
    return data + bytes(-len(data) % 8)


def header(**changes: Any) -> bytes:
    """A segment's header, of §4.1."""
    fields: dict[str, Any] = {
        "root": "Root", "epoch": 5, "term": 1, "first": 1, "before": 0, "total": 0, "began": 9,
        "key": KEY, "durability": "full", "boot": journal.boot_id(), "file": "1.2",
        "schema": encode(SCHEMA),
    }  # fmt: skip
    seal, form = changes.pop("seal", 0), changes.pop("form", 3)
    data = encode(list((fields | changes).values()))
    start = struct.pack("<II", form, len(data))
    checksum = siphash(start + data)
    return pad(b"storelog" + struct.pack("<Q", seal) + start + struct.pack("<Q", checksum) + data)


def entry(kind: int, first: int, last: int, before: int, records: bytes = b"") -> bytes:
    """An entry, of §4.2."""
    start = struct.pack("<IIQQQQQ", 0x7972746E, kind, len(records), first, last, 3, before)
    return pad(start + struct.pack("<Q", siphash(start + records, KEY)) + records)


def checksum_of(data: bytes) -> int:
    return int.from_bytes(data[48:56], "little")


def record(revision: int, delta: Any = None, origin: Any = None, details: Any = None) -> bytes:
    return encode([revision, 1000 + revision, origin, delta, details or {}])


def snapshot(revision: int, root: Any, schema: Any = SCHEMA) -> bytes:
    """A snapshot, of §6."""
    document = encode(schema)
    data = encode([revision, 3, [], [], [], root]) + document
    data += struct.pack("<QII", revision, 3, len(document))
    return data + struct.pack("<Q", siphash(data)) + b"snapshot"


def root(count: int) -> dict[str, Any]:
    return {"count": count, "note": "é"}


class Journal(unittest.TestCase):
    """Two segments: revisions 1 to 4 by term 1, which was sealed, and 5 to 8 by term 2."""

    def setUp(self) -> None:
        wait, journal.WAIT = journal.WAIT, 0.0
        self.addCleanup(setattr, journal, "WAIT", wait)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "log").mkdir()
        (self.folder / "snapshots").mkdir()
        self.old = self.folder / "log" / f"{1:020}-1.log"
        self.new = self.folder / "log" / f"{5:020}-2.log"
        self.entries: list[bytes] = []
        before = total = 0
        for first, last in ((1, 1), (2, 3), (4, 4), (5, 5), (6, 6), (7, 8)):
            records = b"".join(record(n, {0: n}) for n in range(first, last + 1))
            self.entries.append(entry(1, first, last, before, records))
            before = checksum_of(self.entries[-1])
            total += len(records) if last < 5 else 0
        self.chain = {"term": 2, "first": 5, "total": total}
        self.chain["before"] = checksum_of(self.entries[2])
        self.end = entry(2, 9, 8, before)
        self.old.write_bytes(header(seal=2) + b"".join(self.entries[:3]))
        self.write()
        self.save(0)

    def write(self, *parts: bytes, **fields: Any) -> None:
        """Writes the newest segment: its own entries and an open end, or these parts."""
        body = parts or (*self.entries[3:], bytes(512))
        self.new.write_bytes(header(**(self.chain | fields)) + b"".join(body))

    def save(self, revision: int, value: Any = None, schema: Any = SCHEMA) -> None:
        data = snapshot(revision, root(revision) if value is None else value, schema)
        (self.folder / "snapshots" / f"{revision}.snapshot").write_bytes(data)

    def run_command(self, *arguments: str) -> tuple[int, list[Any]]:
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
            code = journal.main([arguments[0], str(self.folder), *arguments[1:]])
        return code, [json.loads(line) for line in output.getvalue().splitlines()]

    def expect(self, code: int, end: str | None = None, last: int | None = None) -> None:
        found, lines = self.run_command("verify")
        self.assertEqual(found, code, lines[-1:])
        ends = [line["end"] for line in lines if "segment" in line]
        if end is not None:
            self.assertEqual(ends[-1].split(" ")[0], end)
        if last is not None:
            self.assertEqual(lines[-1]["last"], last)

    def flip(self, path: Path, place: int) -> None:
        data = bytearray(path.read_bytes())
        data[place] ^= 4
        path.write_bytes(data)

    def place(self, index: int) -> int:
        """Where an entry begins in its segment."""
        path, first = (self.old, 0) if index < 3 else (self.new, 3)
        return path.read_bytes().index(self.entries[index])

    # Ends

    def test_open(self) -> None:
        self.expect(0, "open", 8)
        code, lines = self.run_command("verify")
        self.assertEqual(lines[0], {
            "segment": self.old.name, "term": 1, "seal": 2, "first": 1, "last": 4,
            "bytes": len(self.old.read_bytes()), "end": "open", "boot": journal.boot_id(),
        })  # fmt: skip

    def test_clean(self) -> None:
        self.write(*self.entries[3:], self.end)
        self.expect(0, "clean", 8)

    def test_copy(self) -> None:
        self.write(*self.entries[3:], entry(3, 9, 8, checksum_of(self.entries[5])), file="copy")
        self.expect(0, "copied", 8)
        self.write(*self.entries[3:], self.end, file="copy")
        self.expect(0, "clean", 8)
        self.write(*self.entries[3:], file="copy")
        self.expect(65)

    def test_torn(self) -> None:
        for cut in (4, 40, 60):
            self.write(*self.entries[3:5], self.entries[5][:cut])
            self.expect(1, "torn", 6)
        self.write(*self.entries[3:], b"not an entry")
        self.expect(1, "torn", 8)

    def test_taken_over_empty(self) -> None:
        (self.folder / "log" / f"{5:020}-1.log").write_bytes(b"no segment")
        (self.folder / "log" / "abc.new").write_bytes(b"")
        self.expect(0, "open", 8)

    def test_void_entries(self) -> None:
        void = entry(1, 5, 5, checksum_of(self.entries[2]), record(5))
        self.old.write_bytes(self.old.read_bytes() + void + b"torn")
        self.expect(0, "open", 8)
        self.assertEqual(self.run_command("state")[1], [root(8)])

    def test_sealed_without_successor(self) -> None:
        self.new.unlink()
        self.expect(1, "open", 4)

    # Damage

    def test_header(self) -> None:
        for path in (self.old, self.new):
            for place in (0, 16, 20, 24, 40):
                self.flip(path, place)
                self.expect(65, "damaged" if path == self.new else "open")
                self.flip(path, place)
        self.write(form=4)
        self.expect(65)
        self.write(term=3)
        self.expect(65)

    def test_entry_in_the_middle(self) -> None:
        for place in (0, 4, 9, 16, 24, 40, 48, 57):
            for index in (1, 4):
                path = self.old if index < 3 else self.new
                at = self.place(index) + place
                self.flip(path, at)
                self.expect(65, last=8)
                self.flip(path, at)

    def test_last_entry(self) -> None:
        at = self.place(5) + 60
        self.flip(self.new, at)
        self.expect(1, "torn", 6)
        self.write(*self.entries[3:], self.end)
        self.flip(self.new, at)
        self.expect(65)  # the end follows it, so it was acknowledged

    def test_last_entry_of_the_old_segment(self) -> None:
        self.flip(self.old, self.place(2) + 60)
        self.expect(65)

    def test_truncated(self) -> None:
        self.new.write_bytes(self.new.read_bytes()[: self.place(5) + 20])
        self.expect(1, "torn", 6)
        self.new.write_bytes(self.new.read_bytes()[: self.place(4)])
        self.expect(0, "open", 5)
        self.new.write_bytes(self.new.read_bytes()[:100])
        self.expect(65)
        self.new.write_bytes(b"")
        self.expect(65)

    def test_zeros(self) -> None:
        self.write(*self.entries[3:5], bytes(512))
        self.expect(0, "open", 6)
        self.write(*self.entries[3:5], self.entries[5][:64] + bytes(512))
        self.expect(1, "torn", 6)
        self.write(self.entries[3], bytes(len(self.entries[4])), self.entries[5])
        self.expect(65)

    def test_removed(self) -> None:
        self.old.unlink()
        self.expect(65)  # no snapshot of revision 4 or later
        self.save(6)
        self.expect(0, "open", 8)
        self.new.unlink()
        self.expect(65)

    def test_chain(self) -> None:
        for parts in (
            (entry(1, 5, 5, 1, record(5)),),
            (*self.entries[3:], self.entries[5]),
            (*self.entries[3:], self.end, entry(1, 9, 9, checksum_of(self.entries[5]), record(9))),
        ):
            self.write(*parts)
            self.expect(65)
        self.write(before=1)
        self.expect(65)
        self.write(total=1)
        self.expect(65)

    def test_records(self) -> None:
        before = checksum_of(self.entries[5])
        right = record(9, None, [2, 1, "a", "b", "later"], {77: 1})
        self.write(*self.entries[3:], entry(1, 9, 9, before, right))
        self.expect(0, "open", 9)
        for wrong in (
            b"\xff", b"\x81" * 500, b"\x9b" + bytes(7) + b"\xff", b"\x5b" + b"\xff" * 8,
            record(8), right + right, encode([9]), record(9, {7: 1}), record(9, {0: "x"}),
            record(9, None, [9]), record(9, None, [1, b"short", 1, 1, "s", b"\x00"]),
            record(9, None, [5, "n", "s", b"\xff"]),
        ):  # fmt: skip
            self.write(*self.entries[3:], entry(1, 9, 9, before, wrong))
            self.expect(65)
            self.run_command("log")
            self.run_command("state")

    def test_batched(self) -> None:
        bad = bytearray(self.entries[4])
        bad[60] ^= 1
        parts = self.entries[3], bytes(bad), self.entries[5]
        self.write(*parts, durability="batched")
        self.expect(65)
        self.write(*parts, durability="batched", boot="another")
        self.expect(1, "torn", 5)
        self.write(*parts, self.end, durability="batched", boot="another")
        self.expect(65)
        self.save(6)
        self.write(*parts, durability="batched", boot="another")
        self.expect(65)
        self.assertEqual(self.run_command("state")[1], [root(8)])

    # Snapshots

    def test_snapshots(self) -> None:
        self.save(3)
        self.expect(0)
        self.save(3, root(99))
        self.expect(65)  # not what the records lead to
        path = self.folder / "snapshots" / "3.snapshot"
        path.write_bytes(snapshot(2, root(2)))
        self.expect(65)
        path.write_bytes(b"short")
        self.expect(65)
        self.save(3, {"count": "text"})
        self.expect(65)
        path.unlink()
        (self.folder / "snapshots" / "4.new").write_bytes(b"")
        self.expect(0)
        self.flip(self.folder / "snapshots" / "0.snapshot", 9)
        self.expect(65)

    def test_snapshot_beyond_the_end(self) -> None:
        self.save(20)
        self.expect(1, "open", 8)
        self.assertEqual(self.run_command("state", "--at", "8")[1], [root(8)])
        self.assertEqual(self.run_command("state")[1], [root(20)])

    # What is read

    def test_state(self) -> None:
        for revision in range(9):
            expected = (0, [root(revision)])
            self.assertEqual(self.run_command("state", "--at", str(revision)), expected)
        self.assertEqual(self.run_command("state", "--at", "9"), (65, []))
        self.save(6)
        self.flip(self.old, 0)
        self.assertEqual(self.run_command("state"), (65, [root(8)]))

    def test_another_schema(self) -> None:
        body = entry(1, 5, 5, self.chain["before"], record(5, {1: [0, "new"], 2: 7}))
        self.write(body, schema=encode(WIDER))
        self.expect(0)
        expected = {"note": "é", "more": "new", "count": 7}
        self.assertEqual(self.run_command("state")[1], [expected])
        self.write(body, schema=encode([["named", "R"], {"R": ["record", [["x", "bool"]]]}]))
        self.expect(65)
        for wrong in ([], ["int9", {}], [["named", "R"], {}], [["named", "R"], {"R": ["x", []]}]):
            self.write(body, schema=encode(wrong))
            self.expect(65)

    def test_log(self) -> None:
        client = [1, bytes(16), 4, 2, "counter", encode("tapped"), [0, 0, 9]]
        date = struct.unpack("<Q", struct.pack("<d", 1.5))[0]
        details = {0: [[1, "n", ["p"]]], 1: [1], 2: date, 3: 7, 4: 20, 5: [bytes(16)]}
        last = entry(1, 9, 9, checksum_of(self.entries[5]), record(9, {0: 9}, client, details))
        self.write(*self.entries[3:], last)
        code, lines = self.run_command("log")
        self.assertEqual((code, [line["revision"] for line in lines]), (0, [*range(1, 10)]))
        self.assertEqual(lines[-1], {
            "revision": 9, "time": 1009, "by": "client", "client": "00" * 16, "session": 4,
            "sequence": 2, "scope": "counter", "action": "tapped", "identity": [0, 0, 9],
            "delta": {"0": 9}, "began": [[1, "n", ["p"]]], "ended": [1], "date": 1.5, "seed": 7,
            "us": 20, "forgot": ["00" * 16],
        })  # fmt: skip

    def test_directories_that_are_refused(self) -> None:
        (self.folder / "log.new").mkdir()
        self.expect_refusal()
        (self.folder / "log.new").rmdir()
        self.old.unlink()
        self.new.unlink()
        self.expect(65)
        (self.folder / "log").rmdir()
        (self.folder / "journal.sqlite").write_bytes(b"")
        self.expect_refusal()

    def expect_refusal(self) -> None:
        self.assertEqual(self.run_command("verify"), (65, []))

    def test_anything_is_answered(self) -> None:
        """No damage, also none with right checksums, raises an exception."""
        source = random.Random(7)
        self.save(3)
        names = [self.old, self.new, *(self.folder / "snapshots").iterdir()]
        whole = {path: path.read_bytes() for path in names}
        for turn in range(300):
            path = source.choice(names)
            data = bytearray(whole[path])
            for _ in range(source.randint(1, 4)):
                data[source.randrange(len(data))] = source.choice((0, 0x7F, 0x80, 0xFF, 0xF6, 0xA1))
            if path.suffix == ".snapshot":
                data[-16:] = struct.pack("<Q", siphash(data[:-16])) + b"snapshot"
            else:
                size = int.from_bytes(data[20:24], "little")
                data[24:32] = struct.pack("<Q", siphash(data[16:24] + data[32 : 32 + size]))
                for index in range(6):
                    at = whole[path].find(self.entries[index])
                    if at >= 0:
                        size = int.from_bytes(data[at + 8 : at + 16], "little")
                        signed = data[at : at + 48] + data[at + 56 : at + 56 + size]
                        data[at + 48 : at + 56] = struct.pack("<Q", siphash(signed, KEY))
            path.write_bytes(data)
            for command in ("verify", "log", "state"):
                code, _ = self.run_command(command)
                self.assertIn(code, (0, 1, 65), (turn, command))
            path.write_bytes(whole[path])


class Checksums(unittest.TestCase):
    def test_siphash(self) -> None:
        """The vector of SipHash's authors: the bytes 0 to 14 by the key 0 to 15."""
        self.assertEqual(siphash(bytes(range(15))), 0xA129CA6149BE45E5)


if __name__ == "__main__":
    unittest.main()
