import GenericState
import Observation
import StoreProtocol

/// A scope's past, through whose revisions somebody goes to and fro.
///
/// What was read last stays to be seen while another revision is asked for, and of several that are
/// wanted meanwhile only the last one is read.
@MainActor
@Observable
final class PastScope {
  /// The least that a page leads to.
  private static let leastPage: UInt64 = 10
  /// How many pages lead from one end to the other.
  private static let pages: UInt64 = 20

  /// The revision that is wanted.
  private(set) var wanted: UInt64
  /// What was read last; nil as long as nothing was.
  private(set) var moment: PastMoment?
  /// Why what is wanted is not shown.
  private(set) var failure: String?
  /// The first revision whose state may be kept.
  private(set) var oldest: UInt64 = 0
  /// Reads what is wanted; nil while that is shown.
  private(set) var reading: Task<Void, Never>?
  @ObservationIgnored private let daemon: DaemonModel
  @ObservationIgnored private let states: PastStates
  @ObservationIgnored private let liveRevision: @MainActor () -> UInt64
  /// Is told where there is no past to go to.
  @ObservationIgnored private let onNone: @MainActor (_ reason: String) -> Void

  /// Begins to look at the past.
  ///
  /// - Parameters:
  ///   - scope: Whose past.
  ///   - daemon: Whose scope.
  ///   - revision: The revision to begin with.
  ///   - onNone: Is told when there is none, and why.
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

  /// It is not looked at any more: what is still answered is of no interest.
  func end() { reading?.cancel() }

  /// The newest revision: from there on it is the present.
  var newest: UInt64 { max(liveRevision(), wanted) }

  /// How far a page leads.
  var page: UInt64 { max(Self.leastPage, (newest - min(oldest, newest)) / Self.pages) }

  /// Wants another revision.
  ///
  /// - Returns: False where that is not the past any more.
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

  /// That a revision is older than those that are kept.
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

  /// Asks where history begins: a part of it may not be kept any more.
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
