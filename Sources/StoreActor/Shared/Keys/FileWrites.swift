import Dispatch
import Foundation

/// The pending writes to files; only the newest one for each file.
///
/// The changing thread writes if it may wait for a disk and the file was not written in the last
/// second. Otherwise a dedicated queue writes soon.
///
/// Sendable because all mutable state is accessed while `lock` is held.
final class FileWrites: @unchecked Sendable {
  typealias Encode = @Sendable () throws -> Data
  typealias Finish = @Sendable (Result<Void, any Error>) -> Void
  typealias Write = @Sendable (Data, URL) throws -> Void

  static let shared = FileWrites()

  private let lock = NSLock()
  private let queue = DispatchQueue(label: "shared values in files")
  /// Counts the pending writes for waiters.
  private let unwritten = DispatchGroup()
  private var waiting: [URL: Job] = [:]
  /// The writes in progress, on any thread.
  private var underWay: [URL: Encode] = [:]
  /// The times of the last writes.
  private var written: [URL: DispatchTime] = [:]
  private var drainsAtExit = false

  private struct Job {
    var encode: Encode
    var finish: [Finish]
    var write: Write
  }

  /// The pending contents of a file; nil if all is written.
  subscript(url: URL) -> Encode? { lock.withLock { waiting[url]?.encode ?? underWay[url] } }

  /// Writes a file.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - encode: Creates its bytes.
  ///   - finish: Called when it is written, or the write failed.
  ///   - write: Writes bytes.
  func add(
    _ url: URL,
    _ encode: @escaping Encode,
    _ finish: @escaping Finish,
    _ write: @escaping Write,
  ) {
    let mayWait = !SharedProcess.isHost && !SharedLock.isInContext
    let isFirst = lock.withLock {
      if let others = waiting[url]?.finish {
        waiting[url] = Job(encode: encode, finish: others + [finish], write: write)
        return false
      }
      unwritten.enter()
      waiting[url] = Job(encode: encode, finish: [finish], write: write)
      if !drainsAtExit {
        drainsAtExit = true
        atexit { FileWrites.shared.drainAtExit() }
      }
      return true
    }
    guard isFirst else { return }
    if mayWait, !isRecent(url) { perform(url) } else { queue.async { self.perform(url) } }
  }

  private func isRecent(_ url: URL) -> Bool {
    lock.withLock { written[url].map { .now() < $0 + .seconds(1) } ?? false }
  }

  private func perform(_ url: URL) {
    let next = lock.withLock { () -> Job? in
      // Otherwise the present writer of the file continues with this job.
      guard underWay[url] == nil, let job = waiting.removeValue(forKey: url) else { return nil }
      underWay[url] = job.encode
      return job
    }
    guard let next else { return }
    let result = Result { try next.write(try next.encode(), url) }
    let isChanged = lock.withLock {
      underWay[url] = nil
      note(url)
      return waiting[url] != nil
    }
    if isChanged { queue.async { self.perform(url) } }
    unwritten.leave()
    for finish in next.finish { finish(result) }
  }

  private func note(_ url: URL) {
    let now = DispatchTime.now()
    if written.count >= 64 { written = written.filter { now < $0.value + .seconds(1) } }
    written[url] = now
  }

  /// Waits until all files are written.
  ///
  /// - Parameter time: The time limit.
  /// - Returns: The paths of the files that are not written yet.
  func drain(within time: DispatchTimeInterval) -> [String] {
    if unwritten.wait(timeout: .now() + time) == .success { return [] }
    return lock.withLock { Set(waiting.keys).union(underWay.keys).map(\.path).sorted() }
  }

  private func drainAtExit() {
    let files = drain(within: .seconds(5))
    guard !files.isEmpty else { return }
    let text = """
      The program ended before its last changes were written, 5 seconds after the end: \
      \(files.joined(separator: ", ")). These files have what they had before. See whether their \
      disk answers.

      """
    FileHandle.standardError.write(Data(text.utf8))
  }
}
