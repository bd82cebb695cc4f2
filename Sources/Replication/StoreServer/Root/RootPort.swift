package import StoreActor
package import StoreBytes
package import StoreExposures
package import StoreHistory
package import StoreProtocol
import StoreState

/// The protocol's interface to a root store, without the types of its state and actions.
///
/// The layers above are not generic and read no pointers to roots. Only ``TypedRoot``, and closures
/// made for its types, do.
@MainActor
package protocol RootPort: AnyObject {
  /// The number of the newest visible revision: with a journal, the newest that is durable.
  var revision: UInt64 { get }
  /// Whether published revisions are durable.
  var isDurable: Bool { get }
  /// The number of the newest revision that was reduced.
  var newestRevision: UInt64 { get }
  /// The exposures, in their order of declaration.
  var exposed: [ExposedScopes] { get }
  /// Observes every step and output from now on; it must live as long as the root.
  var observer: (any RootObserver)? { get set }

  /// The scope of a name, in any spelling; nil if no exposure has the name, and a failure if the
  /// name does not end in a row's id.
  func scope(called name: String) -> Result<ResolvedScope, CodecError>?

  /// Receives a note of each step that no client has caused.
  var crashNotes: CrashNotes { get set }

  // MARK: Actions

  /// Groups several sends of one origin, which makes them cheaper, and sets their origin.
  func batch(as origin: ActionOrigin, _ sends: () -> Void)

  /// Reduces an action of a scope.
  ///
  /// - Returns: The task of its effects, or of its refusal; nil if its target is absent, and then
  ///   the action has no effect.
  /// - Throws: A `CodecError` if the bytes are not an action of the scope.
  func send(
    _ action: ArraySlice<UInt8>,
    to scope: RootScope,
  ) throws(CodecError) -> StoreTask?

  /// Called for each effect that outlives the sender of its action, with its name and its lineage.
  var onOutliving: (@MainActor (_ name: String, _ lineage: EffectLineage) -> Void)? { get set }

  /// Limits and counts schedules; it must live as long as the root.
  var scheduleObserver: (any ScheduleObserver)? { get set }

  /// The schedules, by their numbers.
  var schedules: [ListedTimer] { get }

  /// Cancels a schedule.
  ///
  /// - Returns: False if there is none of that number.
  func cancelSchedule(_ number: UInt64) -> Bool

  /// Takes the reply to the action that was sent last; nil if there is none.
  func takeReply() -> EncodedReply?

  /// Sends the action for a listed session that joined or left.
  func send(_ event: SessionEvent)

  /// Takes the refusals of actions that no client has sent, since the last call; nil without any.
  func takeRefusals() -> UnansweredRefusals?

  /// Informs the reducer that its daemon starts, without an earlier one: as one revision, if a
  /// reducer asks for it.
  func startFirst()

  /// Sends the actions for a restart, as one revision, if the daemon has restarted.
  ///
  /// - Parameter departed: The listed sessions that have left with the daemon before.
  /// - Returns: A warning for the operator; nil without a problem.
  func restart(after departed: [SessionInfo]) -> String?

  /// Makes a revision without an action.
  func advance()

  /// Whether effects are ready and wait for ``startEffects()``.
  var hasEffectsToStart: Bool { get }

  /// Starts the effects of released revisions, whose frames have been sent.
  func startEffects()

  // MARK: Steps

  /// Notifies the observer of all steps up to a revision, which has become durable.
  func release(through revision: UInt64)

  /// The journal has failed: it is unknown whether unreleased revisions are durable.
  ///
  /// - Parameter reason: The reason for the failure.
  func fail(_ reason: String)

  /// Notifies the observer of a scope's changes from now on, by its number among followed scopes.
  func follow(_ scope: RootScope, as number: Int)

  /// Stops notifying the observer of a scope's changes.
  func unfollow(_ scope: RootScope)

  /// Writes the delta of a scope for the current step; called by the observer only.
  ///
  /// - Returns: False if there is no change; then the encoder stays as it was.
  func encodeDelta(of scope: RootScope, into encoder: inout CBOREncoder) -> Bool

  /// The digest of a scope's state after the newest reduced revision, in O(its size).
  func newestDigest(of scope: RootScope) -> Digest

  /// The digest of a scope's newest visible state.
  func digest(of scope: RootScope) -> Digest

  /// Returns the rows of an exposure whose ids begin with a text, in the newest visible state and
  /// within the rights; empty if there is no such exposure.
  func rows(_ query: RowQuery, _ rights: Rights, _ limits: Limits) -> RowAnswer

  // MARK: Versions

  /// The newest visible version.
  func version() -> RootVersion

  /// The version of a revision; nil when it is not kept.
  func version(at revision: UInt64) -> RootVersion?

  /// Forgets some of the versions that a restart has kept for returning clients.
  func letVersionsGo()

  /// Writes a root in its durable form, if there is a journal.
  var encodeDurably: (@Sendable (ErasedScope.Place, inout CBOREncoder) -> Void)? { get }

  /// Returns a closure that answers a history query on any thread; nil if the query names a scope
  /// that does not exist for the caller.
  func past(_ query: HistoryQuery, _ rights: Rights, _ limits: Limits) -> HistoryJob.Answer?

  /// Releases the store, which can then be used locally.
  func detach()
}

/// Observes a root.
@MainActor
package protocol RootObserver: AnyObject {
  /// A step may have changed a followed scope; called once for each scope, during the step.
  func mayHaveChanged(_ scope: RootScope, at revision: UInt64)

  /// All scopes that a step may have changed have been reported.
  func stepped(to revision: UInt64)

  /// A followed scope has emitted an output.
  func put(_ output: any Sendable, of scope: RootScope, at revision: UInt64)
}

/// A root at a revision, for use on any thread.
// Sound: the root at the place never changes, and roots are Sendable.
package final class RootVersion: @unchecked Sendable {
  package let revision: UInt64
  private let place: ErasedScope.Place
  private let release: () -> Void

  /// Copies a root.
  init<Root: Sendable>(_ root: Root, revision: UInt64) {
    self.revision = revision
    let copy = UnsafeMutablePointer<Root>.allocate(capacity: 1)
    copy.initialize(to: root)
    place = UnsafeRawPointer(copy)
    release = {
      copy.deinitialize(count: 1)
      copy.deallocate()
    }
  }

  deinit { release() }

  /// Reads the root.
  func read<Result>(_ body: (ErasedScope.Place) -> Result) -> Result {
    withExtendedLifetime(self) { body(place) }
  }
}
