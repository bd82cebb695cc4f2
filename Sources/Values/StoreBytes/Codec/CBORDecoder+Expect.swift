extension CBORDecoder {
  /// Reads the beginning of an array that must have `count` items.
  @usableFromInline
  package mutating func expectArray(of count: Int, _ what: String) throws(CodecError) {
    if try entersArray(of: count) { return }
    let start = offset
    let found = try arrayHeader()
    guard found == count else {
      throw CodecError(
        .typeMismatch,
        "expected \(what) as an array of \(count), found an array of \(found)",
        offset: start,
      )
    }
  }
}
