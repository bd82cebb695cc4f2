"""A client of StoreActor daemons, and a reader of their data, written from docs/ alone."""

from .encoding import EncodingError
from .schema import Schema, SchemaError

_OF_CLIENT = ("ActionRefused", "Client", "ClientClosed", "NoReply", "NotApplied")
_OF_CLIENT += ("Refused", "Scope")

__all__ = [*_OF_CLIENT, "EncodingError", "Schema", "SchemaError"]


def __getattr__(name):
    # Only the client needs ZeroMQ: reading files (journal.py) works without it.
    if name not in _OF_CLIENT:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import client

    return getattr(client, name)
