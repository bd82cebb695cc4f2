import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A running program: its output so far, its input, its end.
final class ChildProcess: Sendable {
  /// How a process ended.
  enum End: Hashable, Sendable {
    case status(Int32)
    case signal(Int32)
  }

  let name: String
  let pid: pid_t
  /// The whole lines of its standard output.
  let output: LineReader
  /// The whole lines of its standard error.
  let errors: LineReader
  private let input: InputWriter
  private let end: Watched<End?>

  /// Starts a program with pipes for its three streams.
  init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    name = ([path.split(separator: "/").last.map(String.init) ?? path] + arguments)
      .joined(separator: " ")
    let started = try Spawn.start(path, arguments, environment: environment)
    let pid = started.pid
    self.pid = pid
    input = InputWriter(started.input, label: "input of \(pid)")
    let end = Watched<End?>(nil)
    self.end = end
    // The streams end with the process; after that a request for its status does not block.
    let open = Open(count: 2) { end.update { $0 = Self.reap(pid) } }
    output = LineReader(started.output, onEnd: open.close)
    errors = LineReader(started.errors, onEnd: open.close)
  }

  private static func reap(_ pid: pid_t) -> End {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    let number = status & 0x7f
    return number == 0 ? .status(status >> 8 & 0xff) : .signal(number)
  }

  /// Whether no end of the process is known yet.
  var isRunning: Bool { end.value == nil }

  /// The resident memory in bytes, if the system reports it; else 0.
  func residentBytes() throws -> Int {
    #if os(Linux)
    let status = try String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8)
    let pages = status.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    guard let pages else { throw ProcessFailure("This is no count of pages: \(status)") }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    #else
    return 0
    #endif
  }

  /// The number of bytes that it has written to disks, if the system reports it; else 0.
  func writtenBytes() throws -> Int {
    #if os(Linux)
    let text = try String(contentsOfFile: "/proc/\(pid)/io", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("write_bytes: ") }
    guard let count = line.flatMap({ Int($0.dropFirst("write_bytes: ".count)) }) else {
      throw ProcessFailure("This is no count of bytes: \(text)")
    }
    return count
    #else
    return 0
    #endif
  }

  /// Sends a signal; after the process's end it has no effect.
  func send(signal number: Int32) {
    guard isRunning else { return }
    kill(pid, number)
  }

  /// Appends lines to its standard input, at the pace at which it reads them.
  func write(lines: [String]) { input.write(lines.map { "\($0)\n" }.joined()) }

  /// Ends its standard input after the text that was written before.
  func closeInput() { input.close() }

  /// Waits for its end.
  func ended(within time: Duration = .seconds(30)) async throws -> End {
    try await end.wait(within: time, for: "the end of \(name)") { $0 }
  }

  /// Kills the process if it still runs, and waits for its end.
  func clear() async {
    closeInput()
    send(signal: SIGKILL)
    // Tests have no remedy for a process that survives SIGKILL.
    _ = try? await ended(within: .seconds(10))
  }

  /// Its output and errors, for a failure's text.
  var report: String {
    """
    --- \(name) (pid \(pid), \(end.value.map { "\($0)" } ?? "running"))
    stdout: \(output.lines.suffix(10).joined(separator: "\n"))
    stderr: \(errors.lines.suffix(10).joined(separator: "\n"))
    """
  }
}

/// Writes to a pipe on a queue of its own, because a full pipe blocks.
private final class InputWriter: Sendable {
  private let queue: DispatchQueue
  private let descriptor: Mutex<Int32?>

  init(_ descriptor: Int32, label: String) {
    // A write to a program that has ended must be an error and not end the tests.
    signal(SIGPIPE, SIG_IGN)
    queue = DispatchQueue(label: label)
    self.descriptor = Mutex(descriptor)
  }

  func write(_ text: String) {
    queue.async { [self] in
      guard let descriptor = descriptor.withLock({ $0 }) else { return }
      var bytes = Array(text.utf8)[...]
      while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
          bytes = bytes.dropFirst(count)
        } else if errno != EINTR {
          return
        }
      }
    }
  }

  func close() {
    queue.async { [self] in
      let open = descriptor.withLock { descriptor in
        defer { descriptor = nil }
        return descriptor
      }
      if let open { Glibc.close(open) }
    }
  }
}

/// Counts the open streams down, and calls a closure at 0.
private final class Open: Sendable {
  private let count: Mutex<Int>
  private let onZero: @Sendable () -> Void

  init(count: Int, onZero: @escaping @Sendable () -> Void) {
    self.count = Mutex(count)
    self.onZero = onZero
  }

  func close() {
    let left = count.withLock { count in
      count -= 1
      return count
    }
    if left == 0 { onZero() }
  }
}

/// A program did not meet a test's expectation.
struct ProcessFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
