// What a client's file gets from `import StoreClient` alone: stores, and where their daemons are.
@_exported public import StoreActor
@_exported public import StoreProtocol
