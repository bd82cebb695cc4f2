import GenericState
import Observation
import StoreClient
import StoreProtocol
import StoreReplica
import StoreState

/// What the terminal shows of a daemon as a whole: how it is, what it exposes, what happened.
@MainActor
@Observable
final class DaemonModel {
  /// Something to be said on the last line.
  struct Message: Equatable {
    var text: String
    var isFailure: Bool
    /// Whether it is about what the screen shows, and goes with that.
    var isOfScreen: Bool
  }

  /// The log's entry for a revision.
  struct LogRow: Identifiable, Equatable {
    let id: UInt64
    let time: String
    let who: String
    let what: String
    let changed: String
    /// The names of the scopes that were changed; nil where that is not known.
    let scopes: [String]?
    let duration: String
  }

  /// Asks for something of the past, and takes the answer when it comes.
  typealias AskingPast =
    @MainActor (
      HistoryQuery, @escaping @MainActor (Result<HistoryAnswer, CodecError>) -> Void
    ) -> Void

  static let mostRows = 2_000
  /// How many revisions the log begins with.
  private static let firstRows: UInt64 = 500
  private static let mostSamples = 600
  private static let pausesOfNews = 40

  @ObservationIgnored let client: ReplicaClient
  /// Asks the daemon for something of the past.
  @ObservationIgnored let ask: AskingPast
  /// Waits before a question for the past.
  @ObservationIgnored var breathe: @MainActor () async -> Void = {}
  /// The pause before the last question; one begins when the one before has ended, whoever asks.
  @ObservationIgnored var lastBreath: Task<Void, Never>?
  var scopes: [ScopeDescription]
  /// Since when nothing is heard of the daemon: what is shown is what it was.
  var isStale = false
  /// How many actions have no outcome yet and may still be applied.
  var waitingActions = 0
  var message: Message? { didSet { messageAge = 0 } }
  /// For how many pauses the message has been there.
  @ObservationIgnored private var messageAge = 0
  private(set) var status: DaemonStatus?
  /// Revisions a second, oldest first.
  private(set) var rates: [Double] = []
  /// How many milliseconds answers took, oldest first.
  private(set) var latencies: [Double] = []
  /// For how many seconds the slowest session had not read something, oldest first.
  private(set) var lags: [Double] = []
  /// What happened last, oldest first: ``mostRows`` at most.
  private(set) var log: [LogRow] = []
  /// Whether the daemon has answered what happened.
  private(set) var isLogKnown = false
  /// Why there is no log.
  private(set) var logFailure: String?
  /// What is asked for next; nil as long as nothing was.
  @ObservationIgnored private var pages: LogPages?
  @ObservationIgnored private var isAskingLog = false

  /// Shows a daemon.
  ///
  /// - Parameters:
  ///   - client: The daemon's client.
  ///   - scopes: What the daemon exposes.
  ///   - ask: Asks for something of the past; nil to have the client ask the daemon.
  init(_ client: ReplicaClient, scopes: [ScopeDescription], ask: AskingPast? = nil) {
    self.client = client
    self.ask = ask ?? { client.history($0, $1) }
    self.scopes = scopes
  }

  /// Tells that input had no effect, since others have removed what it was meant for.
  func sayMissing() {
    say(
      "That has had no effect: what it was meant for has gone, or something came before it. Look "
        + "again.",
      isFailure: true,
      isOfScreen: true,
    )
  }

  func say(_ text: String, isFailure: Bool = false, isOfScreen: Bool = false) {
    message = Message(text: text, isFailure: isFailure, isOfScreen: isOfScreen)
  }

  /// A quarter of a second has passed: after ten seconds news have been there long enough.
  ///
  /// Failures stay until somebody clears them.
  func passTime() {
    guard let message, !message.isFailure, !message.isOfScreen else { return }
    messageAge += 1
    if messageAge >= Self.pausesOfNews { self.message = nil }
  }

  /// Something else is shown: forgets what was said of what was shown before.
  func leaveScreen() { if message?.isOfScreen == true { message = nil } }

  // MARK: - How it is

  /// Takes an answer to a question for the daemon's status.
  ///
  /// - Parameters:
  ///   - value: The answer.
  ///   - milliseconds: How long it took.
  ///   - interval: How long ago the one before came, in seconds.
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
      // Whoever sent what was withdrawn for it tells that.
      if client.withdrawnActions == 0 { say("\(event)") }
    case .resynchronizing, .differed: say("\(event)", isFailure: true)
    case .outputsLeftOut: break
    }
  }

  private func describe() {
    client.describe { [weak self] result in
      // Those that are known stay, where the answer makes no sense.
      if case .success(let scopes) = result { self?.scopes = scopes }
    }
  }

  // MARK: - What happened

  /// Asks for what the log does not have yet, from when it is known where that is.
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
      case .failure(let error): self?.logFailure = "The answer makes no sense: \(error)"
      }
    }
  }

  /// Begins the log anew, with what is newest then.
  private func forgetLog() { (log, isLogKnown, pages) = ([], false, nil) }

  /// Takes an answer to a question for the log.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - epoch: The daemon's epoch when it was asked.
  func handle(log answer: HistoryAnswer, of epoch: UInt64?) {
    // The revisions of another history are none of this one.
    guard epoch == client.epoch else { return }
    switch answer {
    case .log(let entries, let reached, let newest):
      var pages = self.pages ?? LogPages(after: 0, count: nil, isFollowed: true)
      do throws(ConnectionError) {
        // Where there is more, that is asked for when it is its time.
        let page = LogPages.Page(entries: entries, reached: reached, newest: newest)
        _ = try pages.take(page)
      } catch {
        logFailure = "\(error)"
        return
      }
      // What is too far behind to be shown is passed over.
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
    )
  }
}
