import Dispatch
import Foundation
import StoreJournal
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The process that is to replace this daemon: the same program, as it is on the disk now.
@MainActor
final class Successor {
  /// The longest time from the release of the directory until it serves.
  static let patience: Int32 = 2_000

  let pid: Int32
  private let channel: HandOverChannel
  private var source: (any DispatchSourceRead)?
  /// Whether it has read the history.
  private(set) var isPrepared = false

  /// Starts the program.
  ///
  /// - Throws: ``HostError``.
  init() throws(HostError) {
    var ends: [Int32] = [-1, -1]
    #if canImport(Glibc)
    let kind = Int32(SOCK_STREAM.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw Self.error(StoreDirectory.systemMessage())
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[1]) }
    let program = LaunchedProgram.current
    var variables = program.environment
    variables.removeAll { $0.hasPrefix("\(HandOverChannel.variable)=") }
    variables.append("\(HandOverChannel.variable)=\(Self.number)")
    do throws(ChildProgram.Failure) {
      pid = try ChildProgram.spawn(
        program.path,
        program.arguments,
        variables,
        moving: [(ends[1], Self.number)],
      )
    } catch {
      close(ends[0])
      throw Self.error(error.reason)
    }
    channel = HandOverChannel(descriptor: ends[0])
  }

  isolated deinit {
    source?.cancel()
    close(channel.descriptor)
  }

  /// The descriptor's number in the new process.
  private static let number: Int32 = 3

  private static func error(_ reason: String) -> HostError {
    HostError(
      .system,
      "\(LaunchedProgram.current.path) could not be started: \(reason).",
      remedy: "The daemon goes on. Check the program's file.",
    )
  }

  /// Waits, on the main queue, until it has read the history, or has ended.
  ///
  /// - Parameter onNews: Called once; true if it is prepared.
  func await(_ onNews: @escaping @MainActor (Bool) -> Void) {
    let source = DispatchSource.makeReadSource(
      fileDescriptor: channel.descriptor,
      queue: .main,
    )
    source.setEventHandler { [weak self] in
      MainActor.assumeIsolated {
        guard let self else { return }
        let reading = self.channel.receive(within: 0)
        guard reading != .timeout else { return }
        self.source?.cancel()
        self.source = nil
        self.isPrepared = reading == .message(.prepared)
        onNews(self.isPrepared)
      }
    }
    source.resume()
    self.source = source
  }

  /// The result of letting it have the directory.
  enum Result {
    case leads
    /// It was ended, because the daemon is to stop.
    case isStopped
    /// It has ended, or was ended: how.
    case failed(String)
  }

  /// Lets it have the directory, which this daemon has released.
  ///
  /// - Parameter isToStop: Whether the daemon is to stop.
  /// - Returns: The result.
  func lead(unless isToStop: () -> Bool) -> Result {
    channel.send(.released)
    let end = LoopClock.nanoseconds + Int64(Self.patience) * 1_000_000
    while LoopClock.nanoseconds < end {
      switch channel.receive(within: 50) {
      case .message(.leading): return .leads
      case .message, .ended: return .failed(ended())
      case .timeout:
        guard isToStop() else { continue }
        stop()
        return .isStopped
      }
    }
    stop()
    return .failed("has not answered within \(Self.patience) ms, was ended,")
  }

  /// Ends it, and waits for its end.
  func stop() {
    kill(pid, SIGKILL)
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
  }

  /// Returns how it has ended, after it has closed the channel or sent an unknown message.
  ///
  /// A process that runs on is ended.
  func ended() -> String {
    var status: Int32 = 0
    // A process closes its files just before its end.
    for _ in 0..<20 {
      let found = waitpid(pid, &status, WNOHANG)
      if found == pid {
        return status & 0x7F == 0
          ? "ended with status \(status >> 8 & 0xFF)" : "ended by signal \(status & 0x7F)"
      }
      _ = poll(nil, 0, 1)
    }
    stop()
    return "has closed its connection, was ended,"
  }
}

/// The command that has started this process.
struct LaunchedProgram: Sendable {
  /// The program's path, absolute, and as it was given: an upgrade may replace a link.
  let path: String
  /// All arguments, with the program's name.
  let arguments: [String]
  let environment: [String]

  /// As it was at the first use.
  static let current = LaunchedProgram()

  private init() {
    arguments = CommandLine.arguments
    let name = CommandLine.arguments.first ?? ""
    if name.contains("/") {
      path = Self.absolute(name)
    } else {
      let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
      let paths = folders.split(separator: ":").map { Self.absolute("\($0)/\(name)") }
      path = paths.first { access($0, X_OK) == 0 } ?? name
    }
    environment = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }.sorted()
  }

  private static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return "\(String(cString: folder))/\(path)"
  }

  /// Replaces this process by the program of this build, whatever the path leads to now.
  ///
  /// It returns only if that fails.
  func restart() {
    var pointers = arguments.map { strdup($0) } + [nil]
    #if os(Linux)
    execv("/proc/self/exe", &pointers)
    #else
    execv(path, &pointers)
    #endif
  }
}
