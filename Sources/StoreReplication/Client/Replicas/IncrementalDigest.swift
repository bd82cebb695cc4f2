package import GenericState
package import StoreState

/// The digest of a generic value that changes little by little: what did not change is not hashed
/// again.
///
/// Elements of arrays are compared with what stood there, or beside, which for records and lists
/// that still share their storage costs next to nothing.
package indirect enum IncrementalDigest {
  case leaf(GenericValue, Digest)
  /// A map's entries: the keys with their digests, and the values.
  case map([(key: GenericValue, digest: Digest, value: IncrementalDigest)], Digest)
  /// An array's elements with their digests.
  case array([GenericValue], [Digest], Digest)

  package init(_ value: GenericValue) {
    switch value {
    case .map(let entries):
      self = Self.map(entries.map { ($0.key, $0.key.digest, IncrementalDigest($0.value)) })
    case .array(let elements): self = Self.array(elements, elements.map(\.digest))
    default: self = .leaf(value, value.digest)
    }
  }

  package var digest: Digest {
    switch self {
    case .leaf(_, let digest), .map(_, let digest), .array(_, _, let digest): digest
    }
  }

  /// The digest of a value, from what is known of the one that was there before.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - known: What is known of the last value, nil at first; then what is known of this one.
  /// - Returns: The digest.
  package static func digest(of value: GenericValue, known: inout Self?) -> Digest {
    // Taken out, so that it is not shared while it changes.
    guard var current = known.take() else {
      let first = Self(value)
      known = first
      return first.digest
    }
    current.update(to: value)
    known = current
    return current.digest
  }

  /// Goes over to another value.
  package mutating func update(to value: GenericValue) {
    switch (self, value) {
    case (.leaf(let old, _), _) where old == value: break
    case (.map(let old, _), .map(let entries))
    where old.count == entries.count && zip(old, entries).allSatisfy({ $0.key == $1.key }):
      self = Self.map(
        zip(old, entries).map { before, entry in
          var content = before.value
          content.update(to: entry.value)
          return (before.key, before.digest, content)
        }
      )
    case (.array(let old, let digests, _), .array(let elements)):
      self = Self.array(elements, Self.digests(elements, old, digests))
    default: self = IncrementalDigest(value)
    }
  }

  private static func map(
    _ entries: [(key: GenericValue, digest: Digest, value: IncrementalDigest)]
  ) -> Self {
    var digest = MapDigest()
    for entry in entries { digest.add(key: entry.digest, value: entry.value.digest) }
    return .map(entries, digest.finish())
  }

  private static func array(_ elements: [GenericValue], _ digests: [Digest]) -> Self {
    var digest = SequenceDigest()
    for element in digests { digest.append(element) }
    return .array(elements, digests, digest.finish())
  }

  /// The digests of elements, of which those are known that stand where they stood, counted from
  /// the beginning or from the end, or one place away where one has come or gone before them.
  private static func digests(
    _ elements: [GenericValue],
    _ old: [GenericValue],
    _ digests: [Digest],
  ) -> [Digest] {
    let most = min(elements.count, old.count)
    var prefix = 0
    while prefix < most, elements[prefix] == old[prefix] { prefix += 1 }
    var suffix = 0
    while suffix < most - prefix,
      elements[elements.count - 1 - suffix] == old[old.count - 1 - suffix]
    {
      suffix += 1
    }
    let (end, oldEnd) = (elements.count - suffix, old.count - suffix)
    var place = prefix
    let between = (prefix..<end).map { index in
      let element = elements[index]
      if place < oldEnd, element == old[place] {
        // It stands where it stood.
      } else if place + 1 < oldEnd, element == old[place + 1] {
        // The one that stood here has gone.
        place += 1
      } else {
        // It has come, where the next one stood here, and else stands in the place of this one.
        let hasCome = place < oldEnd && index + 1 < end && elements[index + 1] == old[place]
        if !hasCome { place += 1 }
        return element.digest
      }
      defer { place += 1 }
      return digests[place]
    }
    return digests[..<prefix] + between + digests[oldEnd...]
  }
}
