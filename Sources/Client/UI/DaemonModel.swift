import GenericState
import Observation
import StoreClient
import StoreProtocol
import StoreReplica
import StoreState

/// The terminal's model of a whole daemon: its status, its scopes, and its log.
@MainActor
@Observable
final class DaemonModel {
  /// A message on the last line.
  struct Message: Equatable {
    var text: String
    var isFailure: Bool
    /// Whether the message concerns the current screen, and is removed when another one is shown.
    var isOfScreen: Bool
  }

  /// The log's entry for a revision.
  struct LogRow: Identifiable, Equatable {
    let id: UInt64
    let time: String
    let who: String
    let what: String
    let changed: String
    /// The names of the scopes that the revision changed; nil if unknown.
    let scopes: [String]?
    let duration: String
    /// The answer, the causes and the consequences, one line each.
    let notes: [String]
  }

  /// Sends a history query, and passes the answer on when it arrives.
  typealias AskingPast =
    @MainActor (
      HistoryQuery, @escaping @MainActor (Result<HistoryAnswer, CodecError>) -> Void
    ) -> Void

  static let mostRows = 2_000
  /// The number of revisions that the log first requests.
  private static let firstRows: UInt64 = 500
  private static let mostSamples = 600
  private static let pausesOfNews = 40

  @ObservationIgnored let client: ReplicaClient
  /// Sends a history query to the daemon.
  @ObservationIgnored let ask: AskingPast
  /// Waits before a history query.
  @ObservationIgnored var breathe: @MainActor () async -> Void = {}
  /// The pause before the last query.
  ///
  /// A pause begins after the previous one ends, for all callers.
  @ObservationIgnored var lastBreath: Task<Void, Never>?
  var scopes: [ScopeDescription]
  /// Whether the daemon is silent or disconnected, so that the displayed data is old.
  var isStale = false
  /// The number of actions that have no outcome yet and may still be applied.
  var waitingActions = 0
  var message: Message? { didSet { messageAge = 0 } }
  /// The number of pauses for which the message has been shown.
  @ObservationIgnored private var messageAge = 0
  private(set) var status: DaemonStatus?
  /// Revisions per second, oldest first.
  private(set) var rates: [Double] = []
  /// The latency of answers in milliseconds, oldest first.
  private(set) var latencies: [Double] = []
  /// The age of the oldest unread message of the slowest session, in seconds, oldest first.
  private(set) var lags: [Double] = []
  /// The newest revisions, oldest first: at most ``mostRows``.
  private(set) var log: [LogRow] = []
  /// Whether the daemon has answered a query for the log.
  private(set) var isLogKnown = false
  /// The reason why there is no log.
  private(set) var logFailure: String?
  /// The position of the next query; nil before the first one.
  @ObservationIgnored private var pages: LogPages?
  @ObservationIgnored private var isAskingLog = false

  /// Creates the model of a daemon.
  ///
  /// - Parameters:
  ///   - client: The daemon's client.
  ///   - scopes: The scopes that the daemon exposes.
  ///   - ask: Sends a history query; nil to let the client send it to the daemon.
  init(_ client: ReplicaClient, scopes: [ScopeDescription], ask: AskingPast? = nil) {
    self.client = client
    self.ask = ask ?? { client.history($0, $1) }
    self.scopes = scopes
  }

  /// Reports that input had no effect, since another client removed its target.
  func sayMissing() {
    say(
      "That has had no effect: its target was removed, or another change preceded it. Look again.",
      isFailure: true,
      isOfScreen: true,
    )
  }

  func say(_ text: String, isFailure: Bool = false, isOfScreen: Bool = false) {
    message = Message(text: text, isFailure: isFailure, isOfScreen: isOfScreen)
  }

  /// Removes a message after forty calls, which are a quarter of a second apart.
  ///
  /// Failures, and messages of the screen, stay until they are cleared.
  func passTime() {
    guard let message, !message.isFailure, !message.isOfScreen else { return }
    messageAge += 1
    if messageAge >= Self.pausesOfNews { self.message = nil }
  }

  /// Removes a message that concerns the previous screen.
  func leaveScreen() { if message?.isOfScreen == true { message = nil } }

  // MARK: - How it is

  /// Handles an answer to a query for the daemon's status.
  ///
  /// - Parameters:
  ///   - value: The answer.
  ///   - milliseconds: The latency of the answer.
  ///   - interval: The time since the previous answer, in seconds.
  func handle(status value: GenericValue, after milliseconds: Double, interval: Double) {
    let new = DaemonStatus(value)
    if let old = status, old.epoch == new.epoch, new.revision >= old.revision, interval > 0 {
      Self.add(Double(new.revision - old.revision) / interval, to: &rates)
    }
    Self.add(milliseconds, to: &latencies)
    Self.add(Double(new.backlog.milliseconds) / 1_000, to: &lags)
    status = new
    isStale = false
  }

  private static func add(_ sample: Double, to samples: inout [Double]) {
    samples.append(sample)
    if samples.count > mostSamples { samples.removeFirst(samples.count - mostSamples) }
  }

  func handle(_ event: ConnectionEvent) {
    switch event.kind {
    case .connected:
      isStale = false
      describe()
    case .silent, .sessionEnded, .closed, .refused: isStale = true
    case .newEpoch:
      forgetLog()
      // The outcomes of withdrawn actions report the new epoch.
      if client.withdrawnActions == 0 { say("\(event)") }
    case .resynchronizing, .differed: say("\(event)", isFailure: true)
    case .outputsLeftOut: break
    }
  }

  private func describe() {
    client.describe { [weak self] result in
      // If the answer is invalid, the known scopes stay.
      if case .success(let scopes) = result { self?.scopes = scopes }
    }
  }

  // MARK: - The log

  /// Requests the revisions that the log lacks, once the daemon's status is known.
  func askForLog() {
    guard !isAskingLog, let status, status.epoch == client.epoch else { return }
    isAskingLog = true
    let start = status.revision - min(status.revision, Self.firstRows)
    let pages = self.pages ?? LogPages(after: start, count: nil, isFollowed: true)
    self.pages = pages
    let query = HistoryQuery.log(after: pages.next, count: pages.count, scope: nil, client: nil)
    ask(query) { [weak self, epoch = client.epoch] result in
      self?.isAskingLog = false
      switch result {
      case .success(let answer): self?.handle(log: answer, of: epoch)
      case .failure(let error): self?.logFailure = "The answer is invalid: \(error)"
      }
    }
  }

  /// Clears the log, which then restarts with the newest revisions.
  private func forgetLog() { (log, isLogKnown, pages) = ([], false, nil) }

  /// Handles an answer to a query for the log.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - epoch: The daemon's epoch at the time of the query.
  func handle(log answer: HistoryAnswer, of epoch: UInt64?) {
    // Revisions of another epoch belong to another history.
    guard epoch == client.epoch else { return }
    switch answer {
    case .log(let entries, let reached, let newest):
      var pages = self.pages ?? LogPages(after: 0, count: nil, isFollowed: true)
      do throws(ConnectionError) {
        // Further entries are requested with the next query.
        let page = LogPages.Page(entries: entries, reached: reached, newest: newest)
        _ = try pages.take(page)
      } catch {
        logFailure = "\(error)"
        return
      }
      // A log that lags by more than `mostRows` restarts with the newest revisions.
      guard newest < reached || newest - reached <= UInt64(Self.mostRows) else {
        return forgetLog()
      }
      self.pages = pages
      (isLogKnown, logFailure) = (true, nil)
      log += entries.map { row($0) }
      if log.count > Self.mostRows { log.removeFirst(log.count - Self.mostRows) }
    case .failed(let error): logFailure = error.message
    case .state, .verified: logFailure = "\(Past.otherAnswer)"
    }
  }

  private func row(_ entry: GenericValue) -> LogRow {
    let line = LogLine(entry) { [scopes] in scopes.action($0, of: $1) }
    let revision =
      if case .unsigned(let number)? = entry[field: "revision"] { number } else {
        UInt64.zero
      }
    return LogRow(
      id: revision,
      time: line.time,
      who: line.who,
      what: line.what,
      changed: line.changed,
      scopes: line.scopes,
      duration: line.duration,
      notes: line.notes,
    )
  }
}
