/// The digest of a map under insertions and removals in any order.
package struct MapDigest: Hashable, Sendable {
  private var count: UInt64 = 0
  private var sum: UInt64 = 0

  package init() {}

  package mutating func add(key: Digest, value: Digest) {
    count += 1
    sum &+= Self.hash(key, value)
  }

  /// Removes an entry that was added.
  package mutating func remove(key: Digest, value: Digest) {
    precondition(count > 0, "An entry cannot be removed from the digest of an empty map.")
    count -= 1
    sum &-= Self.hash(key, value)
  }

  /// The digest of the map.
  package func finish() -> Digest {
    Digest(container: CBOR.map, count: count, content: sum)
  }

  package static func hash(_ key: Digest, _ value: Digest) -> UInt64 {
    var hasher = SipHash24()
    hasher.append(CBOR.map | 1)
    hasher.append(littleEndian: key.rawValue)
    hasher.append(littleEndian: value.rawValue)
    return hasher.finish()
  }
}

/// The digest of a set under insertions and removals in any order.
package struct SetDigest: Hashable, Sendable {
  private var count: UInt64 = 0
  private var sum: UInt64 = 0

  package init() {}

  package mutating func add(_ element: Digest) {
    count += 1
    sum &+= Self.hash(element)
  }

  /// Removes an element that was added.
  package mutating func remove(_ element: Digest) {
    precondition(count > 0, "An element cannot be removed from the digest of an empty set.")
    count -= 1
    sum &-= Self.hash(element)
  }

  /// The digest of the set.
  package func finish() -> Digest {
    Digest(container: CBOR.tag, count: count, content: sum)
  }

  package static func hash(_ element: Digest) -> UInt64 {
    var hasher = SipHash24()
    hasher.append(CBOR.tag | 1)
    hasher.append(littleEndian: element.rawValue)
    return hasher.finish()
  }
}
