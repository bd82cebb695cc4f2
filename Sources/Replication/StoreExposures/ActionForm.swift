public import StoreState

/// The encoding of a type's actions in the journal, from which they are replayed.
@usableFromInline
struct ActionForm<Action: WireAction>: Sendable {
  /// Whether the wire form of every action is complete.
  private let isWhole: Bool

  @usableFromInline
  init() { isWhole = !SchemaRegistry.hidesParts(Action.self) }

  /// Encodes an action in the form that a client sends.
  ///
  /// - Parameter action: The action.
  /// - Returns: Its bytes; nil if they lack a part of the action.
  /// - Throws: A `CodecError` if no client may send it.
  @usableFromInline
  func encode(_ action: Action) throws(CodecError) -> [UInt8]? {
    let bytes = try action.encoded()
    if isWhole { return bytes }
    var durable = CBOREncoder.durable
    try action.encode(to: &durable)
    return durable.bytes == bytes ? bytes : nil
  }
}
