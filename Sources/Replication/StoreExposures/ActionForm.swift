public import StoreState

/// How actions of a type are encoded in the journal, to be replayed.
@usableFromInline
struct ActionForm<Action: WireAction>: Sendable {
  /// Whether what is written of any of them is all that it has.
  private let isWhole: Bool

  @usableFromInline
  init() { isWhole = !SchemaRegistry.hidesParts(Action.self) }

  /// Writes an action as a client could have sent it.
  ///
  /// - Parameter action: The action.
  /// - Returns: Its bytes; nil where they lack what it carries.
  /// - Throws: A `CodecError` when no client may send it.
  @usableFromInline
  func encode(_ action: Action) throws(CodecError) -> [UInt8]? {
    let bytes = try action.encoded()
    if isWhole { return bytes }
    var durable = CBOREncoder.durable
    try action.encode(to: &durable)
    return durable.bytes == bytes ? bytes : nil
  }
}
