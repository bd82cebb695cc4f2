"""Schemas that others wrote: PROTOCOL.md §2 (their form), §2.1 (values between them)."""

import re
from typing import Any

from .schema import Schema, SchemaError

PLAIN = {"bool", "text", "bytes", "uuid", "date", "duration", "url", "null", "any"}
PLAIN |= {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64, 128)}
PLAIN |= {f"float{bits}" for bits in (16, 32, 64)}
INTEGERS = re.compile(r"(u?)int(\d+)")


def expect(condition: object, text: str) -> None:
    if not condition:
        raise SchemaError(text)


def read_schema(document: Any) -> Schema:
    """A schema whose every part has one of the forms of PROTOCOL.md §2."""
    expect(isinstance(document, list) and len(document) == 2, "the schema is no document")
    root, definitions = document
    expect(isinstance(definitions, dict), "the schema has no definitions")

    def check(kind: Any) -> None:
        match kind:
            case str() if kind in PLAIN:
                return
            case ["optional" | "array" | "set", part]:
                check(part)
            case ["dictionary", key, part]:
                check(key)
                check(part)
            case ["identified", str(), key, part]:
                check(key)
                check(part)
            case ["named", str() as name] if name in definitions:
                return
            case _:
                raise SchemaError(f"the schema has no kind {kind!r}")

    def check_fields(fields: Any) -> None:
        expect(isinstance(fields, list), "the schema has a definition without fields")
        for part in fields:
            match part:
                case [str(), kind]:
                    check(kind)
                case _:
                    raise SchemaError(f"the schema has no field {part!r}")

    check(root)
    for name, definition in definitions.items():
        match definition:
            case ["record", fields]:
                check_fields(fields)
            case ["choice", list() as cases]:
                for part in cases:
                    expect(isinstance(part, list) and len(part) == 2, f"{name}: no case {part!r}")
                    expect(isinstance(part[0], str), f"{name}: no case {part!r}")
                    check_fields(part[1])
            case _:
                raise SchemaError(f"the schema's {name!r} is no definition")
    return Schema(document)


def convert(value: Any, writer: Schema, of: Any, reader: Schema, to: Any, path: str = "$") -> Any:
    """A writer's value as one of the reader's: PROTOCOL.md §2.1, without names and defaults that
    only programs know."""
    kind, parts = writer.kind(of)
    wanted, places = reader.kind(to)
    if wanted == "optional":
        if kind == "optional":
            if value is None:
                return None
            value, of = writer.content(parts[0], value, path), parts[0]
        return reader.present(places[0], convert(value, writer, of, reader, places[0], path))
    a, b = INTEGERS.fullmatch(kind), INTEGERS.fullmatch(wanted)
    if kind == wanted and kind in ("array", "set", "identified"):
        made = [convert(part, writer, parts[-1], reader, places[-1], path) for part in value]
        return set(value) if kind == "set" else made
    if kind == wanted == "dictionary":
        items = value.items()
        return {k: convert(v, writer, parts[1], reader, places[1], path) for k, v in items}
    if kind == wanted == "record":
        return convert_fields(value, writer, parts[0], reader, places[0], path)
    if kind == wanted == "choice":
        name, payload = (value, {}) if isinstance(value, str) else next(iter(value.items()))
        labels, cases = dict(parts[0])[name], dict(places[0])
        expect(name in cases, f"{path}: the newer schema has no case {name}")
        fields = convert_fields(payload, writer, labels, reader, cases[name], path)
        return {name: fields} if cases[name] else name
    is_wider = (
        {kind, wanted} in ({"url", "text"}, {"uuid", "bytes"}) and wanted in ("text", "bytes")
        or (kind[:5] == wanted[:5] == "float" and int(kind[5:]) < int(wanted[5:]))
        or (a and b and int(b[2]) <= 64 and int(a[2]) < int(b[2]) and b[1] in ("", a[1]))
    )  # fmt: skip
    expect(kind == wanted or is_wider, f"{path}: {kind} cannot be read as {wanted}")
    return value


def convert_fields(
    value: Any, writer: Schema, fields: Any, reader: Schema, wanted: Any, path: str
) -> dict[str, Any]:
    types, made = dict(fields), {}
    for name, kind in wanted:
        if name in types:
            part = convert(value[name], writer, types[name], reader, kind, f"{path}.{name}")
            made[name] = part
        else:
            is_optional = reader.kind(kind)[0] == "optional"
            expect(is_optional, f"{path}.{name} is new; only the program knows its default")
            made[name] = None
    return made
