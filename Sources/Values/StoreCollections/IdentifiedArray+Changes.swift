extension IdentifiedArray {
  /// Hands over the ids of the elements that came, went or may have changed since another version.
  ///
  /// Each id comes once; of one that only moved nothing is said. Takes as long as the two versions
  /// differ.
  ///
  /// - Parameters:
  ///   - old: The other version.
  ///   - body: Is given each id.
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
    // The rows are the trees', which therefore must live on up to here.
    withExtendedLifetime((self, old)) {}
  }
}
