import Dispatch
import Foundation
import StoreActor

/// Measures a daemon: its half of the protocol in this process, or a real one over its sockets.
///
/// Each command prints one JSON object a line. `Benchmarks/run` combines them.
@main
@MainActor
enum HostBench {
  static func main() {
    do {
      try run()
    } catch {
      fail(error)
    }
  }

  /// Runs a closure that waits for other threads, and ends the process after it.
  static func runToEnd(_ body: @escaping @MainActor () async throws -> Void) -> Never {
    Task {
      do {
        try await body()
        exit(0)
      } catch {
        fail(error)
      }
    }
    dispatchMain()
  }

  private static func fail(_ error: any Error) -> Never {
    // A trap's report would hide the error.
    FileHandle.standardError.write(Data("HostBench: \(error)\n".utf8))
    exit(1)
  }

  private static func run() throws {
    var arguments = Arguments(CommandLine.arguments.dropFirst())
    switch arguments.command {
    case "change": try ChangeBench.run(&arguments)
    case "rows": try RowBench.run(&arguments)
    case "join": try JoinBench.run(&arguments)
    case "snapshots": try SnapshotBench.run(&arguments)
    case "open": try OpenBench.run(&arguments)
    case "frame": try FrameBench.run(&arguments)
    case "versions": try VersionsBench.run(&arguments)
    case "codec": try CodecBench.run(&arguments)
    case "follow": try FollowBench.run(&arguments)
    case "fan": try FanBench.run(&arguments)
    case "encrypted": try FanBench.runEncrypted(&arguments)
    case "wire": try WireBench.run(&arguments)
    case "serve": try ServeBench.run(&arguments)
    case "write": try WriteBench.run(&arguments)
    case "rejoin": try RejoinBench.run(&arguments)
    case "return": try ReturnBench.run(&arguments)
    case "decide": try RefusalBench.serve(&arguments)
    case "refused": try RefusalBench.run(&arguments)
    case "keep": try KeepBench.run(&arguments)
    case "recover": try RecoverBench.run(&arguments)
    case "read": try ReadBench.run(&arguments)
    case "torn": try TornBench.run(&arguments)
    case "bare": try BareDaemon.run(&arguments)
    case "hold": try BareClients.run(&arguments)
    default: print(usage)
    }
  }

  private static let usage = """
    HostBench change [--rows N,N] [--actions N] [--rounds N]   time of an action, in turn
    HostBench change --rows N --actions N [--idle]             the same once, for `perf stat`
    HostBench rows [--many N] [--actions N] [--rounds N]       an action on one followed row
    HostBench join [--rows N]              most CPU time of a joiner's turn, and its bytes
    HostBench snapshots [--mib N,N,N] [--joiners N] [--rounds N]   sent, by the second size
    HostBench snapshots --memory [--mib N] [--joiners N]       memory of joiners
    HostBench open [--count N] [--rows N]  memory that remains after stores were dropped
    HostBench frame [--rows N]             bytes of a delta's frames
    HostBench versions [--rows N] [--versions N]               memory of a daemon and its past
    HostBench versions --state [--rows N]  memory of the state alone
    HostBench codec [--rows N] [--rounds N]                    rows against Foundation's JSON
    HostBench follow --dir DIR --clients N [--first N] [--scope counter|todos]   until killed
    HostBench fan --one DIR --one-pid PID --many DIR --many-pid PID --floor DIR --floor-pid PID
        [--clients N] [--actions N] [--rounds N] [--counted]   CPU time of a delta, for 1 and for N
    HostBench encrypted --ipc DIR --ipc-pid PID --curve DIR --curve-pid PID --address URL --key FILE
        [--clients N] [--actions N] [--rounds N]   CPU time of a delta to each client
    HostBench wire --dir DIR --listen URL [--count N] [--rounds N] [--window N]   ipc, tcp with keys
    HostBench serve --dir DIR [--rows N]   a daemon with rows, until killed
    HostBench write --dir DIR [--rows N] [--rate N] [--actions N]   latency of a writer's changes
    HostBench rejoin --dir DIR [--first N] clients that join one after the other, until killed
    HostBench return --programs DIR --dir DIR --data DIR [--clients N] [--rate N] [--earlier N]
        listed clients that return to a daemon that was killed
    HostBench decide --dir DIR             a daemon that refuses an action, until killed
    HostBench refused --dir DIR [--actions N] [--rounds N]   by one that changes nothing
    HostBench keep --data DIR [--toggles N] [--rows N] [--no-snapshots] [--retain BYTES]
        size of the journal after toggles, and latency of commits
    HostBench recover --data DIR [--rounds N]                  recovered records per second
    HostBench read --data DIR [--rows N]     [--rounds N]      reading a large snapshot
    HostBench torn --data DIR [--bytes N]    [--rounds N]      a start after a torn entry
    HostBench bare --dir DIR               sockets like a daemon's, without a store
    HostBench hold --dir DIR --clients N   clients of these sockets, until killed
    """
}

/// The command line: a command, then options with a value and flags.
struct Arguments {
  let command: String
  private var rest: [String]

  init(_ arguments: ArraySlice<String>) {
    command = arguments.first ?? ""
    rest = Array(arguments.dropFirst())
  }

  mutating func number(_ name: String, or standard: Int) -> Int {
    numbers(name, or: [standard])[0]
  }

  /// Takes an option's numbers, separated by commas.
  mutating func numbers(_ name: String, or standard: [Int]) -> [Int] {
    guard let text = text(name) else { return standard }
    let numbers = text.split(separator: ",").compactMap { Int($0) }
    return numbers.isEmpty ? standard : numbers
  }

  mutating func text(_ name: String) -> String? {
    guard let index = rest.firstIndex(of: name), index + 1 < rest.count else { return nil }
    defer { rest.removeSubrange(index...index + 1) }
    return rest[index + 1]
  }

  mutating func flag(_ name: String) -> Bool {
    guard let index = rest.firstIndex(of: name) else { return false }
    rest.remove(at: index)
    return true
  }
}
