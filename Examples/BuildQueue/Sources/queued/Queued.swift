import BuildQueue
import Foundation
import StoreDaemon

/// The daemon: owns the queue, and runs a command for each build.
///
///     queued DIRECTORY COMMAND [ARGUMENT…]
///
/// The command reads the branch from `$BRANCH`; a build has passed if the command exits with 0. The
/// state is kept in DIRECTORY/data. With `$METRICS`, such as 127.0.0.1:9464, the daemon serves
/// metrics for Prometheus at that address.
@main
struct Queued {
  @MainActor static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 2 else {
      print("usage: queued DIRECTORY COMMAND [ARGUMENT...]")
      exit(64)
    }
    var configuration = HostConfiguration(directory: arguments[0])
    configuration.data = "\(arguments[0])/data"
    configuration.metrics = ProcessInfo.processInfo.environment["METRICS"]
    configuration.programMetrics = ProgramMetrics.bootstrap()
    let command = Command(arguments: Array(arguments.dropFirst()))
    let host = StoreHost(
      initialState: BuildQueue.State(),
      exposures: [Expose("queue", state: \.self, action: \.self, replies: Int.self)],
      configuration: configuration,
    ) {
      BuildQueue().signpost().dependency(\.builder, Builder(perform: command.run))
    }
    host.main()
  }
}

/// The command that runs for each build.
struct Command: Sendable {
  let arguments: [String]

  /// Runs the command on the main thread.
  ///
  /// A process inherits the blocked signals of its thread, and the thread of an effect blocks all.
  @MainActor
  func run(_ build: Build) async -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment
      .merging(["BRANCH": build.branch]) { $1 }
    process.standardInput = FileHandle.nullDevice
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        process.terminationHandler = { continuation.resume(returning: $0.terminationStatus == 0) }
        do {
          try process.run()
        } catch {
          print("build \(build.id): \(error)")
          process.terminationHandler = nil
          continuation.resume(returning: false)
        }
      }
    } onCancel: {
      if process.isRunning { process.terminate() }
    }
  }
}
