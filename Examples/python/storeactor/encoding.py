"""Values as bytes: PROTOCOL.md §1 (deterministic CBOR), §4 (digests).

A value is None, a bool, an int, a float, a str, bytes, a list, a set, or a dict. Inside of sets and
of keys lists are tuples and dicts are frozendicts, which Python can hash.
"""

import math

import cbor2

MAXIMAL_DEPTH = 128  # of a message; a value nests at most 64 deep
SET_TAG = 258


class EncodingError(Exception):
    """Bytes, or a value, that no peer may send."""


def hashable(value):
    """The same value in a form that can be a key or an element of a set."""
    if isinstance(value, (list, tuple)):
        return tuple(hashable(element) for element in value)
    if isinstance(value, (set, frozenset)):
        return frozenset(map(hashable, value))
    if hasattr(value, "items"):
        return cbor2.frozendict({key: hashable(part) for key, part in value.items()})
    # Python compares NaNs by identity, so all of them become one object.
    return math.nan if value != value else value


def _with_one_nan(value):
    if isinstance(value, list):
        return [_with_one_nan(part) for part in value]
    if isinstance(value, set):
        return {hashable(part) for part in value}
    if isinstance(value, dict):
        return {hashable(key): _with_one_nan(part) for key, part in value.items()}
    return value


def _head(major, count):
    """The first bytes of an item: those of an integer, with another major type."""
    encoded = bytearray(cbor2.dumps(count))
    encoded[0] |= major << 5
    return bytes(encoded)


def _sorted(parts, key, what):
    parts = sorted(parts, key=key)
    for before, after in zip(parts, parts[1:]):
        if key(before) == key(after):
            raise EncodingError(f"{what} {key(after).hex()} stands twice")
    return parts


def encode(value, depth=MAXIMAL_DEPTH):
    """A value's canonical bytes."""
    if value is None or isinstance(value, (bool, bytes, str)):
        return cbor2.dumps(value)
    if isinstance(value, int):
        if not -(1 << 64) <= value < 1 << 64:
            raise EncodingError(f"{value} has more than 64 bits")
        return cbor2.dumps(value)
    if isinstance(value, float):
        return cbor2.dumps(value, canonical=True)  # the shortest form that keeps it
    if depth == 0:
        raise EncodingError("nested too deep")
    if isinstance(value, (list, tuple)):
        return _head(4, len(value)) + b"".join(encode(part, depth - 1) for part in value)
    if isinstance(value, (set, frozenset)):
        parts = _sorted((encode(part, depth - 1) for part in value), lambda part: part, "element")
        return _head(6, SET_TAG) + _head(4, len(parts)) + b"".join(parts)
    if hasattr(value, "items"):
        # Bytewise order of the keys' encodings: cbor2's own canonical mode puts shorter ones first.
        pairs = [(encode(key, depth - 1), encode(part, depth - 1)) for key, part in value.items()]
        pairs = _sorted(pairs, lambda pair: pair[0], "key")
        return _head(5, len(pairs)) + b"".join(key + part for key, part in pairs)
    raise EncodingError(f"{type(value).__name__} is no kind of value")


class _OnlySets(dict):
    """Meets every tag but that of sets before cbor2 makes a date, a number or a cycle of it."""

    def __init__(self):
        super().__init__({tag: self.refuse for tag in (*range(258), *range(259, 1200))})

    @staticmethod
    def refuse(*_):
        raise EncodingError("a tag other than 258")


_ONLY_SETS = _OnlySets()


def decode(data, depth=MAXIMAL_DEPTH):
    """Decodes a value, if the bytes equal its encoding by `encode`.

    One comparison refuses long forms, wrong orders, duplicates (also keys that are equal only in
    Python, such as 1 and True), tags, and bytes after the item.
    """
    try:
        value = cbor2.loads(bytes(data), semantic_decoders=_ONLY_SETS, allow_indefinite=False)
        written = encode(value, depth)
    except (cbor2.CBORError, EncodingError, LookupError, TypeError, ValueError) as error:
        raise EncodingError(f"no value: {error}") from None
    if written != data:
        pairs = enumerate(zip(written, data))
        offset = next((i for i, (a, b) in pairs if a != b), min(len(written), len(data)))
        raise EncodingError(f"not in the deterministic form, at offset {offset}")
    return _with_one_nan(value) if b"\xf9\x7e\x00" in data else value


_WORD = (1 << 64) - 1
_PRIME = (1 << 61) - 1
_BASE = 0x1D8AF066C9D3A4F1 % _PRIME
_KEYS = (0x0706050403020100, 0x0F0E0D0C0B0A0908)


def siphash(data, first=_KEYS[0]):
    """SipHash-2-4 with 64 bits of output, by the digests' key, or one with another first word."""
    a = 0x736F6D6570736575 ^ first
    b = 0x646F72616E646F6D ^ _KEYS[1]
    c = 0x6C7967656E657261 ^ first
    d = 0x7465646279746573 ^ _KEYS[1]
    whole = len(data) & ~7
    words = [int.from_bytes(data[i : i + 8], "little") for i in range(0, whole, 8)]
    words.append(int.from_bytes(data[whole:], "little") | (len(data) & 0xFF) << 56)
    for word, rounds in [*((word, 2) for word in words), (None, 4)]:
        if word is None:
            c ^= 0xFF
        else:
            d ^= word
        for _ in range(rounds):
            a = (a + b) & _WORD
            b = ((b << 13) | (b >> 51)) & _WORD ^ a
            a = ((a << 32) | (a >> 32)) & _WORD
            c = (c + d) & _WORD
            d = ((d << 16) | (d >> 48)) & _WORD ^ c
            a = (a + d) & _WORD
            d = ((d << 21) | (d >> 43)) & _WORD ^ a
            c = (c + b) & _WORD
            b = ((b << 17) | (b >> 47)) & _WORD ^ c
            c = ((c << 32) | (c >> 32)) & _WORD
        if word is not None:
            a ^= word
    return a ^ b ^ c ^ d


def _u64(number):
    return number.to_bytes(8, "little")


def digest(value):
    """64 bits that stand for a value."""
    if isinstance(value, (list, tuple)):
        sum = 0
        for part in value:
            sum = (sum * _BASE + digest(part)) % _PRIME
        return siphash(b"\x80" + _u64(len(value)) + _u64(sum))
    if isinstance(value, (set, frozenset)):
        sum = 0
        for part in value:
            sum += siphash(b"\xc1" + _u64(digest(part)))
        return siphash(b"\xc0" + _u64(len(value)) + _u64(sum & _WORD))
    if hasattr(value, "items"):
        sum = 0
        for key, part in value.items():
            sum += siphash(b"\xa1" + _u64(digest(key)) + _u64(digest(part)))
        return siphash(b"\xa0" + _u64(len(value)) + _u64(sum & _WORD))
    return siphash(encode(value))
