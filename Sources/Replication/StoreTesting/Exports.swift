// A test file gets these modules from `import StoreTesting` alone: features and their exposures.
@_exported public import StoreActor
@_exported public import StoreExposures
@_exported public import StoreHistory
@_exported public import StoreProtocol
