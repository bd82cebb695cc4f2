public import StoreActor
import StoreProtocol
import StoreState

extension Expose {
  /// Exposes a shared value of the root's state, which clients share as `.store(name)`.
  ///
  /// ```swift
  /// Expose("settings", shared: \.$settings, isEditable: true)
  /// ```
  ///
  /// A client's change is a revision of its own, without an action of the root.
  ///
  /// - Parameters:
  ///   - name: The scope's name, unique among the exposures.
  ///   - shared: The shared value's key path in the root's state.
  ///   - isEditable: Whether clients may change it; by default it is read-only.
  public init<Value: ReplicatedState>(
    _ name: String,
    shared: any KeyPath<Root, Shared<Value>> & Sendable,
    isEditable: Bool = false,
  ) {
    let schemas =
      isEditable
      ? ExposureSchemas(name, Value.self, SharedEdit.self)
      : ExposureSchemas(name, Value.self, Never.self)
    let part = StoredPart(shared)
    let edit = isEditable ? Self.editing(shared) : nil
    let source = ErasedScope(part, edit: edit)
    self.init(schemas) {
      ExposedScopes(
        schemas,
        outputs: nil,
        replies: nil,
        whole: source,
        hasAction: { _ in false },
        encode: { _ in nil },
      )
    }
  }

  /// Changes a shared value by an edit.
  ///
  /// Returns nil, without a change, if its base differs.
  private static func editing<Value: ReplicatedState>(
    _ shared: any KeyPath<Root, Shared<Value>> & Sendable
  ) -> ErasedScope.Edit {
    { (core, edit) throws(CodecError) in
      var failure: CodecError?
      let core = unsafeDowncast(core, to: RootCore<Root, RootAction>.self)
      let task = core.changeFromAfar { root in
        // Before locking, which saves the value under its key even if it is unchanged.
        guard root[keyPath: shared].wrappedValue._$digest.rawValue == edit.base else {
          return false
        }
        return root[keyPath: shared].withLock { value in
          guard value._$digest.rawValue == edit.base else { return false }
          do throws(CodecError) {
            value = try value.applying(delta: Array(edit.delta))
          } catch {
            failure = error
            return false
          }
          return true
        }
      }
      if let failure { throw failure }
      return task
    }
  }
}

extension ErasedScope {
  typealias Edit =
    @MainActor @Sendable (_ core: AnyObject, SharedEdit) throws(CodecError) -> StoreTask?

  /// A shared value as a scope.
  fileprivate convenience init<Root: Sendable, Value: ReplicatedState>(
    _ part: StoredPart<Root, Shared<Value>>,
    edit: Edit?,
  ) {
    let read: @Sendable (Place) -> Shared<Value> = {
      part.read(at: $0.assumingMemoryBound(to: Root.self))
    }
    self.init(
      isOptional: false,
      isShared: true,
      isPresent: { _ in true },
      encode: { Optional(read($0).valueInState).encode(to: &$1) },
      encodeDelta: { old, new, encoder in
        let (old, new) = (read(old), read(new))
        if new.showsSameInState(as: old) { return false }
        return Optional(new.valueInState)
          .encodeDelta(from: Optional(old.valueInState), to: &encoder)
      },
      digest: { Optional(read($0).valueInState)._$digest },
      send: { (core, _, decoder) throws(CodecError) in
        guard let edit else {
          throw decoder.error(.typeMismatch, "the shared value is read only for clients")
        }
        let action = try SharedEdit(from: &decoder)
        try decoder.finish()
        return try edit(core, action)
      },
    )
  }
}
