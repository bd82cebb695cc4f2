@_exported public import struct StoreActor.AnyCasePath

/// A case path under the name that it had.
public typealias CasePath = AnyCasePath
