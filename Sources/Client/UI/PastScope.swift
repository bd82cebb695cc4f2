import GenericState
import Observation
import StoreProtocol

/// A scope's past, with a position that moves among its revisions.
///
/// The last state that was read stays visible while another revision is requested. Of several
/// requests that arrive meanwhile, only the last one is read.
@MainActor
@Observable
final class PastScope {
  /// The fewest revisions of a page.
  private static let leastPage: UInt64 = 10
  /// The number of pages from one end of the history to the other.
  private static let pages: UInt64 = 20

  /// The requested revision.
  private(set) var wanted: UInt64
  /// The state that was read last; nil before the first one.
  private(set) var moment: PastMoment?
  /// The reason why the requested revision is not shown.
  private(set) var failure: String?
  /// The first revision whose state may be kept.
  private(set) var oldest: UInt64 = 0
  /// The task that reads the requested revision; nil while that one is shown.
  private(set) var reading: Task<Void, Never>?
  @ObservationIgnored private let daemon: DaemonModel
  @ObservationIgnored private let states: PastStates
  @ObservationIgnored private let liveRevision: @MainActor () -> UInt64
  /// Called if the past cannot be read.
  @ObservationIgnored private let onNone: @MainActor (_ reason: String) -> Void

  /// Begins to read the past.
  ///
  /// - Parameters:
  ///   - scope: The scope.
  ///   - daemon: The scope's daemon.
  ///   - revision: The revision to begin with.
  ///   - onNone: Called with the reason if the past cannot be read.
  init(
    _ scope: WatchedScope,
    of daemon: DaemonModel,
    at revision: UInt64,
    onNone: @escaping @MainActor (_ reason: String) -> Void,
  ) {
    self.daemon = daemon
    self.onNone = onNone
    wanted = revision
    states = PastStates(scope.name, scope.description, of: daemon)
    liveRevision = { [weak scope, weak daemon] in
      max(scope?.revision ?? 0, daemon?.status?.revision ?? 0)
    }
    read(findingOldest: true)
  }

  isolated deinit { end() }

  /// Cancels the reads, whose answers are no longer needed.
  func end() { reading?.cancel() }

  /// The newest revision, at which the present begins.
  var newest: UInt64 { max(liveRevision(), wanted) }

  /// The number of revisions of a page.
  var page: UInt64 { max(Self.leastPage, (newest - min(oldest, newest)) / Self.pages) }

  /// Requests another revision.
  ///
  /// - Returns: False if the revision is not in the past.
  func go(to revision: UInt64) -> Bool {
    guard revision < liveRevision() else { return false }
    let revision = max(revision, oldest)
    failure = nil
    wanted = revision
    if reading == nil, moment?.revision != revision { read() }
    return true
  }

  private func read(findingOldest: Bool = false) {
    reading = Task { [weak self] in
      if findingOldest { await self?.findOldest() }
      while let self, !Task.isCancelled, failure == nil, moment?.revision != wanted {
        await readMoment(at: wanted)
      }
      self?.reading = nil
    }
  }

  /// The message for a revision that is older than the kept ones.
  static func absence(of revision: UInt64, _ oldest: UInt64) -> String {
    "Revision \(revision) is not kept any more: the oldest one is \(oldest)."
  }

  private func readMoment(at revision: UInt64) async {
    do throws(HistoryError) {
      moment = try await states.moment(at: revision)
    } catch {
      guard wanted == revision, !Task.isCancelled else { return }
      failure = error.message
      if moment == nil { onNone(error.message) }
    }
  }

  /// Finds the oldest revision of the history, since its beginning may have been trimmed.
  private func findOldest() async {
    let query = HistoryQuery.log(after: 0, count: 1, scope: nil, client: nil)
    guard case .log(let entries, _, _)? = try? await daemon.past(query),
      let revision = entries.first?[field: "revision"], case .unsigned(let first) = revision
    else { return }
    oldest = first - min(first, 1)
    guard wanted < oldest, !Task.isCancelled else { return }
    daemon.say(Self.absence(of: wanted, oldest), isFailure: true, isOfScreen: true)
    wanted = oldest
  }
}
