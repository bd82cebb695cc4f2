"""Checks encodings with an independent CBOR implementation, PyPI's cbor2.

Reads one encoding in hexadecimal digits a line. Each is decoded by cbor2 and written again in the
core deterministic encoding of RFC 8949, section 4.2.1; lines that come out differently are printed.
cbor2's own canonical mode orders map keys by the older rule of RFC 7049 (shorter first), so maps
and sets are put together here from parts that cbor2 encodes.
"""

import sys

import cbor2


def header(major, count):
    """A container's first bytes: those of an integer, with another major type."""
    encoded = bytearray(cbor2.dumps(count))
    encoded[0] |= major << 5
    return bytes(encoded)


def encode(value):
    if isinstance(value, (set, frozenset)):
        parts = sorted(encode(element) for element in value)
        return header(6, 258) + header(4, len(parts)) + b"".join(parts)
    if isinstance(value, (list, tuple)):
        return header(4, len(value)) + b"".join(encode(element) for element in value)
    if hasattr(value, "items"):
        parts = sorted((encode(key), encode(content)) for key, content in value.items())
        return header(5, len(parts)) + b"".join(key + content for key, content in parts)
    if isinstance(value, float):
        return cbor2.dumps(value, canonical=True)
    return cbor2.dumps(value)


failed = 0
for line in sys.stdin:
    given = bytes.fromhex(line)
    try:
        written = encode(cbor2.loads(given))
    except Exception as error:  # whatever the other implementation dislikes is what we look for
        print(f"{given.hex()} is refused: {error!r}")
        failed += 1
        continue
    if written != given:
        print(f"{given.hex()} is written as {written.hex()}")
        failed += 1
sys.exit(1 if failed else 0)
