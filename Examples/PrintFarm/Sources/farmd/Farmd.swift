import FarmHost
import Foundation
import StoreDaemon

/// The daemon: owns the queue, and prints.
///
///     farmd DIRECTORY            serves until it is stopped
///     farmd DIRECTORY replay     runs the kept history again, and compares
///
/// The file DIRECTORY/grants admits other users. The operator olga may do everything; the guest gus
/// adds jobs:
///
///     user:olga  *     see send
///     user:gus   farm  see send=addButtonTapped
@main
struct Farmd {
  @MainActor static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard let directory = arguments.first, ["", "replay"].contains(arguments.dropFirst().joined())
    else {
      print("usage: farmd DIRECTORY [replay]")
      exit(64)
    }
    let host = farmHost(in: directory)
    if arguments.contains("replay") { return host.attempt { print(try host.replay()) } }
    host.main()
  }
}
