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
import uuid
from pathlib import Path
from typing import Any

import vectors
from storeactor import journal, segments
from storeactor.encoding import encode, siphash

SCHEMA = [["named", "Root"], {"Root": ["record", [["count", "int64"], ["note", "text"]]]}]
WIDER = [["named", "R"], {"R": ["record", [["note", "text"], ["more", ["optional", "text"]],
                                           ["count", "int64"]]]}]  # fmt: skip
KEY = 0x1122334455667788


def pad(data: bytes, unit: int = 8) -> bytes:
    return data + bytes(-len(data) % unit)


def header(form: int, **changes: Any) -> bytes:
    """A segment's header, of §4.1."""
    fields: dict[str, Any] = {
        "root": "Root", "epoch": 5, "term": 1, "first": 1, "before": 0, "total": 0, "began": 9,
        "key": KEY, "durability": "full", "boot": segments.boot_id(), "file": "1.2",
        "schema": encode(SCHEMA), "history": 7, "initial": 0,
    }  # fmt: skip
    seal, more = changes.pop("seal", 0), changes.pop("more", {})
    values = list((fields | changes).values())
    data = encode(values[:12] if form == 3 else dict(enumerate(values)) | more)
    start = struct.pack("<II", form, len(data))
    checksum = siphash(start + data)
    made = b"storelog" + struct.pack("<Q", seal) + start + struct.pack("<Q", checksum) + data
    return pad(made, 8 if form == 3 else 4096)


def entry(
    form: int, kind: int, first: int, last: int, before: int, records: bytes = b"", key: int = KEY
) -> bytes:
    """An entry, of §4.2; that of format 3 has no checksum of its head."""
    start = struct.pack("<IIQQQQQ", 0x7972746E, kind, len(records), first, last, 3, before)
    start += struct.pack("<Q", siphash(start + records, key))
    return pad(start + (struct.pack("<Q", siphash(start, key)) if form == 4 else b"") + records)


def checksum_of(data: bytes) -> int:
    return int.from_bytes(data[48:56], "little")


def record(revision: int, delta: Any = None, origin: Any = None, details: Any = None) -> bytes:
    return encode([revision, 1000 + revision, origin, delta, details or {}])


def snapshot(
    revision: int, root: Any, schema: Any = SCHEMA, content: Any = None, fields: Any = None
) -> bytes:
    """A snapshot, of §6: of format 3, or with fields."""
    document = encode(schema)
    data = encode(content or [revision, 3, [], [], [], root])
    form, end = (4, encode({0: document, 1: 7} | fields)) if fields is not None else (3, document)
    data += end + struct.pack("<QII", revision, form, len(end))
    return data + struct.pack("<Q", siphash(data)) + b"snapshot"


def root(count: int) -> dict[str, Any]:
    return {"count": count, "note": "é"}


class Journal(unittest.TestCase):
    """Two segments: revisions 1 to 4 by term 1, which was sealed, and 5 to 8 by term 2."""

    form = 3

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
            self.entries.append(self.entry(1, first, last, before, records))
            before = checksum_of(self.entries[-1])
            total += len(records) if last < 5 else 0
        self.chain = {"term": 2, "first": 5, "total": total}
        self.chain["before"] = checksum_of(self.entries[2])
        self.end = self.entry(2, 9, 8, before)
        self.old.write_bytes(header(self.form, seal=2) + b"".join(self.entries[:3]))
        self.write()
        self.save(0)

    def write(self, *parts: bytes, **fields: Any) -> None:
        """Writes the newest segment: its own entries and an open end, or these parts."""
        body = parts or (*self.entries[3:], bytes(512))
        self.new.touch()
        stat, form = self.new.stat(), fields.pop("form", self.form)
        own = {"file": f"{stat.st_dev}.{stat.st_ino}"} if form == 4 else {}
        self.new.write_bytes(header(form, **(self.chain | own | fields)) + b"".join(body))

    def entry(self, *arguments: Any) -> bytes:
        return entry(self.form, *arguments)

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
            "segment": self.old.name, "format": self.form, "term": 1, "seal": 2, "first": 1,
            "last": 4, "bytes": len(self.old.read_bytes()), "end": "continued",
            "boot": segments.boot_id(),
        })  # fmt: skip

    def test_clean(self) -> None:
        self.write(*self.entries[3:], self.end)
        self.expect(0, "clean", 8)

    def test_copy(self) -> None:
        copied = self.entry(3, 9, 8, checksum_of(self.entries[5]))
        self.write(*self.entries[3:], copied, file="copy")
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
        self.write(*self.entries[3:], self.end, b"not an entry")
        self.expect(1, "torn", 8)

    def test_taken_over_empty(self) -> None:
        (self.folder / "log" / f"{5:020}-1.log").write_bytes(b"no segment")
        (self.folder / "log" / "abc.new").write_bytes(b"")
        self.expect(0, "open", 8)

    def test_void_entries(self) -> None:
        void = self.entry(1, 5, 5, checksum_of(self.entries[2]), record(5))
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
        self.write(form=5)
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
        later = self.entry(1, 9, 9, checksum_of(self.entries[5]), record(9))
        for parts in (
            (self.entry(1, 5, 5, 1, record(5)),),
            (*self.entries[3:], self.entries[5]),
            (*self.entries[3:], self.end, later),
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
        self.write(*self.entries[3:], self.entry(1, 9, 9, before, right))
        self.expect(0, "open", 9)
        for wrong in (
            b"\xff", b"\x81" * 500, b"\x9b" + bytes(7) + b"\xff", b"\x5b" + b"\xff" * 8,
            record(8), right + right, encode([9]), record(9, {7: 1}), record(9, {0: "x"}),
            record(9, None, [9]), record(9, None, [1, b"short", 1, 1, "s", b"\x00"]),
            record(9, None, [5, "n", "s", b"\xff"]),
        ):  # fmt: skip
            self.write(*self.entries[3:], self.entry(1, 9, 9, before, wrong))
            self.expect(65)
            self.run_command("log")
            self.run_command("state")

    def test_names_in_forms(self) -> None:
        before, key = checksum_of(self.entries[5]), bytes(range(16))
        element = {"id": key, "action": {"began": {"_0": 7}}}
        for form, name in (
            ({"jobs": {"_0": {"element": element}}}, f"jobs.element[{str(uuid.UUID(bytes=key)).upper()}].began"),
            ({"jobs": {"_0": {"element": {"id": 2, "action": "ended"}}}}, "jobs.element[2].ended"),
            ({"filled": {"bytes": 3}}, "filled"),
            ("ticked", "ticked"),
        ):  # fmt: skip
            self.write(
                *self.entries[3:],
                self.entry(1, 9, 9, before, record(9, None, [6, None, 4, "x", None, encode(form)])),
            )
            self.expect(0, "open", 9)
            self.assertEqual(self.run_command("log")[1][-1]["name"], name)

    def test_batched(self) -> None:
        bad = bytearray(self.entries[4])
        bad[65] ^= 1  # of the records, in either format
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

    # Reading

    def test_state(self) -> None:
        for revision in range(9):
            expected = (0, [root(revision)])
            self.assertEqual(self.run_command("state", "--at", str(revision)), expected)
        self.assertEqual(self.run_command("state", "--at", "9"), (65, []))
        self.save(6)
        self.flip(self.old, 0)
        self.assertEqual(self.run_command("state"), (65, [root(8)]))

    def test_another_schema(self) -> None:
        body = self.entry(1, 5, 5, self.chain["before"], record(5, {1: [0, "new"], 2: 7}))
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
        last = self.entry(1, 9, 9, checksum_of(self.entries[5]), record(9, {0: 9}, client, details))
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
        for turn in range(150):
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
                        start = at + (64 if self.form == 4 else 56)
                        signed = data[at : at + 48] + data[start : start + size]
                        data[at + 48 : at + 56] = struct.pack("<Q", siphash(signed, KEY))
                        if self.form == 4:
                            head = siphash(data[at : at + 56], KEY)
                            data[at + 56 : start] = struct.pack("<Q", head)
            path.write_bytes(data)
            for command in ("verify", "log", "state"):
                code, _ = self.run_command(command)
                self.assertIn(code, (0, 1, 65), (turn, command))
            path.write_bytes(whole[path])


class Journal4(Journal):
    """The same in format 4, and what only that has."""

    form = 4

    def damaged(self, index: int, *places: int) -> list[bytes]:
        """The newest segment's entries, of which one has other bytes at these places."""
        entry = bytearray(self.entries[index])
        for place in places:
            entry[place] ^= 1
        return [*self.entries[3:index], bytes(entry), *self.entries[index + 1 :]]

    def test_torn(self) -> None:
        for cut in (4, 40, 60, 70):
            self.write(*self.entries[3:5], self.entries[5][:cut])
            self.expect(1, "torn", 6)
        self.write(*self.entries[3:], b"not an entry")
        self.expect(1, "torn", 8)
        self.write(*self.entries[3:], b"not an entry".ljust(64, b"."))
        self.expect(65, "damaged", 8)
        self.write(*self.entries[3:], self.end, b"not an entry")
        self.expect(1, "torn", 8)

    def test_zeros(self) -> None:
        self.write(*self.entries[3:5], bytes(512))
        self.expect(0, "open", 6)
        self.write(*self.entries[3:5], self.entries[5][:64] + bytes(512))
        self.expect(65)  # the sector was written, so the records were
        self.write(self.entries[3], bytes(len(self.entries[4])), self.entries[5])
        self.expect(65)

    def test_last_entry(self) -> None:
        for files, torn in ((("boot", "another"), 1), (("file", "1.2"), 1), (("boot", "x"), 1)):
            self.write(*self.damaged(5, 70), bytes(512), **dict([files]))
            self.expect(torn, "torn", 6)
        self.write(*self.damaged(5, 70), bytes(512))
        self.expect(65, "damaged", 6)
        self.write(*self.damaged(5, 70), b"\1", boot="another")
        self.expect(65, "damaged", 6)  # a later entry was begun
        self.write(*self.damaged(5, 70, -1), boot="another")
        self.expect(1, "torn", 6)  # the last byte is of the zeros that belong to the entry
        self.write(*self.damaged(5, 20), b"\1", boot="another")
        self.expect(1, "torn", 6)  # that may be the entry's
        self.write(*self.damaged(5, 70), b"\1", boot="another", durability="none")
        self.expect(1, "torn", 6)
        self.write(*self.damaged(5, 70), self.end, boot="another")
        self.expect(65, last=6)

    def test_last_sectors(self) -> None:
        last = self.entry(1, 9, 9, checksum_of(self.entries[5]), record(9, {1: "x" * 2000}))
        self.write(*self.entries[3:], last)
        self.expect(0, "open", 9)
        for written, code, end in ((512, 1, "torn"), (1500, 1, "torn"), (2048, 65, "damaged")):
            self.write(*self.entries[3:], last[:written] + bytes(4096))
            self.expect(code, end, 8)
        self.write(*self.entries[3:], bytes(1024) + last[1024:] + bytes(4096))
        self.expect(65, "damaged", 8)
        self.write(*self.entries[3:], bytes(1024) + last[1024:] + bytes(4096), boot="another")
        self.expect(1, "torn", 8)

    def test_two_heads(self) -> None:
        parts = [*self.damaged(4, 70)[:2], self.damaged(5, 70)[2], bytes(512)]
        for boot in (segments.boot_id(), "another"):
            self.write(*parts, boot=boot)
            self.expect(65, "damaged", 5)
        self.write(*parts, boot="another", durability="none")
        self.expect(1, "torn", 5)

    def test_pages(self) -> None:
        last = self.entry(1, 9, 9, checksum_of(self.entries[5]), record(9, {1: "x" * 9000}))
        end = self.entry(1, 10, 10, checksum_of(last), record(10))
        data = b"".join((*self.entries[3:], last, end))
        for start, stop, file, code in (
            (4096, 8192, "1.2", 1), (4096, 8191, "1.2", 65), (4096, 8192, None, 65),
            (data.index(last), 4096, "1.2", 1), (data.index(last) + 1, 4096, "1.2", 65),
            (4096, 8192, "copy", 65),
        ):  # fmt: skip
            parts = data[:start], bytes(stop - start), data[stop:]
            self.write(*parts, **({"file": file} if file else {}))
            self.expect(code, last=8 if code == 1 else 10)

    def test_a_hole_around_a_snapshot(self) -> None:
        hole = bytes(len(self.entries[3]) + len(self.entries[4]))
        for snapshot, code, last in ((4, 1, 4), (5, 1, 4), (6, 65, 8), (7, 65, 8)):
            self.save4(snapshot)
            self.write(hole, self.entries[5], durability="none", boot="another")
            self.expect(code, last=last)

    def test_header_fields(self) -> None:
        self.write(more={14: "later", 99: [1]})
        self.expect(0, "open", 8)
        for wrong in ({1: None}, {12: "x"}, {13: -1}, {"text": 1}):
            self.write(more=wrong)
            self.expect(65)

    def test_drafts_and_torn_files(self) -> None:
        self.write(seal=3)
        self.expect(1, "open", 8)
        draft = self.folder / "log" / "a.new"
        draft.write_bytes(header(4, term=3, first=9))
        self.expect(0, "open", 8)
        draft.write_bytes(header(4, term=2, first=9))
        self.expect(1, "open", 8)
        draft.write_bytes(bytes(8192))
        self.expect(1, "open", 8)
        self.write()
        (self.folder / "log" / f"{5:020}-2.torn").write_bytes(b"not an entry")
        self.expect(0, "open", 8)
        _, lines = self.run_command("verify")
        self.assertIn({"torn": f"{5:020}-2.torn", "bytes": 12}, lines)

    def save4(self, revision: int, name: str = "snapshot", **fields: Any) -> None:
        numbers = {1: fields["history"]} if "history" in fields else {}
        numbers |= {2: fields["sum"]} if "sum" in fields else {}
        effects = [{0: 1, 1: "n", 2: ["p"], 3: "later"}, [2, "m", []]]
        content = [revision, 3, [], [], effects, root(revision)]
        values = fields.get("content", dict(enumerate(content)) | {7: "later"})
        data = snapshot(revision, None, SCHEMA, values, numbers)
        (self.folder / "snapshots" / f"{revision}.{name}").write_bytes(data)

    def test_snapshots_of_format_4(self) -> None:
        self.save4(6, sum=checksum_of(self.entries[4]))
        self.expect(0)
        self.save4(6, "copy")
        self.expect(0)
        (self.folder / "snapshots" / "6.snapshot").unlink()
        self.expect(0)
        self.assertEqual(self.run_command("state", "--at", "6")[1], [root(6)])
        self.save4(6, "copy", content=[6, 3, [], [], [[1, "n", ["p"]]], root(6)])
        self.expect(0)
        for wrong in ({0: 6, 1: 3}, [6, 3, [], [], [], root(6), 7], [6, 3, [], [], [7], root(6)]):
            self.save4(6, "copy", content=wrong)
            self.expect(65)

    def test_foreign_snapshots(self) -> None:
        self.save4(6, history=8)
        self.expect(1, "open", 8)
        self.save4(6, history=0)
        self.expect(0)
        self.save4(6, sum=1)
        self.expect(1)
        self.save4(7, sum=1)  # no entry ends there
        (self.folder / "snapshots" / "6.snapshot").unlink()
        self.expect(0)
        self.save4(4, sum=checksum_of(self.entries[2]))
        self.expect(0)
        self.save4(20, history=8)
        self.expect(1, "open", 8)
        self.assertEqual(self.run_command("state")[1], [root(8)])
        for path in (self.folder / "snapshots").iterdir():
            path.unlink()
        self.save4(0, history=8)
        self.expect(65)

    def test_going_on_from_a_snapshot(self) -> None:
        """The end of the log was lost, after revision 6: §4.4, §6."""
        self.save4(8, sum=99)
        self.write(*self.entries[3:5], seal=3)
        next_one = self.folder / "log" / f"{9:020}-3.log"
        total = self.chain["total"] + sum(len(record(n, {0: n})) for n in (5, 6))
        for before, is_foreign in ((99, False), (checksum_of(self.entries[4]), True), (1, True)):
            fields = {"term": 3, "first": 9, "before": before, "total": total}
            next_one.write_bytes(header(4, **fields) + entry(4, 1, 9, 9, before, record(9, {0: 9})))
            self.expect(65, "open", 9)
            verdict = self.run_command("verify")[1][-1]
            self.assertIn("revisions from 7 on are missing", verdict["problems"][0])
            self.assertEqual(any("foreign" in text for text in verdict["doubts"]), is_foreign)
        self.save4(8)  # of which no checksum is known
        next_one.write_bytes(header(4, **(fields | {"before": checksum_of(self.entries[4])})))
        self.expect(65, "open", 8)
        (self.folder / "snapshots" / "8.snapshot").unlink()
        self.expect(65)

    def test_running_effects(self) -> None:
        effects = [[1, "n", ["p"]], {0: 2, 1: "m", 2: []}]
        before = checksum_of(self.entries[5])
        last = self.entry(1, 9, 9, before, record(9, None, None, {0: effects}))
        self.write(*self.entries[3:], last)
        code, lines = self.run_command("log")
        self.assertEqual((code, lines[-1]["began"]), (0, [[1, "n", ["p"]], [2, "m", []]]))
        for wrong in ([[1, "n"]], [{0: 1, 1: "n"}], [7], [[1, 2, ["p"]]]):
            last = self.entry(1, 9, 9, before, record(9, None, None, {0: wrong}))
            self.write(*self.entries[3:], last)
            self.expect(65)


class Vectors(unittest.TestCase):
    """The directories that daemons have written, and what is done to them: vectors.py."""

    def test_vectors(self) -> None:
        wait, journal.WAIT = journal.WAIT, 0.0
        self.addCleanup(setattr, journal, "WAIT", wait)
        for vector in vectors.read_vectors():
            with self.subTest(vector["name"]), tempfile.TemporaryDirectory() as folder:
                data, output = Path(folder) / "data", io.StringIO()
                vectors.load(vector, data)
                with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
                    code = journal.main(["verify", str(data)])
                text = output.getvalue()
                self.assertEqual(code, vector["exit"], text)
                for words in vector["says"]:
                    self.assertIn(words, text)
                last = json.loads(text.splitlines()[-1])["last"] if text.startswith("{") else -1
                self.assertEqual(last, vector["last"], text)


class Checksums(unittest.TestCase):
    def test_siphash(self) -> None:
        """The vector of SipHash's authors: the bytes 0 to 14 by the key 0 to 15."""
        self.assertEqual(siphash(bytes(range(15))), 0xA129CA6149BE45E5)


if __name__ == "__main__":
    unittest.main()
