import StoreBytes
import StoreValues

/// A row with a digest that is not a value: an entry of a map or a set.
protocol DigestedEntry {
  /// The entry's term in the sum over all entries.
  var contribution: UInt64 { get }
}

extension RowTree {
  /// The content of the digest: the contributions of all rows, combined as the tree's
  /// identity defines.
  ///
  /// Branches cache the content of their children, and leaves that of unchanged rows, so the cost
  /// is proportional to the changes since the last call.
  func content(_ contribution: (UnsafeMutablePointer<Row>) -> UInt64) -> UInt64 {
    count > 0 ? content(of: root, height, contribution) : 0
  }

  private func content(
    of node: AnyObject,
    _ height: Int,
    _ contribution: (UnsafeMutablePointer<Row>) -> UInt64,
  ) -> UInt64 {
    guard height > 0 else {
      return content(of: unsafeDowncast(node, to: RowLeaf.self), contribution)
    }
    let branch = unsafeDowncast(node, to: RowBranch.self)
    var sum: UInt64 = 0
    for slot in 0..<branch.count {
      let entry = branch.entries + slot
      var part = branch.content(at: slot)
      if part == 0 {
        part = content(of: entry.pointee.child, height - 1, contribution)
        branch.setContent(part, at: slot)
      }
      switch identity.digests {
      case .unordered: sum &+= part
      case .ordered: sum = SequenceDigest.content(sum, followedBy: part, Int(entry.pointee.count))
      }
    }
    return sum
  }

  private func content(
    of leaf: RowLeaf,
    _ contribution: (UnsafeMutablePointer<Row>) -> UInt64,
  ) -> UInt64 {
    let (rows, count) = (leaf.rows(of: Row.self), leaf.count)
    var (sum, pending) = (leaf.notes.pointee.content, leaf.notes.pointee.pending)
    for offset in 0..<count {
      if pending & 1 == 1 {
        let part = contribution(rows + offset)
        sum = add(part, behind: count - 1 - offset, to: sum)
      }
      pending >>= 1
    }
    return sum
  }

  private func add(_ part: UInt64, behind: Int, to sum: UInt64) -> UInt64 {
    switch identity.digests {
    case .unordered: sum &+ part
    case .ordered: SequenceDigest.add(part, followedBy: behind, to: sum)
    }
  }

  /// Subtracts the digest of a row that is about to change from its leaf's content.
  ///
  /// - Parameters:
  ///   - offset: The row's place in the leaf, which is not shared.
  ///   - leaf: The leaf.
  ///   - content: The content of the whole leaf, or 0 if it is unknown.
  @usableFromInline
  func forgetDigest(ofRowAt offset: Int, in leaf: RowLeaf, content: UInt64) {
    if content != 0 {
      leaf.notes.pointee.content = content
      leaf.notes.pointee.pending = 0
    }
    let bit: UInt32 = 1 << UInt32(offset)
    guard leaf.notes.pointee.pending & bit == 0 else { return }
    guard let part = contribution(of: leaf.rows(of: Row.self) + offset) else {
      return leaf.forgetDigests()
    }
    leaf.notes.pointee.pending |= bit
    let behind = leaf.count - 1 - offset
    switch identity.digests {
    case .unordered:
      leaf.notes.pointee.content &-= part
    case .ordered:
      leaf.notes.pointee.content = SequenceDigest.remove(
        part,
        followedBy: behind,
        from: leaf.notes.pointee.content,
      )
    }
  }

  /// The contribution of a row to the digest, found without its static type.
  private func contribution(of row: UnsafeMutablePointer<Row>) -> UInt64? {
    switch identity.digests {
    case .ordered:
      (Row.self as? any WireValue.Type).map { Self.digest($0, row) }
    case .unordered:
      (Row.self as? any DigestedEntry.Type).map { Self.contribution($0, row) }
    }
  }

  private static func digest<Value: WireValue>(
    _: Value.Type,
    _ row: UnsafeMutablePointer<Row>,
  ) -> UInt64 {
    UnsafeRawPointer(row).assumingMemoryBound(to: Value.self).pointee._$digest.rawValue
  }

  private static func contribution<Entry: DigestedEntry>(
    _: Entry.Type,
    _ row: UnsafeMutablePointer<Row>,
  ) -> UInt64 {
    UnsafeRawPointer(row).assumingMemoryBound(to: Entry.self).pointee.contribution
  }
}
