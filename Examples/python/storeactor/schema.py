"""The meaning of values: PROTOCOL.md §2 (schemas), §3 (deltas), §5 (JSON)."""

import base64
import json
import math
import struct
import uuid
from datetime import datetime, timedelta
from decimal import Decimal, localcontext

from .encoding import EncodingError, decode, digest, encode, hashable

_INTEGERS = {f"int{bits}": (-(1 << bits - 1), 1 << bits - 1) for bits in (8, 16, 32, 64, 128)}
_INTEGERS |= {f"uint{bits}": (0, 1 << bits) for bits in (8, 16, 32, 64, 128)}
_FLOATS = {"float16": "<e", "float32": "<f", "float64": "<d", "date": "<d"}
_PLAIN = {"bool": bool, "text": str, "url": str, "bytes": bytes, "null": type(None)}
_REFERENCE = datetime(2001, 1, 1)


class SchemaError(Exception):
    """A value, delta or text that does not fit; the message begins with the path inside it."""


def _fail(path, text):
    raise SchemaError(f"{path}: {text}")


def _expect(condition, path, text):
    if not condition:
        _fail(path, text)


class Schema:
    """A document: a root type, and the definitions that it names."""

    def __init__(self, document):
        self.root, self.definitions = document
        self.document = document

    @property
    def hash(self):
        """A hash that does not depend on the names of definitions."""
        order = []

        def rename(type):
            if isinstance(type, str):
                return type
            if type[0] == "named":
                if type[1] not in order:
                    order.append(type[1])
                return ["named", str(order.index(type[1]))]
            if type[0] == "identified":
                return [*type[:2], *map(rename, type[2:])]
            return [type[0], *map(rename, type[1:])]

        def fields(list):
            return [[name, rename(type)] for name, type in list]

        root, definitions = rename(self.root), {}
        for name in order:  # grows while it is read
            kind, parts = self.definitions[name]
            cases = [[case, fields(labels)] for case, labels in parts] if kind == "choice" else None
            definitions[str(len(definitions))] = [kind, cases or fields(parts)]
        return digest([root, definitions])

    def kind(self, type):
        """A type's kind and its parts; a named type is resolved."""
        if isinstance(type, str):
            return type, ()
        if type[0] == "named":
            kind, parts = self.definitions[type[1]]
            return kind, (parts,)
        return type[0], type[1:]

    def _wraps(self, type):
        """Whether an optional of this type is null or an array of one."""
        return self.kind(type)[0] in ("optional", "null", "any")

    def present(self, type, value):
        return [value] if self._wraps(type) else value

    def content(self, type, value, path):
        """The content of an optional."""
        if not self._wraps(type):
            return value
        is_one = isinstance(value, (list, tuple)) and len(value) == 1
        _expect(is_one, path, "expected an array of one")
        return value[0]

    # Values

    def check(self, value, type=None, path="$"):
        """Refuses a value of another type."""
        type = self.root if type is None else type
        kind, parts = self.kind(type)
        if kind in ("int128", "uint128"):
            value = self._wide(value, path)
        if kind in _INTEGERS:
            low, end = _INTEGERS[kind]
            is_integer = isinstance(value, int) and not isinstance(value, bool)
            _expect(is_integer and low <= value < end, path, f"expected {kind}, found {value!r}")
        elif kind in _FLOATS:
            _expect(isinstance(value, float) and _fits(value, kind), path, f"expected {kind}")
        elif kind in _PLAIN:
            _expect(isinstance(value, _PLAIN[kind]), path, f"expected {kind}, found {value!r}")
        elif kind == "uuid":
            _expect(isinstance(value, bytes) and len(value) == 16, path, "expected 16 bytes")
        elif kind == "duration":
            is_pair = isinstance(value, (list, tuple)) and [*map(_type, value)] == [int, int]
            _expect(is_pair, path, "expected a duration")
            _expect(abs(value[1]) < 10**18 and value[0] * value[1] >= 0, path, "no such duration")
        elif kind == "optional":
            if value is not None:
                self.check(self.content(parts[0], value, path), parts[0], path)
        elif kind in ("array", "set", "identified"):
            expected = (set, frozenset) if kind == "set" else (list, tuple)
            _expect(isinstance(value, expected), path, f"expected {kind}")
            for place, element in enumerate(value):
                self.check(element, parts[-1], f"{path}[{place}]")
            if kind == "identified":
                ids = {encode(self._id(parts, element, path)) for element in value}
                _expect(len(ids) == len(value), path, "an id stands twice")
        elif kind == "dictionary":
            _expect(hasattr(value, "items"), path, "expected a dictionary")
            for key, part in value.items():
                self.check(key, parts[0], path)
                self.check(part, parts[1], f"{path}[{key!r}]")
        elif kind == "record":
            self._check_fields(value, parts[0], path)
        elif kind == "choice":
            labels = self._case(parts, value, path)[1]
            self._check_fields(self._payload(value, path)[1], labels, path)
        else:
            _expect(kind == "any", path, f"no kind is called {kind}")

    def _check_fields(self, value, fields, path):
        _expect(hasattr(value, "items"), path, "expected a record")
        names = [name for name, _ in fields]
        _expect(set(value) == set(names), path, f"expected the fields {names}, found {list(value)}")
        for name, type in fields:
            self.check(value[name], type, f"{path}.{name}")

    @staticmethod
    def _wide(value, path):
        """An integer of 128 bits, of its two halves."""
        is_pair = isinstance(value, (list, tuple)) and [*map(_type, value)] == [int, int]
        _expect(is_pair and 0 <= value[1] < 1 << 64, path, "expected two halves of an integer")
        return value[0] << 64 | value[1]

    @staticmethod
    def _payload(value, path):
        """A choice's case and its payload."""
        if isinstance(value, str):
            return value, {}
        _expect(hasattr(value, "items") and len(value) == 1, path, "expected a case")
        return next(iter(value.items()))

    def _case(self, parts, value, path):
        """The index and the labels of a choice's case."""
        name = self._payload(value, path)[0]
        for index, (case, labels) in enumerate(parts[0]):
            if case == name:
                fits = bool(labels) != isinstance(value, str)
                _expect(fits, path, f"{name} with the wrong payload")
                return index, labels
        _fail(path, f"there is no case {name!r}; there are {[case for case, _ in parts[0]]}")

    @staticmethod
    def _id(parts, element, path):
        _expect(hasattr(element, "items") and parts[0] in element, path, f"no {parts[0]}")
        return element[parts[0]]

    # Deltas

    def apply(self, delta, value, type=None, path="$"):
        """The value to which a delta leads; the old one stays as it is."""
        type = self.root if type is None else type
        try:
            return self._apply(delta, value, type, path)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise SchemaError(f"{path}: this is no delta of the value: {error!r}") from None

    def _apply(self, delta, value, type, path):
        kind, parts = self.kind(type)
        if kind == "record":
            return self._apply_fields(delta, value, parts[0], path)
        if kind == "optional":
            if delta is None:
                _expect(value is not None, path, "it is absent already")
                return None
            form, change = delta
            if form == 0:
                self.check(change, parts[0], path)
                return self.present(parts[0], change)
            _expect(form == 1 and value is not None, path, "there is nothing to change")
            content = self.content(parts[0], value, path)
            return self.present(parts[0], self._apply(change, content, parts[0], path))
        if kind == "choice":
            form, change = delta
            if form == 0:
                self.check(change, type, path)
                return change
            index, labels = self._case(parts, value, path)
            _expect(form == index + 1, path, "it is another case")
            name, payload = self._payload(value, path)
            return {name: self._apply_fields(change, payload, labels, f"{path}.{name}")}
        if kind in ("text", "bytes") and isinstance(delta, (list, tuple)):
            return self._splice(delta, value, path)
        if kind == "array":
            return self._edit(delta, value, parts[0], path)
        if kind == "dictionary":
            return self._apply_keys(delta, value, parts, path)
        if kind == "set":
            removed, inserted = map(hashable, delta.get(0, [])), map(hashable, delta.get(1, []))
            result = set(value)
            for element in removed:
                _expect(element in result, path, f"{element!r} is not there")
                result.remove(element)
            for element in inserted:
                _expect(element not in result, path, f"{element!r} is there already")
                self.check(element, parts[0], path)
                result.add(element)
            return result
        if kind == "identified":
            for step in [delta] if hasattr(delta, "items") else delta:
                value = self._step(step, value, parts, path)
            return value
        self.check(delta, type, path)
        return delta

    def _apply_fields(self, delta, value, fields, path):
        result = dict(value)
        for index, change in delta.items():
            _expect(0 <= index < len(fields), path, f"there is no field {index}")
            name, type = fields[index]
            result[name] = self._apply(change, value[name], type, f"{path}.{name}")
        return result

    def _splice(self, delta, value, path):
        data = value.encode() if isinstance(value, str) else value
        for start, removed, text in [delta] if isinstance(delta[0], int) else delta:
            _expect(type(text) is type(value), path, "a splice of another kind")
            is_inside = 0 <= start and 0 <= removed <= len(data) - start
            _expect(is_inside, path, "a splice outside of it")
            parts = data[:start], data[start : start + removed], data[start + removed :]
            if isinstance(value, str):
                for part in parts:  # both ends lie between scalars
                    part.decode()
                text = text.encode()
            data = parts[0] + text + parts[2]
        return data.decode() if isinstance(value, str) else data

    def _edit(self, delta, value, element, path):
        value = list(value)
        for edit in [delta] if isinstance(delta[0], int) else delta:
            start = edit[0]
            if len(edit) == 2:
                _expect(0 <= start < len(value), path, f"there is no element {start}")
                value[start] = self._apply(edit[1], value[start], element, f"{path}[{start}]")
                continue
            _, removed, inserted = edit
            is_inside = 0 <= start and 0 <= removed <= len(value) - start
            _expect(is_inside, path, "an edit outside of it")
            for part in inserted:
                self.check(part, element, path)
            value[start : start + removed] = inserted
        return value

    def _apply_keys(self, delta, value, parts, path):
        result = dict(value)
        for key in map(hashable, delta.get(0, [])):
            _expect(key in result, path, f"{key!r} is not there")
            del result[key]
        for key, part in _pairs(delta.get(1, [])):
            _expect(hashable(key) not in result, path, f"{key!r} is there already")
            self.check(key, parts[0], path)
            self.check(part, parts[1], path)
            result[hashable(key)] = part
        for key, change in _pairs(delta.get(2, [])):
            _expect(hashable(key) in result, path, f"{key!r} is not there")
            old = result[hashable(key)]
            result[hashable(key)] = self._apply(change, old, parts[1], f"{path}[{key!r}]")
        return result

    def _step(self, step, value, parts, path):
        rows = {encode(self._id(parts, row, path)): row for row in value}
        for id in step.get(0, []):
            _expect(rows.pop(encode(id), None) is not None, path, f"no row {id!r} to remove")
        placed = {}
        for index, id in _pairs(step.get(1, [])):
            is_free = encode(id) in rows and index not in placed
            _expect(is_free, path, f"no row {id!r} to move to {index}")
            placed[index] = rows.pop(encode(id))
        for index, row in _pairs(step.get(2, [])):
            self.check(row, parts[2], path)
            _expect(index not in placed, path, f"two rows go to {index}")
            placed[index] = row
        rest, count = iter(rows.values()), len(rows) + len(placed)
        _expect(all(0 <= index < count for index in placed), path, "a row goes behind the end")
        order = [placed[i] if i in placed else next(rest) for i in range(count)]
        places = {encode(self._id(parts, row, path)): i for i, row in enumerate(order)}
        _expect(len(places) == count, path, "an id stands twice")
        for id, change in _pairs(step.get(3, [])):
            _expect(encode(id) in places, path, f"no row {id!r} to change")
            place = places[encode(id)]
            order[place] = self._apply(change, order[place], parts[2], f"{path}[{id!r}]")
            _expect(encode(order[place][parts[0]]) == encode(id), path, f"row {id!r} lost its id")
        return order

    # JSON

    def text(self, value, type=None):
        """A value as JSON."""
        return _dump(self._tree(value, self.root if type is None else type))

    def parse(self, text):
        """The value that JSON says, as people may write it."""
        try:
            tree = json.loads(text, parse_constant=lambda name: _fail("$", f"{name} is no JSON"))
        except ValueError as error:
            raise SchemaError(f"$: no JSON: {error}") from None
        value = self._value(tree, self.root, "$")
        self.check(value)
        return value

    def _tree(self, value, type):
        kind, parts = self.kind(type)
        if kind in ("int128", "uint128"):
            return self._wide(value, "$")
        if kind == "date":
            return _date_text(value)
        if kind in _FLOATS:
            return _Number(_float_text(value, kind))
        if kind == "bytes":
            return base64.b64encode(value).decode()
        if kind == "uuid":
            return str(uuid.UUID(bytes=value)).upper()
        if kind == "duration":
            return list(value)
        if kind == "optional":
            if value is None:
                return None
            return self.present(parts[0], self._tree(self.content(parts[0], value, "$"), parts[0]))
        if kind in ("array", "identified"):
            return [self._tree(element, parts[-1]) for element in value]
        if kind == "set":
            return [self._tree(element, parts[0]) for element in sorted(value, key=encode)]
        if kind == "dictionary":
            keys = sorted(value, key=encode)
            pairs = [[self._tree(key, parts[0]), self._tree(value[key], parts[1])] for key in keys]
            return {str(key): part for key, part in pairs} if self._names_keys(parts[0]) else pairs
        if kind == "record":
            return {name: self._tree(value[name], type) for name, type in parts[0]}
        if kind == "choice":
            name, payload = self._payload(value, "$")
            labels = self._case(parts, value, "$")[1]
            return {name: {l: self._tree(payload[l], t) for l, t in labels}} if labels else name
        return _any_tree(value) if kind == "any" else value

    def _names_keys(self, type):
        kind, parts = self.kind(type)
        if kind == "choice":
            return all(not labels for _, labels in parts[0])
        return kind in _INTEGERS or kind in ("text", "uuid")

    def _value(self, tree, type, path):
        kind, parts = self.kind(type)
        is_integer = isinstance(tree, int) and not isinstance(tree, bool)
        if kind in ("int128", "uint128") and is_integer:
            return [tree >> 64, tree & (1 << 64) - 1]
        if kind == "date":
            return _date(tree, path)
        if kind in _FLOATS:
            return _float(tree, kind, path)
        try:
            if kind == "bytes":
                return base64.b64decode(tree, validate=True)
            if kind == "uuid":
                return uuid.UUID(tree).bytes
        except (ValueError, TypeError, AttributeError):
            _fail(path, f"expected {kind}, found {tree!r}")
        if kind == "duration" and is_integer:
            return [tree, 0]
        if kind == "optional":
            if tree is None:
                return None
            inner = self.content(parts[0], tree, path)
            return self.present(parts[0], self._value(inner, parts[0], path))
        if kind in ("array", "identified", "set"):
            _expect(isinstance(tree, list), path, f"expected {kind}, found {tree!r}")
            values = [self._value(part, parts[-1], f"{path}[{i}]") for i, part in enumerate(tree)]
            return set(map(hashable, values)) if kind == "set" else values
        if kind == "dictionary":
            if isinstance(tree, dict):
                _expect(self._names_keys(parts[0]), path, "expected an array of pairs")
                is_number = self.kind(parts[0])[0] in _INTEGERS
                tree = [[int(key) if is_number else key, part] for key, part in tree.items()]
            _expect(isinstance(tree, list), path, f"expected a dictionary, found {tree!r}")
            result = {}
            for key, part in tree:
                value = self._value(part, parts[1], f"{path}[{key!r}]")
                result[hashable(self._value(key, parts[0], path))] = value
            _expect(len(result) == len(tree), path, "a key stands twice")
            return result
        if kind == "record":
            return self._read_fields(tree, parts[0], path)
        if kind == "choice":
            return self._read_choice(tree, parts, path)
        return _any_value(tree) if kind == "any" else tree

    def _read_fields(self, tree, fields, path):
        _expect(isinstance(tree, dict), path, f"expected an object, found {tree!r}")
        names = [name for name, _ in fields]
        unknown = [name for name in tree if name not in names]
        _expect(not unknown, path, f"there is no {unknown[:1]}; there are {names}")
        result = {}
        for name, type in fields:
            is_there = name in tree or self.kind(type)[0] == "optional"
            _expect(is_there, path, f"{name} is missing")
            result[name] = self._value(tree.get(name), type, f"{path}.{name}")
        return result

    def _read_choice(self, tree, parts, path):
        name, payload = self._payload(tree, path)
        cases = dict((case, labels) for case, labels in parts[0])
        _expect(name in cases, path, f"there is no case {name!r}; there are {list(cases)}")
        labels = cases[name]
        if not labels:
            _expect(payload == {}, path, f"{name} has no payload")
            return name
        is_labelled = isinstance(payload, dict) and set(payload) == {"_0"}
        if [label for label, _ in labels] == ["_0"] and not is_labelled:
            payload = {"_0": payload}
        return {name: self._read_fields(payload, labels, f"{path}.{name}")}


def _type(value):
    return type(value)


def _pairs(list):
    _expect(len(list) % 2 == 0, "$", "expected pairs")
    return zip(list[::2], list[1::2])


def _fits(value, kind):
    try:
        return math.isnan(value) or _rounded(value, kind) == value
    except OverflowError:
        return False


def _rounded(value, kind):
    return struct.unpack(_FLOATS[kind], struct.pack(_FLOATS[kind], value))[0]


class _Number(str):
    """A number's text."""


def _dump(tree):
    if isinstance(tree, _Number):
        return str(tree)
    if isinstance(tree, list):
        return "[" + ",".join(map(_dump, tree)) + "]"
    if isinstance(tree, dict):
        return "{" + ",".join(f"{_dump(key)}:{_dump(part)}" for key, part in tree.items()) + "}"
    return json.dumps(tree, ensure_ascii=False)


def _float_text(value, kind="float64"):
    if not math.isfinite(value):
        return '"nan"' if math.isnan(value) else '"inf"' if value > 0 else '"-inf"'
    if kind == "float32":
        for digits in range(1, 10):
            text = f"{value:.{digits}g}"
            if struct.pack("<f", float(text)) == struct.pack("<f", value):
                return repr(float(text))
    return repr(value)


def _float(tree, kind, path):
    if tree in ("nan", "inf", "-inf"):
        return float(tree)
    is_number = isinstance(tree, (int, float)) and not isinstance(tree, bool)
    _expect(is_number, path, f"expected a number, found {tree!r}")
    try:
        return _rounded(tree, kind)
    except OverflowError:
        _fail(path, f"{tree} is too large for {kind}")


def _date_text(value):
    """ISO 8601 with the fewest digits, if that is exact."""
    if math.isfinite(value) and abs(value) < 1e12:
        for digits in (0, 3, 6, 9):
            with localcontext() as context:
                context.prec = 60
                rounded = Decimal(value).quantize(Decimal(1).scaleb(-digits))
                seconds = math.floor(rounded)
                fraction = rounded - seconds
            try:
                moment = _REFERENCE + timedelta(seconds=seconds)
            except OverflowError:
                break
            if repr(float(rounded)) == repr(value):
                tail = f"{fraction:f}"[1:] if digits else ""
                return f"{moment.isoformat()}{tail}Z"
    return _Number(_float_text(value))


def _date(tree, path):
    if not isinstance(tree, str) or tree in ("nan", "inf", "-inf"):
        return _float(tree, "date", path)
    try:
        whole, _, fraction = tree.removesuffix("Z").partition(".")
        _expect(tree.endswith("Z"), path, f"expected a date in UTC, found {tree!r}")
        seconds = (datetime.fromisoformat(whole) - _REFERENCE) // timedelta(seconds=1)
        return float(Decimal(seconds) + Decimal(f"0.{fraction or 0}"))
    except (ValueError, ArithmeticError):
        _fail(path, f"expected a date such as 2026-01-31T09:30:00Z, found {tree!r}")


def _any_tree(value):
    if isinstance(value, float):
        return _Number(_float_text(value))
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, (list, tuple)):
        return [_any_tree(part) for part in value]
    if isinstance(value, (set, frozenset)):
        return [_any_tree(part) for part in sorted(value, key=encode)]
    if hasattr(value, "items"):
        return {_any_key(key): _any_tree(value[key]) for key in sorted(value, key=encode)}
    return value


def _any_key(key):
    if isinstance(key, (str, bytes)):
        return _any_tree(key)
    has_parts = isinstance(key, (tuple, frozenset)) or hasattr(key, "items")
    return base64.b64encode(encode(key)).decode() if has_parts else _dump(_any_tree(key))


def _any_value(tree):
    if isinstance(tree, list):
        return [_any_value(part) for part in tree]
    if isinstance(tree, dict):
        return {key: _any_value(part) for key, part in tree.items()}
    return tree
