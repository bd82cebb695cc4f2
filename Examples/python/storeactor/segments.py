"""The files of a journal as bytes: docs/JOURNAL.md §3 to §6."""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from .documents import read_schema
from .encoding import EncodingError, decode, siphash
from .schema import Schema, SchemaError

FORMATS = (3, 4)  # what format 3 has differently: §11
LIMIT = 1 << 62  # no revision, term or session number is greater
PAGE, SECTOR = 4096, 512
MAGIC, TRAILER = b"storelog", b"snapshot"
HEAD = struct.Struct("<IIQQQQQQ")  # in format 4 its own checksum follows
ENTRY_MAGIC = 0x7972746E
RECORDS, END, COPIED = 1, 2, 3
DURABILITIES = ("full", "batched", "none")
VALUE_DEPTH, RECORD_DEPTH = 64, 128


class Damage(Exception):
    """Bytes, or files, that the page does not allow."""


def expect(condition: object, text: str) -> None:
    if not condition:
        raise Damage(text)


def is_uint(value: object, limit: int = (1 << 64) - 1) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= limit


def is_text(value: object) -> bool:
    return isinstance(value, str)


def is_id(value: object) -> bool:
    return isinstance(value, bytes) and len(value) == 16


def is_list(
    value: object, check: Callable[[object], bool] = lambda _: True
) -> TypeGuard[list[Any]]:
    return isinstance(value, list) and all(map(check, value))


def is_a(value: object, *types: type) -> TypeGuard[list[Any]]:
    """Whether a value is a list whose first items have these types."""
    if not isinstance(value, list) or len(value) < len(types):
        return False
    return all(type(part) is wanted for part, wanted in zip(value, types))


def numbered(value: object) -> dict[int, Any]:
    """A map with numbered keys."""
    is_map = isinstance(value, dict) and all(map(is_uint, value))
    expect(is_map, "no map with numbered keys")
    return dict(value)  # type: ignore[call-overload]


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
    """The header of a segment: §4.1."""

    size: int
    format: int
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
    history: int = 0
    initial: int = 0


def read_header(data: bytes) -> Header:
    expect(len(data) >= 32 and data[:8] == MAGIC, "no header of a segment")
    seal, form, count, checksum = struct.unpack_from("<QIIQ", data, 8)
    expect(form in FORMATS, f"format {form}, not one of {FORMATS}")
    fields = data[32 : 32 + count]
    expect(len(fields) == count, "the header is cut off, or its size is wrong")
    expect(siphash(data[16:24] + fields) == checksum, "the header's checksum is wrong")
    values = read_value(fields, "the header's fields", RECORD_DEPTH)
    types: list[type] = [str, int, int, int, int, int, int, int, str, str, str, bytes]
    if form == 4:
        types += [int, int]
        found = numbered(values)
        values = [found.get(key) for key in range(len(types))]
    is_right = is_a(values, *types) and len(values) == len(types)
    expect(is_right, "the header's fields have wrong kinds")
    expect(all(map(is_uint, values[1:8] + values[12:])), "the header has a negative number")
    expect(max(seal, values[2], values[3]) <= LIMIT, "the header has a number beyond 2^62")
    expect(values[8] in DURABILITIES, f"unknown durability {values[8]!r}")
    values[11] = read_document(values[11])
    size = 32 + count + -count % 8 if form == 3 else -(-(32 + count) // PAGE) * PAGE
    expect(len(data) >= size, "the header is cut off")
    return Header(size, form, seal, *values)


class Head(NamedTuple):
    """The head of an entry: §4.2. `place`, `start` (of the records) and `stop` are offsets."""

    place: int
    start: int
    stop: int
    kind: int
    first: int
    last: int
    sessions: int
    before: int
    checksum: int

    @property
    def end(self) -> int:
        return self.stop + -self.stop % 8


class Entry(NamedTuple):
    """One commit."""

    head: Head
    records: bytes


def read_head(data: bytes, place: int, header: Header) -> Head | None:
    """The head at an offset, if it is whole. In format 3 it is only a candidate: the checksum
    covers the whole entry."""
    start = place + HEAD.size + (8 if header.format == 4 else 0)
    if start > len(data):
        return None
    magic, kind, count, first, last, sessions, before, checksum = HEAD.unpack_from(data, place)
    is_range = first <= last and count > 0 if kind == RECORDS else count == 0 and first == last + 1
    is_known = magic == ENTRY_MAGIC and kind in (RECORDS, END, COPIED) and is_range
    if not is_known or max(last, sessions) > LIMIT:
        return None
    if header.format == 4:
        stated = int.from_bytes(data[start - 8 : start], "little")
        if siphash(data[place : start - 8], header.key) != stated:
            return None
    return Head(place, start, start + count, kind, first, last, sessions, before, checksum)


def read_entry(data: bytes, place: int, header: Header) -> Entry | None:
    """The whole entry at an offset, if there is one."""
    head = read_head(data, place, header)
    if head is None or head.stop > len(data):
        return None
    records = data[head.start : head.stop]
    signed = data[place : place + HEAD.size - 8] + records
    return Entry(head, records) if siphash(signed, header.key) == head.checksum else None


def next_head(data: bytes, place: int, header: Header) -> Head | None:
    """The first whole head (in format 3: that of a whole entry) from this offset on."""
    magic = ENTRY_MAGIC.to_bytes(4, "little")
    while (place := data.find(magic, place)) >= 0:
        if place % 8 == 0 and (head := read_head(data, place, header)):
            if header.format == 4 or read_entry(data, place, header):
                return head
        place += 1
    return None


class Hole(NamedTuple):
    """Bytes before a whole head that are no whole entry, and the revisions around them."""

    place: int
    until: int
    last: int  # before them
    first: int  # after them


@dataclass
class Segment:
    """A file of entries, with its faults."""

    name: str
    term: int
    first: int
    data: bytes
    file: str  # the identity of the file: DEVICE.INODE
    header: Header | None = None
    entries: list[Entry] = field(default_factory=list)  # of records, and not void
    holes: list[Hole] = field(default_factory=list)
    problems: dict[int, str] = field(default_factory=dict)  # where, and what
    end: str = "damaged"
    is_ended: bool = False  # by an entry of kind 2 or 3
    last: int = 0
    torn: int | None = None

    @property
    def checksum(self) -> int:
        """That of the last entry of records, here or before."""
        assert self.header
        return self.entries[-1].head.checksum if self.entries else self.header.before

    def cut(self, hole: Hole) -> None:
        """Ends the segment where a hole begins."""
        self.torn, self.end, self.last = hole.place, "torn", hole.last
        self.entries = [one for one in self.entries if one.head.place < hole.place]
        self.problems = {at: what for at, what in self.problems.items() if at < hole.place}


def read_segment(segment: Segment, following: Segment | None) -> None:
    """Reads all entries; those that the following segment has instead are void: §4.3."""
    segment.last = segment.first - 1
    try:
        header = segment.header = read_header(segment.data)
        expect(header.term == segment.term, "its name has another term than its header")
        expect(header.first == segment.first, "its name has another revision than its header")
    except Damage as damage:
        segment.problems[0] = str(damage)
        return
    limit = following.first if following else LIMIT + 2
    place, mark = read_entries(segment, header, limit)
    segment.end = {END: "clean", COPIED: "copied"}.get(mark, "continued" if following else "open")
    if following is None:
        judge_end(segment, header, place, mark)
    elif segment.last + 1 < limit:
        segment.end = "damaged"


def read_entries(segment: Segment, header: Header, limit: int) -> tuple[int, int]:
    """Reads entries of revisions before a limit; returns where they end, and the kind of an end."""
    data, place = segment.data, header.size
    while segment.last + 1 < limit:
        entry = read_entry(data, place, header)
        if entry is None:
            head = next_head(data, place + 8, header)
            if head is None or head.first >= limit:
                break
            segment.holes.append(Hole(place, head.place, segment.last, head.first))
            text = f"no whole entry at byte {place}, but the head of one at byte {head.place}"
            segment.problems[place] = text
            place = head.place
            continue
        head = entry.head
        if head.kind == RECORDS and head.last >= limit:
            break
        is_next = head.first == segment.last + 1 and head.before == segment.checksum
        if not is_next and not (segment.holes and segment.holes[-1].until == place):
            segment.problems[place] = f"the chain breaks at byte {place}"
        place = head.end
        if head.kind != RECORDS:
            return place, head.kind
        segment.entries.append(entry)
        segment.last = head.last
    # Entries after the limit are void, but the kind of a daemon's end is reported.
    entry = read_entry(data, place, header)
    return place, entry.head.kind if entry and entry.head.kind != RECORDS else 0


def judge_end(segment: Segment, header: Header, place: int, mark: int) -> None:
    """Judges the bytes after the last entry of the newest segment."""
    data, segment.is_ended = segment.data, mark != 0
    until = len(data.rstrip(b"\0"))  # where the tail ends
    if mark and (head := next_head(data, place, header)):
        segment.problems[head.place] = f"an entry follows the end at byte {head.place}"
        segment.end = "damaged"
    elif segment.holes:
        segment.end = "damaged"
    elif until > place and is_torn(segment, header, place, until):
        segment.end, segment.torn = "torn", place
    elif until > place:
        segment.end = "damaged"
        segment.problems[place] = f"bytes {place} to {until - 1} are no entry"


def boot_id() -> str | None:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return None


def is_promised(segment: Segment, header: Header) -> bool:
    """Whether all acknowledged bytes are in the file: a machine's crash may lose unsynced bytes."""
    return header.durability == "full" or header.boot == boot_id()


def is_torn(segment: Segment, header: Header, place: int, until: int) -> bool:
    """Whether the bytes after the last whole entry can be an incomplete write: §4.3."""
    if header.format == 3 or header.file != segment.file or not is_promised(segment, header):
        return True
    head = read_head(segment.data, place, header)
    stop = head.end if head else place + 64
    if header.boot == boot_id():  # the program was killed: whole sectors are missing at the end
        return min(until + -until % SECTOR, len(segment.data)) < stop
    return head is None or until <= stop


def is_void(segment: Segment, header: Header, hole: Hole) -> bool:
    """Whether whole entries after a hole were never promised, or are of a file that was copied
    during a write. Entries before an end were promised, and their writes were complete."""
    if segment.is_ended or header.file == "copy":
        return False
    if not is_promised(segment, header):
        return True
    if header.format == 3 or header.file == segment.file:
        return False
    starts = [hole.place, *range(hole.place + -hole.place % PAGE, hole.until, PAGE)]
    ends = [start + PAGE - start % PAGE for start in starts]
    pages = [segment.data[a:b] for a, b in zip(starts, ends) if b <= hole.until]
    return any(not any(page) for page in pages)


# Snapshots


@dataclass
class Snapshot:
    """The whole root at one revision: §6."""

    name: str
    revision: int
    problem: str | None = None
    root: Any = None
    schema: Schema | None = None
    history: int = 0
    sum: int | None = None
    foreign: str | None = None  # why it is of another history


def read_snapshot(name: str, revision: int, data: bytes) -> Snapshot:
    made = Snapshot(name, revision)
    try:
        expect(len(data) >= 32 and data[-8:] == TRAILER, "it has no trailer")
        stated, form, count, checksum = struct.unpack("<QIIQ", data[-32:-8])
        expect(siphash(data[:-16]) == checksum, "its checksum is wrong")
        expect(form in FORMATS, f"format {form}, not one of {FORMATS}")
        expect(stated == revision, f"it is of revision {stated}")
        expect(count <= len(data) - 32, "its fields are larger than it")
        split = len(data) - 32 - count
        fields: dict[int, Any] = {0: data[split:-32], 1: 0}
        if form == 4:
            fields = numbered(read_value(fields[0], "its fields", RECORD_DEPTH))
            is_right = isinstance(fields.get(0), bytes) and is_uint(fields.get(1))
            expect(is_right and is_uint(fields.get(2, 0)), "its fields have wrong kinds")
        made.history, made.sum = fields[1], fields.get(2)
        made.schema = read_document(fields[0])
        content = read_value(data[:split], "its content", RECORD_DEPTH)
        if isinstance(content, dict):
            found = numbered(content)
            content = [found.get(key) for key in range(6)]
            expect(is_list(found.get(6, []), is_schedule), "its schedules have another form")
        is_content = is_a(content, int, int, list, list, list) and len(content) == 6
        is_content = is_content and all(map(is_uint, content[:2])) and content[0] == revision
        expect(is_content, "its content has another form")
        expect(is_list(content[2], is_session), "its sessions have another form")
        expect(is_list(content[3], is_client), "its clients have another form")
        expect(is_list(content[4], is_effect), "its running effects have another form")
        check_value(made.schema, content[5], "its root")
        made.root = content[5]
    except Damage as damage:
        made.problem = str(damage)
    return made


# Parts of snapshots and records


def is_identity(value: Any = None) -> bool:
    """Whether a value is a peer's identity, or null for an unknown peer."""
    is_user = is_list(value, is_uint) and len(value) == 3
    return value is None or value is True or is_text(value) or is_user


def is_session(value: Any) -> bool:
    is_right = is_a(value, int, str, str) and is_uint(value[0])
    return is_right and is_identity(*value[3:4])


def is_client(value: Any) -> bool:
    is_right = is_a(value, bytes, int, list) and is_id(value[0]) and is_uint(value[1])
    if not is_right or not is_list(value[2], is_outcome):
        return False
    return all(one is None or is_uint(one) or is_text(one) for one in value[3:4])


def is_outcome(value: Any) -> bool:
    match value:
        case [1, revision, *_]:
            return is_uint(revision)
        case [3, revision, bool(), *reply]:
            return is_uint(revision) and (not reply or len(reply) > 1 and is_uint(reply[0]))
        case [2, str(), str(), *_]:
            return True
    return is_uint(value)


def effect_items(value: Any) -> list[Any]:
    """A running effect's number, name and path; in format 4 they are in a map."""
    return [value.get(key) for key in range(3)] if isinstance(value, dict) else value


def is_effect(value: Any) -> bool:
    value = effect_items(numbered(value) if isinstance(value, dict) else value)
    is_right = is_a(value, int, str, list) and len(value) == 3
    return is_right and is_uint(value[0]) and is_list(value[2], is_text)


def is_origin(origin: Any) -> bool:
    if origin is None:
        return True
    is_pair = is_list(origin) and len(origin) == 2
    return is_pair and (origin[0] is None or is_uint(origin[0])) and is_identity(origin[1])


def is_time(bits: Any) -> bool:
    return is_uint(bits) and abs(seconds_of(bits)) <= 1e12


def seconds_of(bits: int) -> float:
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def is_schedule(timer: Any) -> bool:
    if not isinstance(timer, dict) or not is_uint(timer.get(0)) or not is_time(timer.get(4)):
        return False
    texts = is_text(timer.get(1, "")) and is_text(timer.get(6, ""))
    numbers = is_uint(timer.get(3, 0)) and is_uint(timer.get(7, 0)) and is_time(timer.get(5, 0))
    parts = is_list(timer.get(2, []), is_text) and is_origin(timer.get(8))
    return texts and numbers and parts and isinstance(timer.get(9), bytes)


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
    place, revision = 0, entry.head.first
    while place < len(entry.records):
        end = item_end(entry.records, place)
        value = read_value(entry.records[place:end], f"revision {revision}", RECORD_DEPTH)
        is_record = isinstance(value, list) and len(value) == 5 and isinstance(value[4], dict)
        is_record = is_record and is_uint(value[1]) and value[0] == revision
        expect(is_record, f"the record of revision {revision} has another form")
        _, wall, origin, delta, details = value
        yield Record(revision, wall, origin, delta, numbered(details))
        place, revision = end, revision + 1
    expect(revision == entry.head.last + 1, f"an entry has no record of revision {revision}")
