import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Standard output for commands that print continuously, to any reader.
///
/// A separate thread writes, so that a slow or stopped reader never blocks the main loop; it only
/// calls `write`. Everything else belongs to the main actor. The backlog is not limited here:
/// callers check ``pendingBytes`` or wait for ``onIdle``.
@MainActor
final class LineWriter {
  /// The approximate size of a batch, which limits the wait at the end.
  private static let batchBytes = 64 << 10

  /// Called when all lines are written, or when writing has failed.
  var onIdle: @MainActor () -> Void = {}
  /// The reason why writing has failed.
  private(set) var failure: StandardOutput.Written?

  /// The error to report for ``failure``; nil if the reader closed its end.
  var error: CommandError? {
    guard case .failed(let reason)? = failure else { return nil }
    return CommandError(.inputOutput, "Standard output could not be written: \(reason).")
  }

  /// The number of bytes in the backlog.
  private(set) var pendingBytes = 0

  private let descriptor: Int32
  private let queue = DispatchQueue(label: "storectl.output")
  /// Batches of whole lines; those from `head` on are the backlog.
  private var batches: [[UInt8]] = []
  private var head = 0
  private var isWriting = false

  init(descriptor: Int32 = StandardOutput.descriptor) { self.descriptor = descriptor }

  /// Calls `body` when the reader closes its end, even while the backlog is empty.
  ///
  /// The waiting thread exists until the process ends.
  func whenAbandoned(_ body: @escaping @MainActor () -> Void) {
    DispatchQueue(label: "storectl.reader").async { [descriptor] in
      guard Self.waitUntilAbandoned(descriptor) else { return }
      DispatchQueue.main.async { MainActor.assumeIsolated(body) }
    }
  }

  private nonisolated static func waitUntilAbandoned(_ descriptor: Int32) -> Bool {
    // Without requested events, `poll` reports only errors and hang-ups.
    var item = pollfd(fd: descriptor, events: 0, revents: 0)
    while true {
      if poll(&item, 1, -1) > 0 { return Int32(item.revents) & Int32(POLLERR | POLLHUP) != 0 }
      guard errno == EINTR else { return false }
    }
  }

  var isIdle: Bool { !isWriting && pendingBytes == 0 }

  /// Prints a line after those before it.
  func line(_ text: String) {
    guard failure == nil else { return }
    if batches.count == head || batches[batches.count - 1].count >= Self.batchBytes {
      batches.append([])
    }
    let before = batches[batches.count - 1].count
    batches[batches.count - 1].append(contentsOf: text.utf8)
    batches[batches.count - 1].append(0x0A)
    pendingBytes += batches[batches.count - 1].count - before
    startWriting()
  }

  /// Discards the backlog; the batch that is being written is completed.
  func abandon() {
    batches = []
    head = 0
    pendingBytes = 0
  }

  /// Waits until all lines are written, or until writing has failed.
  func drained() async {
    guard !isIdle else { return }
    await withCheckedContinuation { continuation in
      let before = onIdle
      onIdle = { [weak self] in
        self?.onIdle = before
        before()
        continuation.resume()
      }
    }
  }

  private func startWriting() {
    guard !isWriting, let batch = takeBatch() else { return }
    isWriting = true
    queue.async { [descriptor] in
      let written = StandardOutput.write(batch, to: descriptor)
      DispatchQueue.main.async {
        MainActor.assumeIsolated { self.completed(written) }
      }
    }
  }

  private func takeBatch() -> [UInt8]? {
    guard head < batches.count else { return nil }
    let batch = batches[head]
    batches[head] = []
    head += 1
    pendingBytes -= batch.count
    if head == batches.count { abandon() }
    return batch
  }

  private func completed(_ written: StandardOutput.Written) {
    isWriting = false
    if written != .done {
      failure = written
      abandon()
    }
    startWriting()
    if isIdle { onIdle() }
  }
}
