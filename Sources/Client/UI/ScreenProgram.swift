import StoreClient
import StoreProtocol
import StoreReplica
import TerminalViews

/// Shows a daemon's screen until the user quits or the connection fails.
@MainActor
final class ScreenProgram {
  private static let pause: Duration = .milliseconds(250)
  private static let pausesPerStatus = 4
  /// The pause before a history query.
  private static let breath: Duration = .milliseconds(40)
  /// The silence after which the displayed data counts as old: two missing answers.
  ///
  /// This applies to a daemon that is connected; the connection reports a lost one earlier.
  private static let patience: Duration = .seconds(2)
  /// The number and length of the pauses in which outcomes are awaited at the end.
  private static let (outcomePauses, outcomePause) = (25, Duration.milliseconds(20))

  let daemon: DaemonModel
  /// Called four times a second, to query data that the daemon does not push.
  var onPause: @MainActor () -> Void = {}
  private(set) var isEnded = false
  private let connection: StoreConnection
  private let session: TerminalSession
  private let clock = ContinuousClock()
  private var failure: (any Error)?
  /// The time of the pending query for the daemon's status; nil without one.
  private var askedAt: ContinuousClock.Instant?
  private var answeredAt: ContinuousClock.Instant?

  /// Creates a screen.
  ///
  /// `q` ends it, unless the view handles that key.
  init<Root: View>(
    _ daemon: DaemonModel,
    _ connection: StoreConnection,
    on terminal: any TerminalDevice,
    @ViewBuilder root: @escaping @MainActor () -> Root,
  ) {
    self.daemon = daemon
    self.connection = connection
    let quit = Quit()
    session = TerminalSession(on: terminal) { root().onKey("q") { quit.body() } }
    session.onMiss = { daemon.sayMissing() }
    session.onFault = { daemon.say($0, isFailure: true) }
    quit.body = { [weak self] in self?.end() }
    daemon.breathe = { [weak connection] in
      // After the connection is closed, no further query is sent.
      try? await connection?.pause(for: Self.breath)
    }
    connection.onEvent = { [weak self] in self?.handle($0) }
  }

  /// Shows the screen until ``end(_:)``, and throws the failure that ended it.
  func run() async throws {
    let asking = Task { await ask() }
    await session.run()
    await awaitOutcomes()
    isEnded = true
    asking.cancel()
    tellGivenUp(connection.client.awaitedActions)
    if let failure { throw failure }
  }

  /// Waits briefly for outstanding outcomes.
  private func awaitOutcomes() async {
    for _ in 0..<Self.outcomePauses where connection.client.awaitedActions > 0 && !daemon.isStale {
      do {
        try await connection.pause(for: Self.outcomePause)
      } catch {
        // The connection is closed, so no outcome arrives.
        return
      }
    }
  }

  /// Reports actions whose outcome is no longer awaited.
  private func tellGivenUp(_ count: Int) {
    guard count > 0 else { return }
    Note.print(
      "\(Counted.text(count, "action")) that waited for the daemon \(count == 1 ? "is" : "are") "
        + "given up. "
        + "The actions that were sent may have been applied; the others were not."
    )
  }

  func end(_ failure: (any Error)? = nil) {
    self.failure = self.failure ?? failure
    session.end()
  }

  private func handle(_ event: ConnectionEvent) {
    guard !isEnded else { return }
    daemon.handle(event)
    if let failure = event.end { end(failure) }
  }

  // MARK: - Polled status

  private func ask() async {
    var count = 0
    while !isEnded {
      if count.isMultiple(of: Self.pausesPerStatus) { askForStatus() }
      onPause()
      daemon.passTime()
      if let askedAt, askedAt.duration(to: clock.now) > Self.patience, !daemon.isStale {
        daemon.isStale = true
      }
      let waiting = connection.client.awaitedActions
      if daemon.waitingActions != waiting { daemon.waitingActions = waiting }
      count += 1
      do {
        try await connection.pause(for: Self.pause)
      } catch {
        // The connection is closed, and its waiters are notified.
        return
      }
    }
  }

  private func askForStatus() {
    guard askedAt == nil else { return }
    let start = clock.now
    askedAt = start
    connection.client.status { [weak self] result in
      guard let self else { return }
      askedAt = nil
      // Even an invalid answer shows that the daemon is present.
      guard case .success(let status) = result else { return }
      let (now, before) = (clock.now, answeredAt ?? start)
      answeredAt = now
      daemon.handle(
        status: status,
        after: Double(start.duration(to: now).wholeNanoseconds) / 1_000_000,
        interval: Double(before.duration(to: now).wholeNanoseconds) / 1_000_000_000,
      )
    }
  }
}

/// Ends a screen.
///
/// The view needs it before the screen exists.
@MainActor
private final class Quit {
  var body: @MainActor () -> Void = {}
}
