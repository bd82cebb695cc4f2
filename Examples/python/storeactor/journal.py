"""Reading a data directory: docs/JOURNAL.md, with PROTOCOL.md for values, schemas and deltas.

    python3 -m storeactor.journal verify DIR
    python3 -m storeactor.journal log DIR
    python3 -m storeactor.journal state DIR [--at REVISION]

Each prints lines of JSON. Nothing here writes to the directory. `verify` ends with 0 when all is
right, 65 when something is damaged, and 1 when the end is in doubt.
"""

import argparse
import json
import os
import re
import struct
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .documents import convert
from .encoding import EncodingError, encode
from .schema import Schema, SchemaError
from .segments import Damage, Record, Segment, Snapshot, entry_records, expect, is_a, is_uint
from .segments import read_segment, read_snapshot, read_value

WAIT = 0.1  # seconds until a running daemon has written what it was writing
OK, TORN, DAMAGED, UNREADABLE = 0, 1, 65, 74
ANY = Schema(["any", {}])


class Refused(Exception):
    """A directory that nobody can read as a journal, or a revision that it does not have."""


# The history


@dataclass
class History:
    """All that a directory has, its problems, and the doubts that are no damage."""

    segments: list[Segment]
    snapshots: list[Snapshot]
    problems: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    @property
    def last(self) -> int:
        return self.segments[-1].last if self.segments else -1

    def records(self) -> Iterator[tuple[Record, Schema]]:
        for segment in self.segments:
            for entry in segment.entries:
                for record in entry_records(entry):
                    assert segment.header
                    yield record, segment.header.schema

    def valid(self) -> list[Snapshot]:
        return [snapshot for snapshot in self.snapshots if snapshot.problem is None]

    def states(self, start: Snapshot, until: int) -> Iterator[tuple[int, Any, Schema]]:
        """The root at each revision from a snapshot on."""
        revision, root, schema = start.revision, start.root, start.schema
        assert schema
        yield revision, root, schema
        for record, newer in self.records():
            if revision < record.revision <= until:
                expect(record.revision == revision + 1, f"revision {revision + 1} is missing")
                try:
                    if newer.document != schema.document:
                        root = convert(root, schema, schema.root, newer, newer.root)
                        schema = newer
                    root = root if record.delta is None else schema.apply(record.delta, root)
                except (SchemaError, EncodingError) as error:
                    raise Damage(f"revision {record.revision}: {error}") from None
                revision = record.revision
                yield revision, root, schema
        expect(revision >= until, f"revision {revision + 1} is missing")


def boot_id() -> str | None:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return None


def read_synced(path: Path) -> bytes:
    with path.open("rb") as file:
        os.fsync(file.fileno())
        return file.read()


def list_files(directory: Path) -> tuple[list[Segment], dict[int, Path]]:
    """The segments that count, oldest first, and the snapshots: §2."""
    if not directory.is_dir():
        raise Refused(f"{directory} is no directory")
    if (directory / "log.new").exists():
        raise Refused(f"{directory} is the target of a copy that was never finished")
    if (directory / "journal.sqlite").exists() and not (directory / "log").is_dir():
        raise Refused(f"{directory} has format 2")
    if not (directory / "log").is_dir():
        raise Refused(f"{directory} has no log")
    newest: dict[int, tuple[int, Path]] = {}
    for path in (directory / "log").iterdir():
        if match := re.fullmatch(r"([0-9]{20})-(0|[1-9][0-9]*)\.log", path.name):
            first, term = int(match[1]), int(match[2])
            if first not in newest or term > newest[first][0]:
                newest[first] = term, path
    folder = directory / "snapshots"
    paths = folder.iterdir() if folder.is_dir() else ()
    found = [path for path in paths if re.fullmatch(r"(0|[1-9][0-9]{0,19})\.snapshot", path.name)]
    segments = []
    for first, (term, path) in sorted(newest.items()):
        segments.append(Segment(path.name, term, first, read_synced(path)))
    return segments, {int(path.stem): path for path in found}


def read_history(directory: Path, tries: int = 3) -> History:
    """Reads a directory, again where a running daemon was writing or removing meanwhile."""
    try:
        segments, paths = list_files(directory)
        snapshots = [read_snapshot(n, read_synced(path)) for n, path in sorted(paths.items())]
    except FileNotFoundError as error:
        if tries == 0:
            raise Refused(str(error)) from None
        return read_history(directory, tries - 1)
    for segment, following in zip(segments, [*segments[1:], None]):
        read_segment(segment, following)
    if segments and tries and (segments[-1].torn is not None or segments[-1].problems):
        time.sleep(WAIT)
        return read_history(directory, 0)
    history = History(segments, snapshots)
    judge(history)
    return history


def judge(history: History) -> None:
    """Follows the chain over all segments, and finds out how the history ends: §4.3, §4.4."""
    segments, problems = history.segments, history.problems
    if not segments:
        problems.append("there is no segment")
        return
    newest, valid = segments[-1], history.valid()
    header, base = newest.header, max((one.revision for one in valid), default=-1)
    if header and header.durability != "full" and newest.end != "clean":
        lost = [place for place, last in newest.holes.items() if last >= base]
        if lost and header.boot != boot_id():  # what follows was never promised
            newest.torn, newest.end, newest.last = lost[0], "torn", newest.holes[lost[0]]
            newest.entries = [one for one in newest.entries if one.place < lost[0]]
            newest.problems = {at: what for at, what in newest.problems.items() if at < lost[0]}
    for segment, following in zip(segments, segments[1:]):
        problems += check_link(segment, following)
    if header and header.file == "copy" and newest.end not in ("copied", "clean"):
        newest.problems[len(newest.data)] = "a copy that was cut off"
    if newest.end == "torn" and not newest.problems:
        history.doubts.append(f"{newest.name} is torn at byte {newest.torn}")
    if header and header.seal:
        history.doubts.append(f"{newest.name} is sealed by term {header.seal}: no segment")
    for segment in segments:
        problems += [f"{segment.name}: {text}" for text in segment.problems.values()]
    for snapshot in history.snapshots:
        if snapshot.problem:
            problems.append(f"snapshot {snapshot.revision}: {snapshot.problem}")
        elif snapshot.revision > newest.last and newest.header:
            history.doubts.append(f"snapshot {snapshot.revision} is beyond {newest.last}, the end")
    if not any(snapshot.revision >= segments[0].first - 1 for snapshot in valid):
        problems.append(f"no snapshot of revision {segments[0].first - 1} or later")


def check_link(segment: Segment, following: Segment) -> list[str]:
    if not segment.header or not following.header:
        return []
    name, made = following.name, []
    if segment.last != following.first - 1:
        made.append(f"{name}: revisions from {segment.last + 1} on are missing before it")
    else:
        checksum = segment.entries[-1].checksum if segment.entries else segment.header.before
        if following.header.before != checksum:
            made.append(f"{name}: the chain breaks before it")
        size = sum(len(entry.records) for entry in segment.entries)
        if not segment.problems and following.header.total != segment.header.total + size:
            made.append(f"{name}: another number of bytes is before it")
    if following.header.term < segment.header.term:
        made.append(f"{name}: its term is older than that of the segment before")
    return made


def check_states(history: History) -> None:
    """Compares each snapshot with what the records before it lead to."""
    valid = {one.revision: one for one in history.valid() if one.revision <= history.last}
    starts = [n for n in valid if history.segments and n >= history.segments[0].first - 1]
    try:
        for record, _ in history.records():
            describe_record(record)  # also the parts that states need not
        if starts and not any(segment.problems for segment in history.segments):
            for revision, root, schema in history.states(valid[min(starts)], history.last):
                if one := valid.get(revision):
                    assert one.schema
                    root = convert(root, schema, schema.root, one.schema, one.schema.root)
                    is_same = encode(root) == encode(one.root)
                    expect(is_same, f"snapshot {revision} is not what the records lead to")
    except (Damage, SchemaError) as damage:
        history.problems.append(str(damage))


# What is printed


def describe_any(value: Any) -> Any:
    return json.loads(ANY.text(value))


def describe_action(data: bytes) -> Any:
    return describe_any(read_value(data, "an action"))


def describe_origin(origin: Any) -> dict[str, Any]:
    match origin:
        case None:
            return {"by": "daemon"}
        case [1, bytes() as client, int() as session, int() as sequence, str() as scope,
              bytes() as action, *rest] if len(client) == 16:  # fmt: skip
            made = {"by": "client", "client": client.hex(), "session": session}
            made |= {"sequence": sequence, "scope": scope, "action": describe_action(action)}
            return made | ({"identity": describe_any(rest[0])} if rest else {})
        case [2 | 3 as kind, int() as session, str() as name, str() as address, *_]:
            by = "joined" if kind == 2 else "left"
            return {"by": by, "session": session, "name": name, "address": address}
        case [4, int() as stopped, list() as effects, *_]:
            return {"by": "restart", "stopped": stopped == 1, "effects": describe_any(effects)}
        case [5, str() as name, str() as scope, bytes() as action, *_]:
            made = {"by": "internal", "name": name, "scope": scope}
            return made | {"action": describe_action(action)}
        case [5, str() as name, *_]:
            return {"by": "internal", "name": name}
    raise Damage(f"no origin is {origin!r}")


def describe_record(record: Record) -> dict[str, Any]:
    made = {"revision": record.revision, "time": record.time, **describe_origin(record.origin)}
    made["delta"] = describe_any(record.delta)
    for key, name in enumerate(("began", "ended", "date", "seed", "us", "forgot")):
        if key in record.details:
            value = record.details[key]
            if name == "date" and is_uint(value):
                value = struct.unpack("<d", struct.pack("<Q", value))[0]
            if name == "forgot" and is_a(value):
                value = [one.hex() if isinstance(one, bytes) else one for one in value]
            made[name] = describe_any(value)
    return made


def show(**members: Any) -> None:
    print(json.dumps(members, ensure_ascii=False))


def verify(history: History) -> int:
    check_states(history)
    for one in history.segments:
        end = f"torn at byte {one.torn}" if one.torn is not None else one.end
        seal, boot = (one.header.seal, one.header.boot) if one.header else (None, None)
        show(segment=one.name, term=one.term, seal=seal, first=one.first, last=one.last,
             bytes=len(one.data), end=end, boot=boot)  # fmt: skip
    for snapshot in history.snapshots:
        show(snapshot=snapshot.revision, valid=snapshot.problem is None)
    code = DAMAGED if history.problems else TORN if history.doubts else OK
    end = history.segments[-1].end if history.segments else "none"
    verdict = {OK: end, TORN: "doubtful", DAMAGED: "damaged"}[code]
    show(verdict=verdict, last=history.last, problems=history.problems, doubts=history.doubts)
    return code


def log(history: History) -> int:
    for entry in (entry for segment in history.segments for entry in segment.entries):
        try:
            for record in entry_records(entry):
                show(**describe_record(record))
        except Damage as damage:  # the next entry may be readable
            history.problems.append(str(damage))
    return tell(history)


def state(history: History, at: int | None) -> int:
    newest = max([history.last, *(one.revision for one in history.valid())])
    at = newest if at is None else at
    starts = [one for one in history.valid() if one.revision <= at]
    if not starts or at > newest:
        raise Refused(f"revision {at} is not kept")
    for _, root, schema in history.states(starts[-1], at):
        pass
    print(schema.text(root))
    return tell(history)


def tell(history: History) -> int:
    for text in history.problems + history.doubts:
        print(text, file=sys.stderr)
    return DAMAGED if history.problems else TORN if history.doubts else OK


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="storeactor.journal", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("verify", "log", "state"):
        command = commands.add_parser(name)
        command.add_argument("directory", type=Path)
        if name == "state":
            command.add_argument("--at", type=int, metavar="REVISION")
    options = parser.parse_args(arguments)
    try:
        history = read_history(options.directory)
        if options.command == "state":
            return state(history, options.at)
        return verify(history) if options.command == "verify" else log(history)
    except (Damage, SchemaError, Refused) as error:
        print(error, file=sys.stderr)
        return DAMAGED
    except OSError as error:
        print(error, file=sys.stderr)
        return UNREADABLE


if __name__ == "__main__":
    sys.exit(main())
