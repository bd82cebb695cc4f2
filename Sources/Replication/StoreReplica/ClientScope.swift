import GenericState
package import StoreProtocol
package import StoreState

/// A scope of a client: its holders, and the state of its join.
@MainActor
package final class ClientScope {
  /// The digests of the schemas with which a scope is requested; nil if any schema is accepted.
  struct Hashes: Hashable {
    var state: Digest?
    var action: Digest?
  }

  /// The holders of the scope, or the reason for which it is still joined.
  enum Want: Hashable {
    /// It has this number of holders.
    case held(Int)
    /// It has had no holder since the last turn.
    case released
    /// It has no holder, and is followed until this time in case a caller opens it again.
    case lingering(until: Instant)
    /// It is joined for its pending actions only, and not followed.
    case draining
    /// It is no longer part of joins.
    case left
  }

  package let name: String
  /// Whether it is followed, or only receives actions.
  package private(set) var mode: ClientMessage.JoinMode
  private let state: SchemaDocument?
  private(set) var action: SchemaDocument?
  /// How this program reads states of other builds; nil if it accepts only its own.
  private let reader: (@MainActor () -> ReaderSchema)?
  private var own: Hashes
  /// The translation for a daemon with other types.
  @exclusivity(unchecked) private(set) var translation: ScopeTranslation?
  /// The client that owns the scope.
  weak var client: ReplicaClient?
  /// Nil for a scope that only receives actions.
  @exclusivity(unchecked) package private(set) var replica: (any Replica)?
  package internal(set) var status = ScopeStatus.joining {
    didSet { if status != oldValue { replica?.statusChanged(status) } }
  }
  var want = Want.held(1)
  /// The actions for it that have no outcome yet.
  @exclusivity(unchecked) var pendingActions = 0
  /// Whether a daemon was ever asked for it.
  var wasAsked = false
  /// Whether it has shown a state, or its absence, since it was last refused.
  var hasShown = false
  /// The number of consecutive times that its digest differed from the daemon's.
  var mismatches = 0
  /// Its value when its digest differed, to be compared with the next snapshot.
  var differing: (revision: UInt64, encoding: [UInt8])?
  /// The daemon's name for it in this session; nil before the join and after the session.
  var handle: UInt64?
  /// The revision of the replica; nil if it has no state, or one that cannot be trusted.
  var position: ClientMessage.Position?
  /// The schema of the states from which the replica's state was made.
  private var contentHash: Digest?
  /// The digest of the replica's state, if it was computed since the last change.
  @exclusivity(unchecked) private var knownDigest: Digest?
  /// The last run of deltas that changed it.
  @exclusivity(unchecked) private var lastRun: UInt64 = 0
  /// Whether the daemon was asked for its types; until it answers the scope cannot be joined.
  var isResolving = false

  /// Creates a scope that is not joined yet.
  ///
  /// - Parameters:
  ///   - name: The scope's name.
  ///   - mode: Whether it is followed.
  ///   - state: The schema of the state that this program knows; nil when it accepts any.
  ///   - action: The schema of the actions that this program knows; nil when it accepts any.
  ///   - reader: How this program reads other builds' states; nil when it accepts its own only.
  ///   - replica: The holder of its state; nil for a scope that only receives actions.
  init(
    name: String,
    mode: ClientMessage.JoinMode,
    state: SchemaDocument?,
    action: SchemaDocument?,
    reader: (@MainActor () -> ReaderSchema)?,
    replica: (any Replica)?,
  ) {
    precondition(
      (mode == .sendOnly) == (replica == nil),
      "The scope \"\(name)\" is followed with a replica, or only sent to without one",
    )
    self.name = name
    self.mode = mode
    self.state = state
    self.action = action
    self.reader = reader
    own = Hashes(state: state?.hash, action: action?.hash)
    self.replica = replica
  }

  /// Whether it will not be joined any more.
  var isGone: Bool { if case .refused = status { true } else { want == .left } }

  /// Whether a join asks for it.
  var isWanted: Bool { !isGone && !isResolving }

  /// Whether it shows a state while the daemon, of another build, is asked for its types.
  var isShownAndResolving: Bool { isResolving && hasShown && !isGone }

  /// Whether its state differs from the daemon's, so that only a snapshot helps.
  var isInDoubt: Bool { differing != nil }

  /// Whether its state is followed.
  var isFollowed: Bool { replica != nil }

  /// Accepts actions of a schema from now on.
  func takeActions(_ action: SchemaDocument) {
    self.action = action
    own.action = action.hash
  }

  /// Resets the mismatch state for a daemon of another history.
  func forgetMismatches() {
    mismatches = 0
    differing = nil
  }

  /// Stops following it and drops the copy.
  func stopFollowing() {
    replica = nil
    knownDigest = nil
    mode = .sendOnly
    position = nil
    differing = nil
  }

  /// The schemas to request: the daemon's, if this program can translate them.
  var hashes: Hashes { translation?.hashes ?? own }

  /// Whether the replica's state was made of states of the requested schema.
  var hasFittingContent: Bool { contentHash == hashes.state }
}

// MARK: - Snapshots and deltas

extension ClientScope {
  /// Applies a snapshot in the daemon's form.
  func reset(to snapshot: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    knownDigest = nil
    if let translated = try translation?.reset(to: snapshot) {
      try replica?.reset(to: translated[...], revision: revision)
    } else {
      try replica?.reset(to: snapshot, revision: revision)
    }
    contentHash = hashes.state
  }

  /// Applies a delta in the daemon's form.
  func apply(_ delta: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    knownDigest = nil
    guard let translation, translation.translatesState else {
      try replica?.apply(delta, revision: revision)
      return
    }
    // A change is dropped if this program's types have no place for it.
    guard let translated = try translation.apply(delta) else { return }
    try replica?.apply(translated[...], revision: revision)
  }

  /// The digest of the optional state, in the daemon's form.
  ///
  /// Cached, because a bookmark asks every scope of a view, and few have changed since the
  /// last one.
  package var digest: Digest? {
    if let knownDigest { return knownDigest }
    knownDigest = translation?.digest ?? replica?.digest
    return knownDigest
  }

  /// Whether a run of deltas changes it for the first time.
  func isFirstChange(inRun run: UInt64) -> Bool {
    if lastRun == run { return false }
    lastRun = run
    return true
  }
}

// MARK: - Types

extension ClientScope {
  /// Switches to the types that a daemon has for the scope.
  ///
  /// - Parameter theirs: The daemon's description.
  /// - Returns: The differences that prevent it, one line for each field; empty when it can switch.
  func adopt(_ theirs: ScopeDescription) -> [String] {
    let wanted = Hashes(
      state: own.state.map { _ in theirs.state.hash },
      action: own.action.map { _ in theirs.action.hash },
    )
    if wanted == hashes { return [] }
    forgetTranslation()
    if wanted == own { return [] }
    switch translation(to: theirs, wanted) {
    case .success(let translation):
      self.translation = translation
      knownDigest = nil
      return []
    case .failure(let differences): return differences.lines
    }
  }

  /// Switches back to its own types.
  func forgetTranslation() {
    translation = nil
    knownDigest = nil
  }

  /// The difference of a state that shares only defaults with this program's, and has another name:
  /// it belongs to another feature, and not to another build.
  ///
  /// - Returns: The text; nil for a state of another build.
  private static func otherType(
    than own: SchemaDocument,
    _ theirs: SchemaDocument,
    _ resolution: SchemaResolution,
  ) -> String? {
    guard !resolution.hasCommonGround, case .named(let here) = own.root,
      case .named(let there) = theirs.root, here != there
    else { return nil }
    return "the scope is a \(there.quoted) there, and \(here.quoted) here has nothing of that"
  }

  private struct Differences: Error {
    var lines: [String]
  }

  private func translation(
    to theirs: ScopeDescription,
    _ wanted: Hashes,
  ) -> Result<ScopeTranslation, Differences> {
    var lines: [String] = []
    var translated: SchemaResolution?
    if let state, wanted.state != own.state {
      if let reader, replica != nil {
        let resolution = SchemaResolution(writer: theirs.state, reader: reader())
        lines += resolution.differences
        if lines.isEmpty, let other = Self.otherType(than: state, theirs.state, resolution) {
          lines.append(other)
        }
        translated = resolution
      } else {
        lines += SchemaDocument.differences(between: state, and: theirs.state)
      }
    }
    var actions: ActionTranslation?
    if let action, wanted.action != own.action {
      // A scope that only receives actions shows no state that could be missed.
      if reader != nil || replica == nil {
        let translation = ActionTranslation(scope: name, from: action, to: theirs.action)
        lines += translation.differences
        actions = translation
      } else {
        lines += SchemaDocument.differences(between: action, and: theirs.action)
      }
    }
    guard lines.isEmpty else { return .failure(Differences(lines: lines)) }
    do throws(CodecError) {
      let state = try translated.map { (it) throws(CodecError) in try TranslatedState(it) }
      return .success(ScopeTranslation(hashes: wanted, state: state, action: actions))
    } catch {
      return .failure(Differences(lines: ["\(error)"]))
    }
  }
}
