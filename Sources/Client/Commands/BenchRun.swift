import GenericState
import StoreClient
import StoreProtocol
import StoreReplica
import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Sends actions as fast as they settle, and measures the latency of each.
@MainActor
final class BenchRun {
  private let connection: StoreConnection
  private let target: ClientScope
  private let action: [UInt8]

  private var total = 0
  private var warmUp = 0
  private var started = 0
  private var finished = 0
  /// The time at which each action was sent, in nanoseconds; later its latency.
  @exclusivity(unchecked) private var times: [UInt64] = []
  private var begin: UInt64 = 0
  private var failure: Outcome.Failure?
  /// Whether the daemon, or its history, differs from the one for which consent was given.
  private var hasNewEpoch = false
  private var onEnd: CheckedContinuation<Void, Never>?
  private let progress = ProgressLine()
  /// One closure for all actions, instead of one for each.
  private var onSettled: @MainActor (Outcome) -> Void = { _ in }

  /// Follows the scope, which must exist.
  init(_ daemon: Daemon, _ scope: String, _ action: String) async throws {
    let description = try daemon.description(of: scope)
    self.action = try ActionParser(description: description).action(action)
    connection = daemon.connection
    connection.actionTimeToLive = nil
    // The state is kept up to date, without an observer.
    target = try await daemon.connection.within(Connecting.answerLimit) {
      try await daemon.connection.followed(scope, description: description).scope
    }
    // A weak reference to the object would slow all others, of which each action takes four.
    connection.onEvent = { [unowned self] in if $0.kind == .newEpoch { stop() } }
  }

  isolated deinit { connection.onEvent = { _ in } }

  func report(count: Int, warmUp: Int, window: Int) async throws(CommandError) -> BenchReport {
    guard !hasNewEpoch else { throw Self.cut }
    total = warmUp + count
    self.warmUp = warmUp
    times = Array(repeating: 0, count: total)
    if warmUp == 0 { begin = Self.nanoseconds }
    onSettled = { [self] in settled($0) }
    defer { onSettled = { _ in } }
    await withCheckedContinuation { continuation in
      onEnd = continuation
      for _ in 0..<min(window, total) { next(Self.nanoseconds) }
    }
    let elapsed = Self.nanoseconds - begin
    progress.end()
    guard !hasNewEpoch else { throw Self.cut }
    if let failure {
      let status = OutcomeLine(.failed(failure)).status ?? .tryAgain
      throw CommandError(status, "An action was not applied (\(failure.code)): \(failure.message)")
    }
    return BenchReport(
      latencies: times[warmUp...].sorted(),
      bytes: frameBytes,
      window: window,
      elapsed: elapsed,
    )
  }

  /// Actions in flight finish; no further action is sent.
  private func stop() {
    hasNewEpoch = true
    total = started
  }

  private static var cut: CommandError {
    CommandError(
      .tryAgain,
      "The daemon's history was replaced during the bench, which has ended. Start it again.",
    )
  }

  /// Sends one action; the next follows when one settles.
  private func next(_ now: UInt64) {
    times[started] = now
    started += 1
    connection.submit(action, to: target).whenSettled(onSettled)
  }

  /// Settles the oldest unsettled action: outcomes arrive in the order of their actions.
  private func settled(_ outcome: Outcome) {
    let now = Self.nanoseconds
    times[finished] = now - times[finished]
    finished += 1
    // Progress reads the clock, which would distort the measurement, so it is reported rarely.
    if finished.isMultiple(of: 1_024) { progress.tell("\(finished) of \(total) actions") }
    if finished == warmUp { begin = now }
    if case .failed(let failure) = outcome {
      self.failure = failure
      // Actions in flight finish; no further action is sent.
      total = started
    }
    if started < total {
      next(now)
    } else if finished == total {
      onEnd?.resume()
      onEnd = nil
    }
  }

  /// The bytes of one control frame with one action.
  private var frameBytes: Int {
    let request = ClientMessage.ActionRequest(handle: 1, action: action[...], deadline: nil)
    return ClientMessage.actions(first: UInt64(total), [request]).encoded().count
  }

  private static var nanoseconds: UInt64 {
    var time = timespec()
    // Fails only for a clock that the system does not have.
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// The measurements of a bench.
struct BenchReport {
  /// The latencies in nanoseconds, in ascending order.
  var latencies: [UInt64]
  var bytes: Int
  var window: Int
  var elapsed: UInt64

  var tree: JSONValue {
    [
      "count": .integer(latencies.count), "bytes": .integer(bytes), "window": .integer(window),
      "p50_us": .number(microseconds(0.50)), "p99_us": .number(microseconds(0.99)),
      "actions_per_s": .integer(rate),
    ]
  }

  var text: String {
    "\(Counted.text(latencies.count, "action")) of \(bytes) bytes, \(window) at once: "
      + "p50 \(microseconds(0.50)) µs, p99 \(microseconds(0.99)) µs, \(rate) actions a second"
  }

  private var rate: UInt64 {
    UInt64((Double(latencies.count) / (Double(max(elapsed, 1)) / 1e9)).rounded())
  }

  /// The latency quantile of a fraction of the actions, in microseconds with one decimal.
  private func microseconds(_ part: Double) -> String {
    guard !latencies.isEmpty else { return "0.0" }
    let nanoseconds = latencies[min(latencies.count - 1, Int(Double(latencies.count) * part))]
    let tenths = (nanoseconds + 50) / 100
    return "\(tenths / 10).\(tenths % 10)"
  }
}
