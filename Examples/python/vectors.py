"""Whole data directories, and named kinds of damage to them: vectors/vectors.json.

Each vector has its initial directory (`from`), the origin of its segments' files (`files`: see
`FILES`), its damage (`edits`, in order), and the expected results of a reader: the exit code of
`verify`, words of its output, the last revision of the log, and the exit code of
`storectl verify --data`. Every edit names a file, and is one of

    {"flip": [byte, bit]}               one bit
    {"zero": [from, to]}                bytes become zeros
    {"cut": byte}                       the file ends there
    {"append": hex}, {"room": count}    bytes, or zeros, at the end
    {"copy": file}, {"from": file}      the contents of another file, here or of another directory
    {"remove": true}
    {"seal": term}                      of a segment
    {"mark": kind}                      after a segment's last whole entry: an entry of kind 2 or 3
    {"entry": {first, last, records}}   the same of kind 1, with these records in hexadecimal
    {"fields": {key: value}}            of a header, or a snapshot of format 4, with its checksum
    {"content": {key: value}}           of a snapshot with a map as its content, the same
    {"format": number}                  of a header or a snapshot, the same

A negative byte is counted from the end. Values are JSON; {"$bytes": hex} is a byte string.
"""

import json
import shutil
import struct
from pathlib import Path
from typing import Any

from storeactor.encoding import decode, encode, siphash
from storeactor.segments import ENTRY_MAGIC, PAGE, RECORDS, Segment
from storeactor.segments import boot_id, read_header, read_segment

FOLDER = Path(__file__).parent / "vectors"
ANOTHER = "00000000-0000-0000-0000-000000000000"
FILES = ("here", "rebooted", "copied")  # this file and boot; another boot; another file


def read_vectors() -> list[dict[str, Any]]:
    return json.loads((FOLDER / "vectors.json").read_text())


def value_of(part: Any) -> Any:
    return bytes.fromhex(part["$bytes"]) if isinstance(part, dict) and "$bytes" in part else part


def header_of(data: bytes, form: int, fields: bytes) -> bytes:
    """A segment with other fields in its header."""
    count = int.from_bytes(data[20:24], "little")
    unit = PAGE if data[16] == 4 else 8
    start = struct.pack("<II", form, len(fields))
    start += struct.pack("<Q", siphash(start + fields)) + fields
    made = data[:16] + start + bytes(-(16 + len(start)) % unit)
    return made + data[-(-(32 + count) // unit) * unit :]


def split_snapshot(data: bytes) -> tuple[bytes, bytes, int]:
    """The content and the fields of a snapshot, and its format."""
    form, count = struct.unpack_from("<II", data, len(data) - 24)
    return data[: -32 - count], data[-32 - count : -32], form


def snapshot_of(data: bytes, content: bytes, fields: bytes, form: int) -> bytes:
    made = content + fields + data[-32:-24] + struct.pack("<II", form, len(fields))
    return made + struct.pack("<Q", siphash(made)) + b"snapshot"


def change(data: bytes, what: str, by: Any) -> bytes:
    """The bytes of a file after an edit."""
    end, is_segment = len(data), data[:8] == b"storelog"
    match what:
        case "flip":
            byte, bit = by[0] % max(end, 1), by[1]
            return data[:byte] + bytes([data[byte] ^ 1 << bit]) + data[byte + 1 :]
        case "zero":
            start, stop = (min(place, end) if place >= 0 else end + place for place in by)
            return data[:start] + bytes(stop - start) + data[stop:]
        case "cut":
            return data[:by]
        case "append":
            return data + bytes.fromhex(by)
        case "room":
            return data + bytes(by)
        case "seal":
            return data[:8] + struct.pack("<Q", by) + data[16:]
        case "fields" | "format" if is_segment:
            fields = data[32 : 32 + int.from_bytes(data[20:24], "little")]
            if what == "format":
                return header_of(data, by, fields)
            values = decode(fields)
            for key, part in by.items():
                values[int(key)] = value_of(part)
            return header_of(data, data[16], encode(values))
        case "mark":
            return with_entry(data, by)
        case "entry":
            records = bytes.fromhex(by["records"])
            return with_entry(data, RECORDS, (by["first"], by["last"]), records)
        case "fields" | "format" | "content":
            content, fields, form = split_snapshot(data)
            if what == "format":
                return snapshot_of(data, content, fields, by)
            values = {int(key): value_of(part) for key, part in by.items()}
            if what == "fields":
                return snapshot_of(data, content, encode(decode(fields) | values), form)
            return snapshot_of(data, encode(decode(content) | values), fields, form)
    raise ValueError(f"there is no edit {what!r}")


def with_entry(
    data: bytes, kind: int, revisions: tuple[int, int] | None = None, records: bytes = b""
) -> bytes:
    """A segment with another entry after its last whole one, and valid checksums."""
    segment = Segment("", 0, 0, data, "")
    segment.header = header = read_header(data)
    segment.term, segment.first = header.term, header.first
    read_segment(segment, None)
    place = segment.entries[-1].head.end if segment.entries else header.size
    first, last = revisions or (segment.last + 1, segment.last)
    head = struct.pack(
        "<IIQQQQQ", ENTRY_MAGIC, kind, len(records), first, last, 0, segment.checksum
    )
    head += struct.pack("<Q", siphash(head + records, header.key))
    if header.format == 4:
        head += struct.pack("<Q", siphash(head, header.key))
    made = head + records + bytes(-len(records) % 8)
    return data[:place] + made + data[place + len(made) :]


def own(path: Path, files: str) -> None:
    """Makes a segment's header name this file and boot, or others. In format 3 the places of the
    entries depend on the length of the fields, and nothing depends on the file."""
    stat, form = path.stat(), path.read_bytes()[16]
    file = "1.1" if files == "copied" else f"{stat.st_dev}.{stat.st_ino}"
    boot = ANOTHER if files == "rebooted" else boot_id() or ANOTHER
    fields = {"9": boot, "10": file} if form == 4 else {"9": boot}
    path.write_bytes(change(path.read_bytes(), "fields", fields))


def load(vector: dict[str, Any], target: Path) -> None:
    """Makes the data directory of a vector."""
    shutil.copytree(FOLDER / vector["from"], target)
    for path in (target / "log").iterdir():
        own(path, vector["files"])
    for edit in vector["edits"]:
        path = target / edit["file"]
        (what, by), *_ = ((key, part) for key, part in edit.items() if key != "file")
        if what == "remove":
            path.unlink()
        elif what in ("copy", "from"):
            path.write_bytes(((target if what == "copy" else FOLDER) / by).read_bytes())
        else:
            path.write_bytes(change(path.read_bytes(), what, by))
