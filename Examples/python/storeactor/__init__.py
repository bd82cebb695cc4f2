"""A client of StoreActor daemons, written from docs/PROTOCOL.md alone."""

from .client import Client, ClientClosed, NotApplied, Refused, Scope
from .encoding import EncodingError
from .schema import Schema, SchemaError

__all__ = [
    "Client",
    "ClientClosed",
    "EncodingError",
    "NotApplied",
    "Refused",
    "Schema",
    "SchemaError",
    "Scope",
]
