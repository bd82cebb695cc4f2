import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Standard output for commands that print for as long as they run, whatever reads it.
///
/// A thread of its own writes, so that a reader that is slow or stands still never keeps the main
/// loop from its work; it runs nothing but `write`. Everything else belongs to the main actor. What
/// waits is not limited here: who prints looks at ``pendingBytes`` or waits for ``onIdle``.
@MainActor
final class LineWriter {
  /// About so many bytes are handed over at once, so that ending does not wait for much.
  private static let batchBytes = 64 << 10

  /// Called when everything is written, or nothing more can be.
  var onIdle: @MainActor () -> Void = {}
  /// Why nothing can be written any more.
  private(set) var failure: StandardOutput.Written?

  /// What to tell of that; nil where who reads has seen enough.
  var error: CommandError? {
    guard case .failed(let reason)? = failure else { return nil }
    return CommandError(.inputOutput, "Standard output could not be written: \(reason).")
  }

  /// Bytes that wait to be written.
  private(set) var pendingBytes = 0

  private let descriptor: Int32
  private let queue = DispatchQueue(label: "storectl.output")
  /// Whole lines; those from `head` on wait.
  private var batches: [[UInt8]] = []
  private var head = 0
  private var isWriting = false

  init(descriptor: Int32 = StandardOutput.descriptor) { self.descriptor = descriptor }

  /// Calls `body` when nobody reads any more, also while there is nothing to write.
  ///
  /// The thread that waits for it is there until the process ends.
  func whenAbandoned(_ body: @escaping @MainActor () -> Void) {
    DispatchQueue(label: "storectl.reader").async { [descriptor] in
      guard Self.waitUntilAbandoned(descriptor) else { return }
      DispatchQueue.main.async { MainActor.assumeIsolated(body) }
    }
  }

  private nonisolated static func waitUntilAbandoned(_ descriptor: Int32) -> Bool {
    // Nothing is asked for: what comes all the same is that the other end has gone.
    var item = pollfd(fd: descriptor, events: 0, revents: 0)
    while true {
      if poll(&item, 1, -1) > 0 { return Int32(item.revents) & Int32(POLLERR | POLLHUP) != 0 }
      guard errno == EINTR else { return false }
    }
  }

  var isIdle: Bool { !isWriting && pendingBytes == 0 }

  /// Prints a line, as soon as those before it are written.
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

  /// Forgets the lines that wait; what is being written is written to the end of its last line.
  func abandon() {
    batches = []
    head = 0
    pendingBytes = 0
  }

  /// Waits until everything is written, or nothing more can be.
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
