@_exported public import struct StoreActor.AnyCasePath

/// The earlier name of a case path.
public typealias CasePath = AnyCasePath
