public import StoreBytes

extension CBORDecoder {
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

  /// Reads which entries of a dictionary go, come and change inside.
  ///
  /// - Parameters:
  ///   - type: The type of the keys.
  ///   - body: Reads what follows the key: nothing when the change is 0 and the entry goes, its
  ///     value when it is 1, the delta of its value when it is 2.
  /// - Throws: A `CodecError` when something else stands next, or what `body` throws, at the key.
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
