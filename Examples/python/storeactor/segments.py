"""The files of a journal as bytes: docs/JOURNAL.md §3 to §6."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .documents import read_schema
from .encoding import EncodingError, decode, siphash
from .schema import Schema, SchemaError

FORMAT = 3
LIMIT = 1 << 62  # no revision, term or session number is greater
MAGIC, TRAILER = b"storelog", b"snapshot"
ENTRY = struct.Struct("<IIQQQQQQ")
ENTRY_MAGIC = 0x7972746E
RECORDS, END, COPIED = 1, 2, 3
DURABILITIES = ("full", "batched", "none")
VALUE_DEPTH, RECORD_DEPTH = 64, 130


class Damage(Exception):
    """Bytes, or files, that the page does not allow."""


def expect(condition: object, text: str) -> None:
    if not condition:
        raise Damage(text)


def is_uint(value: object, limit: int = (1 << 64) - 1) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= limit


def is_a(value: object, *types: type) -> bool:
    """Whether a value is a list whose first items have these types."""
    return (
        isinstance(value, list)
        and len(value) >= len(types)
        and all(type(part) is expected for part, expected in zip(value, types))
    )


# CBOR items and schemas


def item_end(data: bytes, start: int) -> int:
    """The offset behind the item at `start`; `decode` checks everything else about it."""
    place, open_items = start, 1
    while open_items:
        expect(place < len(data), "an item is cut off")
        major, short = data[place] >> 5, data[place] & 31
        expect(short < 28, f"no item begins at offset {place} of the records")
        width = 0 if short < 24 else 1 << short - 24
        count = int.from_bytes(data[place + 1 : place + 1 + width], "big") if width else short
        place += 1 + width + (count if major in (2, 3) else 0)
        open_items += {4: count, 5: 2 * count, 6: 1}.get(major, 0) - 1
    expect(place <= len(data), "an item is cut off")
    return place


def read_value(data: bytes, what: str, depth: int = VALUE_DEPTH) -> Any:
    try:
        return decode(data, depth)
    except EncodingError as error:
        raise Damage(f"{what}: {error}") from None


def read_document(data: bytes) -> Schema:
    try:
        return read_schema(read_value(data, "its schema"))
    except SchemaError as error:
        raise Damage(str(error)) from None


def check_value(schema: Schema, value: Any, what: str) -> None:
    try:
        schema.check(value)
    except (SchemaError, EncodingError, LookupError, TypeError, ValueError) as error:
        raise Damage(f"{what} does not fit its schema: {error}") from None


# Segments


class Header(NamedTuple):
    """What the first bytes of a segment say: §4.1."""

    size: int
    seal: int
    root: str
    epoch: int
    term: int
    first: int
    before: int
    total: int
    began: int
    key: int
    durability: str
    boot: str
    file: str
    schema: Schema


def read_header(data: bytes) -> Header:
    expect(len(data) >= 32 and data[:8] == MAGIC, "no header of a segment")
    seal, form, count, checksum = struct.unpack_from("<QIIQ", data, 8)
    expect(form == FORMAT, f"format {form}, not {FORMAT}")
    fields = data[32 : 32 + count]
    expect(len(fields) == count, "the header is cut off, or its size is wrong")
    expect(siphash(data[16:24] + fields) == checksum, "the header's checksum is wrong")
    values = read_value(fields, "the header's fields", RECORD_DEPTH)
    types = (str, int, int, int, int, int, int, int, str, str, str, bytes)
    expect(is_a(values, *types) and len(values) == 12, "the header's fields have wrong kinds")
    expect(all(map(is_uint, values[1:8])), "the header has a negative number")
    expect(max(seal, values[2], values[3]) <= LIMIT, "the header has a number beyond 2^62")
    expect(values[8] in DURABILITIES, f"unknown durability {values[8]!r}")
    schema = read_document(values[11])
    size = 32 + count + -count % 8
    return Header._make([size, seal, *values[:11], schema])


@dataclass
class Entry:
    """One commit: §4.2. `place` and `end` are offsets in the file."""

    place: int
    end: int
    kind: int
    first: int
    last: int
    sessions: int
    before: int
    checksum: int
    records: bytes


def read_entry(data: bytes, place: int, key: int) -> Entry | None:
    """The whole entry at an offset, if there is one."""
    if place + ENTRY.size > len(data):
        return None
    magic, kind, count, first, last, sessions, before, checksum = ENTRY.unpack_from(data, place)
    start = place + ENTRY.size
    is_range = first <= last and count > 0 if kind == RECORDS else count == 0 and first == last + 1
    is_known = magic == ENTRY_MAGIC and kind in (RECORDS, END, COPIED) and is_range
    if not is_known or max(last, sessions) > LIMIT or start + count > len(data):
        return None
    records = data[start : start + count]
    if siphash(data[place : start - 8] + records, key) != checksum:
        return None
    end = start + count + -count % 8
    return Entry(place, end, kind, first, last, sessions, before, checksum, records)


def next_entry(data: bytes, place: int, key: int) -> Entry | None:
    """The first whole entry at this offset or at a later multiple of eight."""
    magic = ENTRY_MAGIC.to_bytes(4, "little")
    while (place := data.find(magic, place)) >= 0:
        if place % 8 == 0 and (entry := read_entry(data, place, key)):
            return entry
        place += 1
    return None


@dataclass
class Segment:
    """A file of entries, with what is wrong in it."""

    name: str
    term: int
    first: int
    data: bytes
    header: Header | None = None
    entries: list[Entry] = field(default_factory=list)  # of records, and not void
    holes: dict[int, int] = field(default_factory=dict)  # where, and the revision before
    problems: dict[int, str] = field(default_factory=dict)  # where, and what
    end: str = "damaged"
    last: int = 0
    torn: int | None = None


def read_segment(segment: Segment, following: Segment | None) -> None:
    """Reads all entries; those that the following segment has instead are void: §4.3."""
    data, segment.last = segment.data, segment.first - 1
    try:
        header = segment.header = read_header(data)
        expect(header.term == segment.term, "its name has another term than its header")
        expect(header.first == segment.first, "its name has another revision than its header")
    except Damage as damage:
        segment.problems[0] = str(damage)
        return
    limit = following.first if following else None
    place, checksum, mark = header.size, header.before, None
    while limit is None or segment.last + 1 < limit:
        entry = read_entry(data, place, header.key)
        if entry is None:
            entry = next_entry(data, place + 1, header.key)
            if entry is None or (limit is not None and entry.first >= limit):
                break
            segment.holes[place] = segment.last
            text = f"no whole entry at byte {place}, but a whole one at byte {entry.place}"
            segment.problems[place] = text
        else:
            is_next = entry.first == segment.last + 1 and entry.before == checksum
            if mark or not is_next:
                what = "an entry follows the end" if mark else "the chain breaks"
                segment.problems[place] = f"{what} at byte {place}"
        if limit is not None and entry.kind == RECORDS and entry.last >= limit:
            break
        place = entry.end
        if entry.kind == RECORDS:
            segment.entries.append(entry)
            segment.last, checksum, mark = entry.last, entry.checksum, None
        else:
            mark = entry
    if limit is not None and segment.last + 1 >= limit:
        # What follows is void, but an end of the daemon is worth telling.
        mark = read_entry(data, place, header.key)
        segment.end = {END: "clean", COPIED: "copied"}.get(mark.kind if mark else 0, "open")
    elif any(data[place:]):
        segment.end, segment.torn = "torn", place
    else:
        segment.end = {END: "clean", COPIED: "copied"}[mark.kind] if mark else "open"


# Snapshots


@dataclass
class Snapshot:
    """The whole root at one revision: §6."""

    revision: int
    problem: str | None = None
    root: Any = None
    schema: Schema | None = None


def read_snapshot(revision: int, data: bytes) -> Snapshot:
    try:
        expect(len(data) >= 32 and data[-8:] == TRAILER, "it has no trailer")
        stated, form, count, checksum = struct.unpack("<QIIQ", data[-32:-8])
        expect(siphash(data[:-16]) == checksum, "its checksum is wrong")
        expect(form == FORMAT, f"format {form}, not {FORMAT}")
        expect(stated == revision, f"it is of revision {stated}")
        expect(count <= len(data) - 32, "its schema is larger than it")
        split = len(data) - 32 - count
        schema = read_document(data[split:-32])
        content = read_value(data[:split], "its content", RECORD_DEPTH)
        is_content = is_a(content, int, int, list, list, list) and len(content) == 6
        expect(is_content and content[0] == revision, "its content has another form")
        check_value(schema, content[5], "its root")
        return Snapshot(revision, None, content[5], schema)
    except Damage as damage:
        return Snapshot(revision, str(damage))


# Records


@dataclass
class Record:
    """One revision: §5."""

    revision: int
    time: int
    origin: Any
    delta: Any
    details: dict[int, Any]


def entry_records(entry: Entry) -> Iterator[Record]:
    place, revision = 0, entry.first
    while place < len(entry.records):
        end = item_end(entry.records, place)
        value = read_value(entry.records[place:end], f"revision {revision}", RECORD_DEPTH)
        is_record = isinstance(value, list) and len(value) == 5 and isinstance(value[4], dict)
        is_record = is_record and is_uint(value[1]) and value[0] == revision
        expect(is_record, f"the record of revision {revision} has another form")
        yield Record(*value[:5])
        place, revision = end, revision + 1
    expect(revision == entry.last + 1, f"an entry has no record of revision {revision}")
