import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A running program: what it wrote so far, its input, its end.
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
  private let input: Mutex<FileHandle?>
  private let end = Watched<End?>(nil)

  /// Starts a program with pipes for its three streams.
  init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    name = ([(path as NSString).lastPathComponent] + arguments).joined(separator: " ")
    let pipes = try Spawn.pipes()
    pid = try Spawn.start(path, arguments, environment: environment, pipes: pipes)
    for descriptor in pipes.theirs { close(descriptor) }
    // A program that has gone must be an error to write to, not the end of the tests.
    signal(SIGPIPE, SIG_IGN)
    input = Mutex(FileHandle(fileDescriptor: pipes.input.write, closeOnDealloc: true))
    output = LineReader(pipes.output.read)
    errors = LineReader(pipes.errors.read)
    awaitEnd()
  }

  /// The streams end when the process does, and then asking for its status blocks nobody.
  private func awaitEnd() {
    let (end, pid) = (end, pid)
    let ended = Mutex(0)
    for reader in [output, errors] {
      reader.onEnd {
        guard ended.withLock({ $0 += 1; return $0 }) == 2 else { return }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        let code = status & 0x7f
        end.update { $0 = code == 0 ? .status(status >> 8 & 0xff) : .signal(code) }
      }
    }
  }

  /// Whether it has not ended yet, as far as we know.
  var isRunning: Bool { end.value == nil }

  /// Sends a signal; one that comes too late does nothing.
  func send(signal number: Int32) {
    guard isRunning else { return }
    kill(pid, number)
  }

  /// Writes lines to its standard input.
  func write(lines: [String]) throws {
    let text = lines.map { "\($0)\n" }.joined()
    try input.withLock { try $0?.write(contentsOf: Data(text.utf8)) }
  }

  /// Ends its standard input.
  func closeInput() {
    input.withLock { $0 = nil }
  }

  /// Waits for its end.
  func ended(within time: Duration = .seconds(30)) async throws -> End {
    do {
      return try await end.wait(within: time, for: "the end of \(name)") { $0 }
    } catch {
      throw ProcessFailure("\(error)\n\(report)")
    }
  }

  /// Kills what is left of it, and waits until it is gone.
  func clear() async {
    closeInput()
    send(signal: SIGCONT)
    send(signal: SIGKILL)
    _ = try? await ended(within: .seconds(10))
  }

  /// What it has written, for a failure's text.
  var report: String {
    """
    --- \(name) (pid \(pid), \(isRunning ? "running" : "ended"))
    stdout: \(output.lines.suffix(20).joined(separator: "\n"))
    stderr: \(errors.lines.suffix(20).joined(separator: "\n"))
    """
  }
}

/// Something about a program was not as a test needs it.
struct ProcessFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
