package import StoreState

/// A scope as the daemon sees it: how to read it from the root, and how to pull an action back.
///
/// An object, because every action reaches for one.
package protocol ScopeSource<Root, RootAction>: AnyObject, Sendable {
  associatedtype Root
  associatedtype RootAction

  /// Whether the scope may have no state; most always have one.
  var isOptional: Bool { get }

  /// The outputs of the scope that travel; nil when none do.
  var outputs: ScopeOutputs<RootAction>? { get }

  /// Whether the scope has a state now.
  func isPresent(in root: Root) -> Bool

  /// Writes the scope's state, an optional, as a snapshot has it.
  func encode(_ root: Root, to encoder: inout CBOREncoder)

  /// Writes what leads from one root's scope to another's; false when they are the same, and then
  /// nothing is written.
  func encodeDelta(from old: Root, to new: Root, into encoder: inout CBOREncoder) -> Bool

  /// The digest of the scope's state, an optional.
  func digest(of root: Root) -> Digest

  /// Decodes a child's action and embeds it in the root's.
  func rootAction(from decoder: inout CBORDecoder) throws(CodecError) -> RootAction
}

/// A scope that is a part of the root, or something in that part.
final class ProjectedSource<
  Root: Sendable,
  RootAction,
  Whole: Sendable,
  State: ReplicatedState,
  Action: WireAction,
>: ScopeSource {
  let isOptional: Bool
  let outputs: ScopeOutputs<RootAction>?
  let part: StoredPart<Root, Whole>
  let project: @Sendable (Whole) -> State?
  let embed: @Sendable (Action) -> RootAction

  init(
    isOptional: Bool,
    outputs: ScopeOutputs<RootAction>?,
    part: StoredPart<Root, Whole>,
    project: @escaping @Sendable (Whole) -> State?,
    embed: @escaping @Sendable (Action) -> RootAction,
  ) {
    self.isOptional = isOptional
    self.outputs = outputs
    self.part = part
    self.project = project
    self.embed = embed
  }

  private func state(in root: Root) -> State? { project(part.read(root)) }

  func isPresent(in root: Root) -> Bool { state(in: root) != nil }

  func encode(_ root: Root, to encoder: inout CBOREncoder) {
    state(in: root).encode(to: &encoder)
  }

  func encodeDelta(from old: Root, to new: Root, into encoder: inout CBOREncoder) -> Bool {
    !part.isIdentical(old, new)
      && state(in: new).encodeDelta(from: state(in: old), to: &encoder)
  }

  func digest(of root: Root) -> Digest { state(in: root).digest }

  func rootAction(from decoder: inout CBORDecoder) throws(CodecError) -> RootAction {
    embed(try Action(from: &decoder))
  }
}
