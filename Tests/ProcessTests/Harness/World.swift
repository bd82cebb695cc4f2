import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A program of this package that tests start.
enum Program: String, Sendable {
  case stored
  case storectl
  case strangerDaemon = "StrangerDaemon"
  case serialProbe = "SerialProbe"
  case closingClient = "ClosingClient"
  case journalProbe = "JournalProbe"
  case simulator

  /// The path of the built program: beside the tests, unless `PROGRAMS` names another folder.
  var path: String {
    get throws {
      if let folder = ProcessInfo.processInfo.environment["PROGRAMS"] {
        return "\(folder)/\(rawValue)"
      }
      let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      let bundle = Bundle.main.bundlePath
      let folders = [(tests as NSString).deletingLastPathComponent, bundle]
      for folder in folders + [(bundle as NSString).deletingLastPathComponent] {
        let path = "\(folder)/\(rawValue)"
        if FileManager.default.isExecutableFile(atPath: path) { return path }
      }
      throw ProcessFailure(
        "The program \(rawValue) is not built in \(folders.joined(separator: " or ")). "
          + "Run: swift build --build-tests"
      )
    }
  }
}

/// All processes of one test, with a private directory that is removed at its end.
final class World: Sendable {
  /// The directory: short, because a socket's path is limited to 107 bytes.
  let directory: String
  private let processes = Mutex<[ChildProcess]>([])

  private init(_ folder: String?) throws {
    let own = NSTemporaryDirectory().hasSuffix("/") ? NSTemporaryDirectory() : "/tmp/"
    let folder = folder ?? own
    var template = Array("\(folder)store-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ProcessFailure("No directory in \(folder): \(String(cString: strerror(errno)))")
    }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Runs a test's body, and ends all processes that it started, also when it throws.
  ///
  /// - Parameters:
  ///   - folder: The parent of its directory; the folder of temporary files by default.
  ///   - body: The body.
  /// - Returns: The body's result.
  /// - Throws: The body's error, with the output of the programs.
  static func run<Result>(
    in folder: String? = nil,
    _ body: (World) async throws -> Result,
  ) async throws -> Result {
    let world = try World(folder)
    do {
      let result = try await body(world)
      await world.clear()
      return result
    } catch {
      let report = world.processes.withLock { $0.map(\.report).joined(separator: "\n") }
      await world.clear()
      throw ProcessFailure("\(error)\n\(report)")
    }
  }

  private func clear() async {
    for process in processes.withLock({ $0 }) { await process.clear() }
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// Starts a program.
  func start(
    _ program: Program,
    _ arguments: [String] = [],
    environment: [String: String] = [:],
  ) throws -> ChildProcess {
    let process = try ChildProcess(program.path, arguments, environment: environment)
    processes.withLock { $0.append(process) }
    return process
  }

  /// Starts a program that is not of this package.
  func start(
    path: String,
    _ arguments: [String],
    environment: [String: String] = [:],
  ) throws -> ChildProcess {
    let process = try ChildProcess(path, arguments, environment: environment)
    processes.withLock { $0.append(process) }
    return process
  }

  /// Starts a program with a limit of open files.
  func start(
    _ program: Program,
    _ arguments: [String],
    limitingDescriptorsTo count: Int,
  ) throws -> ChildProcess {
    try start(program, arguments, script: "ulimit -n \(count); exec \"$0\" \"$@\"")
  }

  /// Starts a program by a shell's script, in which it is `$0` and its arguments are `$@`.
  func start(
    _ program: Program,
    _ arguments: [String],
    script: String,
  ) throws -> ChildProcess {
    try start(path: "/bin/sh", ["-c", script, program.path] + arguments)
  }

  /// Starts a daemon on the world's directory and waits until it is ready.
  func startDaemon(
    _ program: Program = .stored,
    _ options: [String] = [],
    environment: [String: String] = [:],
    limitingDescriptorsTo count: Int? = nil,
  ) async throws
    -> ChildProcess
  {
    let arguments = (program == .stored ? ["--dir", directory] : [directory]) + options
    let daemon =
      try count.map { try start(program, arguments, limitingDescriptorsTo: $0) }
      ?? start(program, arguments, environment: environment)
    _ = try await daemon.output.line("the daemon to be ready") { $0.hasPrefix("ready ") }
    return daemon
  }

  /// Runs a program that is not of this package.
  func run(_ path: String, _ arguments: String...) async throws -> Run {
    try await finish(start(path: path, arguments))
  }

  /// Starts the client on the world's directory.
  func startClient(_ arguments: String...) throws -> ChildProcess {
    try startClient(arguments)
  }

  func startClient(_ arguments: [String]) throws -> ChildProcess {
    try start(.storectl, ["--dir", directory] + arguments)
  }

  /// The result of a one-shot command.
  struct Run: Sendable {
    let end: ChildProcess.End
    let output: [String]
    let errors: [String]

    var isSuccess: Bool { end == .status(0) }
    var errorText: String { errors.joined(separator: "\n") }
  }

  /// Runs a client to its end.
  func client(_ arguments: String...) async throws -> Run {
    try await client(arguments)
  }

  func client(_ arguments: [String], within time: Duration = .seconds(30)) async throws -> Run {
    try await finish(startClient(arguments), within: time)
  }

  /// Waits for a program that reads no input.
  func finish(_ process: ChildProcess, within time: Duration = .seconds(30)) async throws -> Run {
    process.closeInput()
    let end = try await process.ended(within: time)
    return Run(end: end, output: process.output.lines, errors: process.errors.lines)
  }
}
