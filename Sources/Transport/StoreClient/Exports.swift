// With `import StoreClient` alone, a client's file gets stores and the locations of daemons.
@_exported public import StoreActor
@_exported public import StoreProtocol
