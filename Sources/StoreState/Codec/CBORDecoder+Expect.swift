extension CBORDecoder {
  /// Reads the beginning of an array that must have `count` items.
  @usableFromInline
  package mutating func expectArray(of count: Int, _ what: String) throws(CodecError) {
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

  /// Reads a part of a value; an error that it throws says that it happened inside of `element`.
  @inlinable
  public mutating func decode<Value: WirePayload>(
    _ type: Value.Type,
    at element: @autoclosure () -> CodecError.PathElement,
  ) throws(CodecError) -> Value {
    do throws(CodecError) {
      return try Value(from: &self)
    } catch {
      throw error.inside(element())
    }
  }
}
