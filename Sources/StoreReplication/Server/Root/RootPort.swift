package import StoreActor
package import StoreState

/// A root store as the protocol sees it, without the types of its state and actions.
///
/// Everything above is not generic, and reads no pointer to a root: ``TypedRoot`` does, and
/// closures that were made for its types.
@MainActor
package protocol RootPort: AnyObject {
  /// The number of the newest revision that may be told of: where there is a journal, the newest
  /// that is durable.
  var revision: UInt64 { get }
  /// Whether what is told of is durable.
  var isDurable: Bool { get }
  /// The number of the newest revision that was reduced.
  var newestRevision: UInt64 { get }
  /// What clients may see, in the order in which it was exposed.
  var exposed: [ExposedScopes] { get }
  /// Is told of every step and output from now on; it must live as long as the root.
  var observer: (any RootObserver)? { get set }

  // MARK: Actions

  /// Makes several sends of one origin cheaper, and says whose they are.
  func batch(as origin: ActionOrigin, _ sends: () -> Void)

  /// Reduces an action of a scope.
  ///
  /// - Returns: What follows from it; nil when what it is for is not there, and then nothing has
  ///   happened.
  /// - Throws: where the bytes are not an action of the scope.
  func send(
    _ action: ArraySlice<UInt8>,
    to scope: RootScope,
  ) throws(CodecError) -> StoreTask?

  /// Tells the reducer that a listed session came or went.
  func send(_ event: SessionEvent)

  /// Tells the reducer that its daemon has started again, as one revision, if it has.
  ///
  /// - Returns: What the operator should know; nil when all is well.
  func restart() -> String?

  /// Makes a revision in which nothing is reduced.
  func advance()

  /// Whether effects wait for ``startEffects()`` that may start.
  var hasEffectsToStart: Bool { get }

  /// Starts the effects of what may be told of; it has been told.
  func startEffects()

  // MARK: Steps

  /// Tells the observer of all steps up to a revision, which has become durable.
  func release(through revision: UInt64)

  /// Nothing that was not released will be durable as far as anybody knows.
  ///
  /// - Parameter reason: Why.
  func fail(_ reason: String)

  /// Tells the observer of a scope's changes from now on, by its number among those followed.
  func follow(_ scope: RootScope, as number: Int)

  /// Tells nothing of a scope any more.
  func unfollow(_ scope: RootScope)

  /// Writes what the step in progress changed in a scope: to be called by the observer only.
  ///
  /// - Returns: False when that is nothing, and then nothing is written.
  func encodeDelta(of scope: RootScope, into encoder: inout CBOREncoder) -> Bool

  /// The digest of a scope's newest state that may be told of.
  func digest(of scope: RootScope) -> Digest

  /// Which rows of an exposure have ids that begin with a text, in the newest state that may be
  /// told of and as far as the rights allow; none where there is no such exposure.
  func rows(_ query: RowQuery, _ rights: Rights, _ limits: Limits) -> RowAnswer

  // MARK: Versions

  /// The newest version that may be told of.
  func version() -> RootVersion

  /// The version of a revision; nil when it is not kept.
  func version(at revision: UInt64) -> RootVersion?

  /// Writes a root in its durable form, where there is a journal.
  var encodeDurably: (@Sendable (ScopeSource.Place, inout CBOREncoder) -> Void)? { get }

  /// How a question for the past is answered, on any thread; nil when it is for a scope that does
  /// not exist for whoever asks.
  func past(
    _ query: HistoryQuery,
    _ rights: Rights,
  ) -> (@Sendable (any HistorySource) -> HistoryAnswer)?

  /// Lets the store go on by itself.
  func detach()
}

/// Is told what happens to a root.
@MainActor
package protocol RootObserver: AnyObject {
  /// A step may have changed a followed scope; comes once for each, in the middle of the step.
  func mayHaveChanged(_ scope: RootScope, at revision: UInt64)

  /// All scopes that a step may have changed were told of.
  func stepped(to revision: UInt64)

  /// An output belongs to a followed scope.
  func put(_ output: any Sendable, of scope: RootScope, at revision: UInt64)
}

/// A root at some revision, for use on any thread.
// Sound: what is at the place never changes, and roots are Sendable.
package final class RootVersion: @unchecked Sendable {
  package let revision: UInt64
  private let place: ScopeSource.Place
  private let release: () -> Void

  /// A copy of a root.
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

  /// Looks at the root.
  func read<Result>(_ body: (ScopeSource.Place) -> Result) -> Result {
    withExtendedLifetime(self) { body(place) }
  }
}
