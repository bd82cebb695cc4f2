/// The limit of stored actions.
package enum StoredAction {
  /// The greatest number of bytes of a form; longer actions have none.
  package static let mostBytes = 64 << 10
}

/// The durable form of a root's actions.
package struct StoredActionForm<Action>: Sendable {
  private let encode: @Sendable (Action) throws(CodecError) -> [UInt8]
  private let decode: @Sendable ([UInt8]) throws(CodecError) -> Action
  /// The names of types with hidden parts that the form does not contain.
  package let forgetful: [String]

  /// The form of an action; nil if its type declares none.
  package init?() {
    func form<Durable: DurableAction>(_ type: Durable.Type) -> StoredActionForm? {
      StoredActionForm<Durable>(of: type) as? StoredActionForm
    }
    guard let type = Action.self as? any DurableAction.Type, let form = form(type) else {
      return nil
    }
    self = form
  }

  private init(of type: Action.Type) where Action: DurableAction {
    encode = { (action) throws(CodecError) in try action.durablyEncoded() }
    decode = { (bytes) throws(CodecError) in try Action(durablyEncoded: bytes) }
    forgetful = SchemaRegistry.forgetfulTypes(in: type)
  }

  /// The form of an action; nil if the action has none, or a longer one than
  /// ``StoredAction/mostBytes``.
  package func bytes(of action: Action) -> [UInt8]? {
    do throws(CodecError) {
      let bytes = try encode(action)
      return bytes.count <= StoredAction.mostBytes ? bytes : nil
    } catch {
      // A part of it is not stored: a case that is marked `@DurableIgnored`, or a child's action
      // without a durable form.
      return nil
    }
  }

  /// Whether the action has a form that is too long.
  func isTooLong(_ action: Action) -> Bool {
    do throws(CodecError) {
      return try encode(action).count > StoredAction.mostBytes
    } catch {
      return false
    }
  }

  /// Reads an action; nil if the bytes are not a form that this build writes.
  package func read(_ bytes: [UInt8]) -> Action? {
    do throws(CodecError) {
      return try decode(bytes)
    } catch {
      return nil
    }
  }

  /// Reads an action.
  ///
  /// - Throws: A `CodecError` if the bytes are not a form that this build writes.
  package func action(_ bytes: [UInt8]) throws(CodecError) -> Action { try decode(bytes) }
}
