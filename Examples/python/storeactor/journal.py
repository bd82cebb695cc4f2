"""Reading a data directory: docs/JOURNAL.md, with PROTOCOL.md for values, schemas and deltas.

    python3 -m storeactor.journal verify DIR
    python3 -m storeactor.journal log DIR
    python3 -m storeactor.journal state DIR [--at REVISION]

Each prints lines of JSON. Nothing here writes to the directory. `verify` ends with 0 when all is
right, 65 when something is damaged, and 1 when the end is in doubt: an entry that was being
written, a daemon that took over and left nothing, or a snapshot of another history.
"""

import argparse
import contextlib
import json
import os
import re
import struct
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .documents import convert
from .encoding import EncodingError, encode
from .schema import Schema, SchemaError
from .segments import LIMIT, Damage, Record, Segment, Snapshot, effect_items, entry_records, expect
from .segments import is_effect, is_id, is_identity, is_list, is_origin, is_schedule, is_session
from .segments import is_text, is_time, is_uint, is_void, seconds_of
from .segments import read_header, read_segment, read_snapshot, read_value

WAIT = 0.1  # seconds until a running daemon has written what it was writing
OK, TORN, DAMAGED, UNREADABLE = 0, 1, 65, 74
ANY = Schema(["any", {}])


class Refused(Exception):
    """A directory that is no readable journal, or a revision that it does not have."""


# The history


@dataclass
class History:
    """All that a directory has, its problems, and the doubts that are no damage."""

    segments: list[Segment]
    snapshots: list[Snapshot]
    torn: dict[str, int]  # files with what was cut off, and their sizes
    drafts: set[int]  # the terms of daemons that were about to take over
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
        """The snapshots that are of this history and can be read, oldest first."""
        return [one for one in self.snapshots if not (one.problem or one.foreign)]

    def runs(self) -> Iterator[tuple[int, int]]:
        """Which revisions follow each other: one run, unless a daemon went on from a snapshot."""
        first = self.segments[0].first if self.segments else 0
        for segment, following in zip(self.segments, [*self.segments[1:], None]):
            if following is None or following.first != segment.last + 1:
                yield first, segment.last
                first = following.first if following else 0

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


def read_synced(path: Path) -> bytes:
    with path.open("rb") as file:
        os.fsync(file.fileno())
        return file.read()


def read_files(directory: Path) -> History:
    """The segments that count, oldest first, and all else that a directory has: §2."""
    if not directory.is_dir():
        raise Refused(f"{directory} is no directory")
    if (directory / "log.new").exists():
        raise Refused(f"{directory} is the target of a copy that was never finished")
    if (directory / "journal.sqlite").exists() and not (directory / "log").is_dir():
        raise Refused(f"{directory} has format 2")
    if not (directory / "log").is_dir():
        raise Refused(f"{directory} has no log")
    newest: dict[int, tuple[int, Path]] = {}
    history = History([], [], {}, set())
    for path in sorted((directory / "log").iterdir()):
        if match := re.fullmatch(r"([0-9]{20})-(0|[1-9][0-9]*)\.(log|torn)", path.name):
            first, term = int(match[1]), int(match[2])
            if match[3] == "torn" and path.is_file():
                history.torn[path.name] = path.stat().st_size
            elif match[3] == "log" and (first not in newest or term > newest[first][0]):
                newest[first] = term, path
        elif path.suffix == ".new" and path.is_file():
            with contextlib.suppress(Damage):  # just room, then
                history.drafts.add(read_header(read_synced(path)).term)
    for first, (term, path) in sorted(newest.items()):
        data, stat = read_synced(path), path.stat()
        file = f"{stat.st_dev}.{stat.st_ino}"
        history.segments.append(Segment(path.name, term, first, data, file))
    folder = directory / "snapshots"
    for path in folder.iterdir() if folder.is_dir() else ():
        if match := re.fullmatch(r"(0|[1-9][0-9]{0,19})\.(snapshot|copy)", path.name):
            history.snapshots.append(read_snapshot(path.name, int(match[1]), read_synced(path)))
    history.snapshots.sort(key=lambda one: (one.revision, one.name))
    return history


def read_history(directory: Path, tries: int = 3) -> History:
    """Reads a directory; reads it again if a running daemon has changed it meanwhile."""
    try:
        history = read_files(directory)
    except FileNotFoundError as error:
        if tries == 0:
            raise Refused(str(error)) from None
        return read_history(directory, tries - 1)
    segments = history.segments
    for segment, following in zip(segments, [*segments[1:], None]):
        read_segment(segment, following)
    if segments and tries and (segments[-1].torn is not None or segments[-1].problems):
        time.sleep(WAIT)
        return read_history(directory, 0)
    judge(history)
    return history


def judge(history: History) -> None:
    """Follows the chain over all segments, and finds out how the history ends: §4.3, §4.4, §6."""
    segments, problems, doubts = history.segments, history.problems, history.doubts
    if not segments:
        problems.append("there is no segment")
        return
    newest, header = segments[-1], segments[-1].header
    for snapshot in history.snapshots:
        snapshot.foreign = find_foreign(segments, snapshot)
    valid = history.valid()
    base = valid[-1].revision if valid else -1
    hole = next((hole for hole in newest.holes if hole.first > base + 1), None)
    if header and hole and is_void(newest, header, hole):
        newest.cut(hole)
    for segment, following in zip(segments, segments[1:]):
        problems += check_link(segment, following, valid)
    if header and header.file == "copy" and not newest.is_ended:
        newest.problems[len(newest.data)] = "a copy that was cut off"
        newest.end, newest.torn = "damaged", None
    if newest.end == "torn":
        doubts.append(f"{newest.name} is torn at byte {newest.torn}")
    if header and max(header.term, newest.last, base) >= LIMIT:
        problems.append(f"{newest.name}: no number is left for what follows")
    if header and header.seal and header.seal not in history.drafts:
        doubts.append(f"{newest.name} is sealed by term {header.seal}: no segment, and no draft")
    for segment in segments:
        problems += [f"{segment.name}: {text}" for text in segment.problems.values()]
    for snapshot in history.snapshots:
        if snapshot.problem:
            problems.append(f"{snapshot.name}: {snapshot.problem}")
        elif snapshot.foreign:
            doubts.append(f"{snapshot.name} is foreign: {snapshot.foreign}")
        elif snapshot.revision > newest.last and newest.header:
            doubts.append(f"{snapshot.name} is beyond {newest.last}, the end")
    if base < segments[0].first - 1:
        problems.append(f"no snapshot of revision {segments[0].first - 1} or later")


def find_foreign(segments: list[Segment], snapshot: Snapshot) -> str | None:
    """Why a snapshot is of another history, if it is: §6."""
    header = segments[-1].header
    if header and header.history and snapshot.history not in (0, header.history):
        return "its history has another number"
    for segment in segments:
        sums = [one.head.checksum for one in segment.entries if one.head.last == snapshot.revision]
        if segment.header and segment.first == snapshot.revision + 1:
            sums.append(segment.header.before)
        if snapshot.sum is not None and any(one != snapshot.sum for one in sums):
            return "the log has another checksum for its revision"
    return None


def check_link(segment: Segment, following: Segment, valid: list[Snapshot]) -> list[str]:
    if not segment.header or not following.header:
        return []
    name, made, checksums = following.name, [], [segment.checksum]
    if segment.last != following.first - 1:
        starts = [one for one in valid if one.revision == following.first - 1]
        if starts and segment.last < following.first:  # a daemon went on from a snapshot
            checksums += [one.sum for one in starts if one.sum is not None]
            made.append(f"{name}: revisions from {segment.last + 1} on are missing before it")
        else:
            return [f"{name}: revisions from {segment.last + 1} on are missing before it"]
    if following.header.before not in checksums:
        made.append(f"{name}: the chain breaks before it")
    size = sum(len(entry.records) for entry in segment.entries)
    if not segment.problems and following.header.total != segment.header.total + size:
        made.append(f"{name}: another number of bytes is before it")
    if following.header.term < segment.header.term:
        made.append(f"{name}: its term is older than that of the segment before")
    return made


def check_states(history: History) -> None:
    """Compares each snapshot with the state that the records before it lead to."""
    try:
        for record, _ in history.records():
            describe_record(record)  # also the parts that states need not
        if any(segment.problems for segment in history.segments):
            return
        for first, last in history.runs():
            valid = [one for one in history.valid() if first - 1 <= one.revision <= last]
            for revision, root, schema in history.states(valid[0], last) if valid else ():
                for one in (one for one in valid if one.revision == revision):
                    assert one.schema
                    value = convert(root, schema, schema.root, one.schema, one.schema.root)
                    is_same = encode(value) == encode(one.root)
                    expect(is_same, f"{one.name} is not what the records lead to")
    except (Damage, SchemaError) as damage:
        history.problems.append(str(damage))


# Printed forms


def describe_any(value: Any) -> Any:
    return json.loads(ANY.text(value))


def describe_action(data: bytes) -> Any:
    return describe_any(read_value(data, "an action"))


def describe_origin(origin: Any) -> dict[str, Any]:
    match origin:
        case None:
            return {"by": "daemon"}
        case [1, client, session, sequence, str() as scope, bytes() as action, *rest] if (
            is_id(client) and is_uint(session) and is_uint(sequence) and is_identity(*rest[:1])
        ):
            made = {"by": "client", "client": client.hex(), "session": session}
            made |= {"sequence": sequence, "scope": scope, "action": describe_action(action)}
            made |= {"identity": describe_any(rest[0])} if rest else {}
            return made | ({"sessionName": rest[1]} if rest[1:] and is_text(rest[1]) else {})
        case [2 | 3 as kind, *session] if is_session(session):
            made = {"by": "joined" if kind == 2 else "left"}
            return made | dict(zip(("session", "name", "address"), session))
        case [4, stopped, effects, *_] if is_uint(stopped) and is_list(effects, is_interrupted):
            if stopped & 4:
                return {"by": "start"}
            return {"by": "restart", "stopped": stopped & 1 == 1, "effects": describe_any(effects)}
        case [5, None | str() as name, None | str() as scope, bytes() as action, *_]:
            made = {"by": "internal", "name": path_of(action) if name is None else name}
            made |= {} if scope is None else {"scope": scope}
            return made | {"action": describe_action(action)}
        case [5, str() as name] | [5, str() as name, _]:
            return {"by": "internal", "name": name}
        case [6, None | str() as name, cause, None | str() as effect, *form] if is_uint(cause):
            made = describe_origin([5, name, *form])
            return made | {"cause": cause} | ({"effect": effect} if effect is not None else {})
    raise Damage(f"no origin is {origin!r}")


def path_of(form: bytes) -> str:
    """The name of an action whose record has none: its cases, and the ids of elements."""
    path, item = "", read_value(form, "an action")
    while True:
        dot = "." if path else ""
        match item:
            case str() as case:
                return path + dot + case
            case dict() if len(item) == 1 and is_text(*item):
                ((case, value),) = item.items()
                path += f"{dot}{case}"
                match value:
                    case {"_0": item} if len(value) == 1:
                        continue
                    case {"id": key, "action": item} if len(value) == 2:
                        if isinstance(key, bytes) and len(key) == 16:
                            key = str(uuid.UUID(bytes=key)).upper()
                        elif not is_uint(key) and not is_text(key):
                            return path
                        path += f"[{key}]"
                        continue
        return path


def is_interrupted(effect: Any) -> bool:
    return (
        is_list(effect) and len(effect) >= 2 and is_text(effect[0]) and is_list(effect[1], is_text)
    )


def is_refused(action: Any) -> bool:
    if not isinstance(action, dict) or not is_text(action.get(5)):
        return False
    sequence = action.get(2)
    numbers = is_uint(action.get(1)) and is_uint(sequence) and sequence >= 1
    return is_id(action.get(0)) and numbers and is_text(action.get(3))


def describe_refused(action: Any) -> dict[str, Any]:
    made = {"session": action[1], "sequence": action[2], "scope": action[3]}
    if 4 in action:
        made["action"] = describe_action(action[4])
    if action.get(6, {}).get(0) is not None:
        made["code"] = action[6][0]
    if 9 in action:
        made["outcome"] = action[9]
    return made | {"reason": action[5]}


def is_reply(reply: Any) -> bool:
    return reply is None or (is_list(reply) and len(reply) == 2 and is_uint(reply[0]))


def describe_schedule(timer: Any) -> dict[str, Any]:
    made = {"number": timer[0], "id": timer.get(1, ""), "path": timer.get(2, [])}
    made["due"] = seconds_of(timer[4])
    return made | ({"every": seconds_of(timer[5])} if 5 in timer else {})


def is_firing(firing: Any) -> bool:
    if not is_list(firing) or len(firing) < 3:
        return False
    is_next = firing[2] is None or is_time(firing[2])
    return is_uint(firing[0]) and is_time(firing[1]) and is_next


# Each detail has a check of its parts if it is an array.
DETAILS: dict[str, Callable[[object], bool] | None]
DETAILS = {"began": is_effect, "ended": is_uint, "date": None, "seed": None, "us": None}
DETAILS["forgot"] = is_id
DETAILS["refused"] = is_refused
DETAILS["refusedMore"] = DETAILS["reply"] = DETAILS["origin"] = None
DETAILS["scheduled"] = is_schedule
DETAILS["unscheduled"] = is_uint
DETAILS["fired"] = None
DETAILS["followed"] = is_text
SINGLE = {"reply": is_reply, "origin": is_origin, "fired": is_firing}


def describe_record(record: Record) -> dict[str, Any]:
    made = {"revision": record.revision, "time": record.time, **describe_origin(record.origin)}
    made["delta"] = describe_any(record.delta)
    for key, (name, check) in enumerate(DETAILS.items()):
        if key in record.details:
            value = record.details[key]
            is_right = is_list(value, check) if check else is_uint(value)
            if name in SINGLE:
                is_right = SINGLE[name](value)
            expect(is_right, f"revision {record.revision}: its {name!r} has another form")
            if name == "date":
                value = struct.unpack("<d", struct.pack("<Q", value))[0]
            if name == "began":
                value = [effect_items(one) for one in value]
            if name == "forgot":
                value = [one.hex() for one in value]
            if name == "refused":
                value = [describe_refused(one) for one in value]
            if name == "scheduled":
                value = [describe_schedule(one) for one in value]
            if name == "fired":
                value = {"number": value[0], "due": seconds_of(value[1])}
            made[name] = describe_any(value)
    return made


def show(**members: Any) -> None:
    print(json.dumps(members, ensure_ascii=False))


def verify(history: History) -> int:
    check_states(history)
    for segment in history.segments:
        end = f"torn at byte {segment.torn}" if segment.torn is not None else segment.end
        header = segment.header
        seal, boot = (header.seal, header.boot) if header else (None, None)
        show(segment=segment.name, format=header.format if header else None, term=segment.term,
             seal=seal, first=segment.first, last=segment.last, bytes=len(segment.data), end=end,
             boot=boot)  # fmt: skip
    for name, size in history.torn.items():
        show(torn=name, bytes=size)
    for one in history.snapshots:
        is_foreign = one.foreign is not None
        show(snapshot=one.name, revision=one.revision, valid=not one.problem, foreign=is_foreign)
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
