public import StoreBytes

extension CBORDecoder {
  /// Reads a part of a value; an error that it throws gets `element` added to its path.
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

  /// Reads the removals, insertions and changes of a dictionary's entries.
  ///
  /// - Parameters:
  ///   - type: The type of the keys.
  ///   - body: Reads the rest of an entry after its key: no item for change 0, a removal; the value
  ///     for change 1, an insertion; the value's delta for change 2.
  /// - Throws: A `CodecError` if the items have another form, or the error of `body`, at the key.
  package mutating func entryChanges<Key: WireValue>(
    of type: Key.Type,
    _ body: (inout CBORDecoder, _ change: Int, Key) throws(CodecError) -> Void,
  ) throws(CodecError) {
    for _ in 0..<(try mapHeader()) {
      let change = try place(below: 3, "the change")
      let items = try arrayHeader()
      guard change == 0 || items % 2 == 0 else {
        throw error(.deltaMismatch, "a key without a value")
      }
      for _ in 0..<(change == 0 ? items : items / 2) {
        let key = try Key(from: &self)
        do throws(CodecError) {
          try body(&self, change, key)
        } catch {
          throw error.inside(.key("\(key)"))
        }
      }
    }
  }
}
