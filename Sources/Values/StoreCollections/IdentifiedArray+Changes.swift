extension IdentifiedArray {
  /// Visits the ids of the elements that were inserted, removed or possibly changed since
  /// another version.
  ///
  /// Each id is visited once; elements that only moved are not visited. The cost is proportional to
  /// the difference between the two versions.
  ///
  /// - Parameters:
  ///   - old: The other version.
  ///   - body: Called with each id.
  @usableFromInline
  package func forEachChangedID(since old: Self, _ body: (ID) -> Void) {
    guard !tree.isIdentical(to: old.tree) else { return }
    let read = tree.identity.read
    func id(_ row: UnsafeMutableRawPointer) -> ID {
      read(row.assumingMemoryBound(to: Element.self).pointee)
    }
    let alignment = tree.alignment(from: old.tree) { _, _ in true }
    for pair in alignment.pairs { body(id(pair.new)) }
    for entry in alignment.removed { body(id(entry.row)) }
    for entry in alignment.inserted { body(id(entry.row)) }
    // The trees own the rows, and must therefore live up to here.
    withExtendedLifetime((self, old)) {}
  }
}
