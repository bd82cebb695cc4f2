// What a test's file gets from `import StoreTesting` alone: features, and what exposes them.
@_exported public import StoreActor
@_exported public import StoreExposures
@_exported public import StoreHistory
@_exported public import StoreProtocol
