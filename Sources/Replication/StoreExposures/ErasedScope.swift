public import StoreActor
public import StoreState

/// Type-erased access to one scope: reads it at a raw pointer to the root; decodes its actions,
/// embeds them in the root's and sends them to the root's store.
///
/// It holds closures, which are created and specialized at an ``Expose``, with known types. They
/// take pointers because a copy of a root would retain every reference in it. The pointers are raw,
/// so that callers need not know the root's type. Only ``TypedRoot`` makes them, and only for
/// exposures of its own root.
@usableFromInline
package final class ErasedScope: Sendable {
  @usableFromInline
  package typealias Place = UnsafeRawPointer

  /// Whether the scope may be absent; most scopes always have a state.
  package let isOptional: Bool
  /// Whether it is a shared value, of which actions are edits.
  package let isShared: Bool
  /// Whether the scope has a state now.
  package let isPresent: @Sendable (Place) -> Bool
  /// Writes the scope's state, an optional, as in a snapshot.
  package let encode: @Sendable (Place, inout CBOREncoder) -> Void
  /// Writes the delta of the scope between two roots.
  ///
  /// Returns false, without writing, if the states are equal.
  package let encodeDelta: @Sendable (_ old: Place, _ new: Place, inout CBOREncoder) -> Bool
  /// The digest of the scope's state, an optional.
  package let digest: @Sendable (Place) -> Digest
  /// Decodes an action of the scope, embeds it in the root's and sends that to the root's store.
  ///
  /// Returns nil, without a change, if the action is remote and its target is absent.
  package let send:
    @MainActor @Sendable (
      _ core: AnyObject, _ isFromAfar: Bool, inout CBORDecoder
    ) throws(CodecError) -> StoreTask?

  @usableFromInline
  init(
    isOptional: Bool,
    isShared: Bool = false,
    isPresent: @escaping @Sendable (Place) -> Bool,
    encode: @escaping @Sendable (Place, inout CBOREncoder) -> Void,
    encodeDelta: @escaping @Sendable (Place, Place, inout CBOREncoder) -> Bool,
    digest: @escaping @Sendable (Place) -> Digest,
    send:
      @escaping @MainActor @Sendable (
        AnyObject, Bool, inout CBORDecoder
      ) throws(CodecError) -> StoreTask?,
  ) {
    self.isOptional = isOptional
    self.isShared = isShared
    self.isPresent = isPresent
    self.encode = encode
    self.encodeDelta = encodeDelta
    self.digest = digest
    self.send = send
  }

  /// A scope that is a part of the root, or a value in that part.
  ///
  /// - Parameters:
  ///   - isOptional: Whether the scope may have no state.
  ///   - part: The part of the root.
  ///   - project: The scope's state in that part; nil if it is absent.
  ///   - delta: Writes the delta between two states of that part, as optionals.
  ///   - embed: Makes an action of the root from one of the scope.
  @inlinable
  convenience init<
    Root: Sendable,
    RootAction,
    Whole: Sendable,
    State: ReplicatedState,
    Action: WireAction,
  >(
    isOptional: Bool,
    part: StoredPart<Root, Whole>,
    project: @escaping @Sendable (Whole) -> State?,
    delta: @escaping @Sendable (_ old: Whole, _ new: Whole, inout CBOREncoder) -> Bool,
    embed: @escaping @Sendable (Action) -> RootAction,
  ) {
    self.init(
      isOptional: isOptional,
      isPresent: { project(part.read(at: $0.assumingMemoryBound(to: Root.self))) != nil },
      encode: { project(part.read(at: $0.assumingMemoryBound(to: Root.self))).encode(to: &$1) },
      encodeDelta: { old, new, encoder in
        let old = old.assumingMemoryBound(to: Root.self)
        let new = new.assumingMemoryBound(to: Root.self)
        if part.isIdentical(at: old, new) { return false }
        return part.withBoth(at: old, new) { delta($0, $1, &encoder) }
      },
      digest: { project(part.read(at: $0.assumingMemoryBound(to: Root.self)))._$digest },
      send: { (core, isFromAfar, decoder) throws(CodecError) in
        let action = try ReadingScope.run { () throws(CodecError) in try Action(from: &decoder) }
        try decoder.finish()
        let core = unsafeDowncast(core, to: RootCore<Root, RootAction>.self)
        return isFromAfar ? core.sendFromAfar(embed(action)) : core.send(embed(action))
      },
    )
  }
}
