import StoreActor
import StoreState

@testable import StoreExposures
@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// A root that counts the server's calls.
@MainActor
final class RootProbe: RootPort {
  private let root: any RootPort
  private(set) var deltas = 0
  private(set) var digests = 0
  private(set) var follows = 0
  private(set) var unfollows = 0
  /// The origins of the actions, batch by batch.
  private(set) var origins: [ActionOrigin] = []
  /// The number of actions that it was given, and the number that it has taken.
  private(set) var sends = (given: 0, taken: 0)
  /// Called before and after it is given an action, and when it starts effects.
  var onLook: () -> Void = {}

  init(_ root: any RootPort) { self.root = root }

  var revision: UInt64 { root.revision }
  var isDurable: Bool { root.isDurable }
  var newestRevision: UInt64 { root.newestRevision }
  var hasEffectsToStart: Bool { root.hasEffectsToStart }
  var encodeDurably: (@Sendable (ErasedScope.Place, inout CBOREncoder) -> Void)? {
    root.encodeDurably
  }
  var exposed: [ExposedScopes] { root.exposed }
  var observer: (any RootObserver)? {
    get { root.observer }
    set { root.observer = newValue }
  }

  var crashNotes: CrashNotes {
    get { root.crashNotes }
    set { root.crashNotes = newValue }
  }

  var onOutliving: (@MainActor (_ name: String, _ lineage: EffectLineage) -> Void)? {
    get { root.onOutliving }
    set { root.onOutliving = newValue }
  }

  var scheduleObserver: (any ScheduleObserver)? {
    get { root.scheduleObserver }
    set { root.scheduleObserver = newValue }
  }

  var schedules: [ListedTimer] { root.schedules }

  func cancelSchedule(_ number: UInt64) -> Bool { root.cancelSchedule(number) }

  func newestDigest(of scope: RootScope) -> Digest { root.newestDigest(of: scope) }

  func startFirst() { root.startFirst() }

  func takeReply() -> EncodedReply? { root.takeReply() }

  func takeRefusals() -> UnansweredRefusals? { root.takeRefusals() }

  func scope(called name: String) -> Result<ResolvedScope, CodecError>? {
    root.scope(called: name)
  }

  func batch(as origin: ActionOrigin, _ sends: () -> Void) {
    origins.append(origin)
    root.batch(as: origin, sends)
  }

  func send(_ action: ArraySlice<UInt8>, to scope: RootScope) throws(CodecError) -> StoreTask? {
    sends.given += 1
    onLook()
    let task = try root.send(action, to: scope)
    if task != nil { sends.taken += 1 }
    onLook()
    return task
  }

  func send(_ event: SessionEvent) { root.send(event) }

  func restart(after departed: [SessionInfo]) -> String? { root.restart(after: departed) }

  func past(_ query: HistoryQuery, _ rights: Rights, _ limits: Limits) -> HistoryJob.Answer? {
    root.past(query, rights, limits)
  }

  func advance() { root.advance() }

  func fail(_ reason: String) { root.fail(reason) }

  func follow(_ scope: RootScope, as number: Int) {
    follows += 1
    root.follow(scope, as: number)
  }

  func unfollow(_ scope: RootScope) {
    unfollows += 1
    root.unfollow(scope)
  }

  func encodeDelta(of scope: RootScope, into encoder: inout CBOREncoder) -> Bool {
    deltas += 1
    return root.encodeDelta(of: scope, into: &encoder)
  }

  func digest(of scope: RootScope) -> Digest {
    digests += 1
    return root.digest(of: scope)
  }

  func rows(_ query: RowQuery, _ rights: Rights, _ limits: Limits) -> RowAnswer {
    root.rows(query, rights, limits)
  }

  func version() -> RootVersion { root.version() }

  func letVersionsGo() { root.letVersionsGo() }

  func version(at revision: UInt64) -> RootVersion? { root.version(at: revision) }

  func startEffects() {
    onLook()
    root.startEffects()
    onLook()
  }

  func release(through revision: UInt64) { root.release(through: revision) }

  func detach() { root.detach() }
}
