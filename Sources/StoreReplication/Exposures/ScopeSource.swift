public import StoreState

/// A scope as the daemon sees it: how to read it from the root, and how to pull an action back.
///
/// An object, because every action reaches for one. It holds closures, which are made where an
/// ``Expose`` is written, and specialized there for the types that are known there; methods of a
/// generic class would look up metadata for each action. Roots are handed over by where they are,
/// for a copy would retain every reference in them.
@usableFromInline
package final class ScopeSource<Root: Sendable, RootAction>: Sendable {
  @usableFromInline
  package typealias Place = UnsafePointer<Root>

  /// Whether the scope may have no state; most always have one.
  let isOptional: Bool
  /// The outputs of the scope that travel; nil when none do.
  let outputs: ScopeOutputs<RootAction>?
  /// Whether the scope has a state now.
  let isPresent: @Sendable (Place) -> Bool
  /// Writes the scope's state, an optional, as a snapshot has it.
  let encode: @Sendable (Place, inout CBOREncoder) -> Void
  /// Writes what leads from one root's scope to another's; false when they are the same, and then
  /// nothing is written.
  let encodeDelta: @Sendable (_ old: Place, _ new: Place, inout CBOREncoder) -> Bool
  /// The digest of the scope's state, an optional.
  let digest: @Sendable (Place) -> Digest
  /// Decodes a child's action and embeds it in the root's.
  let rootAction: @Sendable (inout CBORDecoder) throws(CodecError) -> RootAction

  @usableFromInline
  init(
    isOptional: Bool,
    outputs: ScopeOutputs<RootAction>?,
    isPresent: @escaping @Sendable (Place) -> Bool,
    encode: @escaping @Sendable (Place, inout CBOREncoder) -> Void,
    encodeDelta: @escaping @Sendable (Place, Place, inout CBOREncoder) -> Bool,
    digest: @escaping @Sendable (Place) -> Digest,
    rootAction: @escaping @Sendable (inout CBORDecoder) throws(CodecError) -> RootAction,
  ) {
    self.isOptional = isOptional
    self.outputs = outputs
    self.isPresent = isPresent
    self.encode = encode
    self.encodeDelta = encodeDelta
    self.digest = digest
    self.rootAction = rootAction
  }

  /// A scope that is a part of the root, or something in that part.
  ///
  /// - Parameters:
  ///   - isOptional: Whether the scope may have no state.
  ///   - outputs: The outputs that travel; nil when none do.
  ///   - part: The part of the root.
  ///   - project: The scope's state in that part; nil when there is none.
  ///   - embed: Makes an action of the root from one of the scope.
  @inlinable
  package convenience init<Whole: Sendable, State: ReplicatedState, Action: WireAction>(
    isOptional: Bool,
    outputs: ScopeOutputs<RootAction>?,
    part: StoredPart<Root, Whole>,
    project: @escaping @Sendable (Whole) -> State?,
    embed: @escaping @Sendable (Action) -> RootAction,
  ) {
    self.init(
      isOptional: isOptional,
      outputs: outputs,
      isPresent: { project(part.read(at: $0)) != nil },
      encode: { project(part.read(at: $0)).encode(to: &$1) },
      encodeDelta: { old, new, encoder in
        if part.isIdentical(at: old, new) { return false }
        return project(part.read(at: new)).encodeDelta(
          from: project(part.read(at: old)),
          to: &encoder,
        )
      },
      digest: { project(part.read(at: $0)).digest },
      rootAction: { (decoder) throws(CodecError) in embed(try Action(from: &decoder)) },
    )
  }

  /// Decodes a child's action and embeds it in the root's.
  package func rootAction(from decoder: inout CBORDecoder) throws(CodecError) -> RootAction {
    try rootAction(&decoder)
  }

  /// ``isPresent`` for a root that is a value.
  package func isPresent(in root: Root) -> Bool { withUnsafePointer(to: root, isPresent) }

  /// ``encode`` for a root that is a value.
  package func encode(_ root: Root, to encoder: inout CBOREncoder) {
    withUnsafePointer(to: root) { encode($0, &encoder) }
  }

  /// ``digest`` for a root that is a value.
  package func digest(of root: Root) -> Digest { withUnsafePointer(to: root, digest) }

  /// ``encodeDelta`` for roots that are values.
  package func encodeDelta(from old: Root, to new: Root, into encoder: inout CBOREncoder) -> Bool {
    withUnsafePointer(to: old) { old in
      withUnsafePointer(to: new) { new in encodeDelta(old, new, &encoder) }
    }
  }
}
