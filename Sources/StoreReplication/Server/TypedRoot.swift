import StoreActor
import StoreState

/// The root store of a daemon, with its types: the one place where replication knows them.
///
/// It keeps the versions before the newest one, and hands places of roots to closures that were
/// made for them. Places are good during the call only.
@MainActor
final class TypedRoot<Root: Sendable, RootAction>: RootPort {
  let exposed: [ExposedScopes]
  unowned(safe) var observer: (any RootObserver)?
  let versions: VersionRing<Root>
  private let core: RootCore<Root, RootAction>
  private let sessionAction: (SessionEvent) -> RootAction?
  /// Those of the exposures of which a scope is followed.
  private var followed: [ExposedScopes] = []
  /// The roots of the step in progress.
  private var old: ScopeSource.Place?
  private var new: ScopeSource.Place?
  /// What the step in progress changed, as far as deltas show it, in bytes.
  private var stepWeight = 0

  /// Takes over a store's steps and outputs.
  ///
  /// - Parameters:
  ///   - core: The store.
  ///   - exposures: What clients may see.
  ///   - limits: How many versions are kept.
  ///   - sessionAction: The action that tells the reducer of a listed session, if any.
  init(
    _ core: RootCore<Root, RootAction>,
    exposures: [Expose<Root, RootAction>],
    limits: Limits,
    sessionAction: @escaping (SessionEvent) -> RootAction?,
  ) {
    self.core = core
    self.sessionAction = sessionAction
    exposed = exposures.map { $0.scopes() }
    versions = VersionRing(
      limit: limits.versions,
      bytes: limits.versionBytes,
      revision: core.revision,
    )
    core.onStep = { [unowned self] revision, old, new in
      self.step(to: revision, from: old, to: new)
    }
    guard exposed.contains(where: { $0.outputs != nil }) else { return }
    core.onOutput = { [unowned self] output, revision in self.put(output, at: revision) }
  }

  func detach() {
    core.onStep = nil
    core.onOutput = nil
  }

  var revision: UInt64 { core.revision }

  // MARK: Actions

  func batch(_ sends: () -> Void) { core.surround(sends) }

  func send(_ action: ArraySlice<UInt8>, to scope: RootScope) throws(CodecError) -> StoreTask? {
    let source = scope.source
    if source.isOptional, !core.withState({ source.isPresent(UnsafeRawPointer($0)) }) {
      return nil
    }
    var decoder = CBORDecoder(action)
    return try source.send(core, &decoder)
  }

  func send(_ event: SessionEvent) {
    if let action = sessionAction(event) { core.send(action) }
  }

  // MARK: Steps

  func follow(_ scope: RootScope, as number: Int) {
    scope.exposed.follow(scope, as: number)
    if scope.exposed.followedCount == 1 { findFollowed() }
  }

  func unfollow(_ scope: RootScope) {
    scope.exposed.unfollow(scope)
    if scope.exposed.followedCount == 0 { findFollowed() }
  }

  /// In the order of the exposures, which shows in what is published.
  private func findFollowed() { followed = exposed.filter { $0.followedCount > 0 } }

  /// The store has reduced an action.
  ///
  /// - Parameters:
  ///   - revision: The step's revision.
  ///   - old: Where the root is as it was before; it is moved out of there.
  ///   - new: Where the root is now.
  private func step(
    to revision: UInt64,
    from old: UnsafeMutablePointer<Root>,
    to new: UnsafePointer<Root>,
  ) {
    let (before, after) = (UnsafeRawPointer(old), UnsafeRawPointer(new))
    if let observer {
      (self.old, self.new) = (before, after)
      stepWeight = 0
      for exposed in followed {
        exposed.forEachChanged(from: before, to: after) {
          observer.mayHaveChanged($0, at: revision)
        }
      }
      (self.old, self.new) = (nil, nil)
      observer.stepped(to: revision)
    }
    var weight = stepWeight
    if revision.isMultiple(of: stepsPerWeighing) {
      weight += unfollowedWeight(from: before, to: after) * Int(stepsPerWeighing)
    }
    versions.append(moving: old, revision: revision - 1, changed: weight)
  }

  func encodeDelta(of scope: RootScope, into encoder: inout CBOREncoder) -> Bool {
    guard let old, let new else {
      preconditionFailure("A delta was asked for outside of a step, at revision \(revision)")
    }
    let start = encoder.bytes.count
    guard scope.source.encodeDelta(old, new, &encoder) else { return false }
    stepWeight += encoder.bytes.count - start + encoder.takeUnshared()
    return true
  }

  /// What a step changed in exposed scopes that nobody follows; rows are in their array.
  private func unfollowedWeight(from old: ScopeSource.Place, to new: ScopeSource.Place) -> Int {
    var weight = 0
    for exposed in exposed {
      guard let scope = exposed.whole, scope.number == nil else { continue }
      var encoder = CBOREncoder()
      guard scope.source.encodeDelta(old, new, &encoder) else { continue }
      weight += encoder.bytes.count + encoder.takeUnshared()
    }
    return weight
  }

  /// An output was made; one without an action belongs to the root, which is no scope.
  private func put(_ output: StoreOutput<RootAction>, at revision: UInt64) {
    guard let observer, let action = output.action else { return }
    withUnsafePointer(to: action) { action in
      for exposed in followed where exposed.outputs != nil {
        guard let scope = exposed.followedScope(of: UnsafeRawPointer(action)) else { continue }
        observer.put(output.value, of: scope, at: revision)
      }
    }
  }

  func digest(of scope: RootScope) -> Digest {
    core.withState { scope.source.digest(UnsafeRawPointer($0)) }
  }

  // MARK: Versions

  func version() -> RootVersion { RootVersion(core.state, revision: revision) }

  func version(at revision: UInt64) -> RootVersion? {
    if revision == self.revision { return version() }
    return versions[revision].map { RootVersion($0, revision: revision) }
  }
}

/// One step in so many is weighed with what it changed in scopes that nobody follows.
///
/// It stands for the others, for their deltas are of no other use. A prime, so that actions that
/// take turns are all met.
private let stepsPerWeighing: UInt64 = 61

extension CBOREncoder {
  /// What was noted as unshared since the last call.
  fileprivate mutating func takeUnshared() -> Int {
    defer { unshared = 0 }
    return unshared
  }
}
