import Foundation
import StoreActor
import StoreProtocol
import StoreReplica
import StoredWorkspace
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The return of many listed clients to a durable daemon that was killed and started again.
///
/// Half of the clients follow a scope that does not change. Actions change the scope of the others
/// at a fixed rate, from before the kill until all clients are back.
@MainActor
struct ReturnBench {
  private let location: StoreLocation
  private let (program, tool): (String, String)
  private let arguments: [String]
  private let followers: [Follower]
  private let writer: Follower
  private let poller: Poller
  private let increment: [UInt8]
  /// The actions without an outcome.
  private let pending = Pending()

  private final class Pending {
    var count = 0
  }

  static func run(_ arguments: inout Arguments) throws {
    guard let programs = arguments.text("--programs"), let directory = arguments.text("--dir"),
      let data = arguments.text("--data")
    else { throw BenchError("An option is missing: --programs DIR --dir DIR --data DIR.") }
    let clients = arguments.number("--clients", or: 1000)
    let rate = arguments.number("--rate", or: 10_000)
    let earlier = arguments.number("--earlier", or: 50_000)
    let bench = try ReturnBench(programs, directory, data, clients: clients)
    try bench.measure(rate: rate, earlier: earlier).printLine()
  }

  private init(_ programs: String, _ directory: String, _ data: String, clients: Int) throws {
    (program, tool) = ("\(programs)/stored", "\(programs)/storectl")
    arguments = ["--dir", directory, "--data", data, "--lease-ms", "10000"]
    location = StoreLocation(directory: directory)
    let context = try Context(maxSockets: 4 * (clients + 1))
    let location = location
    followers = try (0..<clients).map { number in
      let isQuiet = number.isMultiple(of: 2)
      return try Follower(
        number,
        of: location,
        scope: isQuiet ? "todos" : "counter",
        replica: isQuiet ? TypedReplica<Todos.State>() : TypedReplica<Counter.State>(),
        isListed: true,
        context: context,
      )
    }
    writer = try Follower(clients, of: location, scope: "counter", replica: nil, context: context)
    poller = Poller((followers + [writer]).flatMap { $0.sockets.map { .socket($0) } })
    increment = try Counter.Action.incrementButtonTapped.encoded()
  }

  private func measure(rate: Int, earlier: Int) throws -> Figures {
    var daemon = try DaemonProcess(program, arguments)
    try turn(until: { daemon.readyAt != nil && (followers + [writer]).allSatisfy(\.isReady) })
    var sent = 0
    func write() throws {
      while sent < earlier, pending.count < 256 {
        try send()
        sent += 1
      }
    }
    try turn(until: { sent == earlier && pending.count == 0 }, write)
    // A second of the load before the kill.
    let start = LoopClock.nanoseconds
    sent = 0
    func load() throws {
      let due = Int(Double(LoopClock.nanoseconds - start) / 1e9 * Double(rate))
      while sent < due, pending.count < 20_000 {
        try send()
        sent += 1
      }
    }
    try turn(until: { LoopClock.nanoseconds - start > 1_000_000_000 }, load)
    for follower in followers { (follower.connections, follower.mayLoseDaemon) = (0, true) }
    writer.mayLoseDaemon = true
    daemon.kill()
    daemon = try DaemonProcess(program, arguments)
    // When it is ready is noted at the first look.
    try turn(
      until: {
        daemon.readyAt != nil && followers.allSatisfy { $0.connections > 0 && $0.isReady }
      },
      load,
    )
    let back = LoopClock.nanoseconds
    try turn(until: { pending.count == 0 })
    var figures = Figures()
    figures.set("clients", followers.count)
    figures.set("back_ms", Double(back - (daemon.readyAt ?? back)) / 1e6)
    let counters = try counters()
    guard counters["deltas", default: 0] > 0 else {
      throw BenchError("The scope of half of the clients has not changed.")
    }
    for name in ["snapshots", "replays", "longestTurnMicroseconds"] {
      guard let count = counters[name] else { throw BenchError("The status has no \(name).") }
      figures.set(name, count)
    }
    daemon.kill()
    return figures
  }

  /// The daemon's counters, from the shipped tool.
  private func counters() throws -> [String: Int] {
    let text = try DaemonProcess(tool, ["--dir", arguments[1], "status", "--json"]).wholeOutput()
    let status = try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any]
    return status?["counters"] as? [String: Int] ?? [:]
  }

  private func send() throws {
    let pending = pending
    pending.count += 1
    try writer.submit(increment).whenSettled { _ in pending.count -= 1 }
  }

  private func turn(until isDone: () -> Bool, _ work: () throws -> Void = {}) throws {
    let end = LoopClock.nanoseconds + 300_000_000_000
    while !isDone() {
      guard LoopClock.nanoseconds < end else { throw BenchError("The clients are not back.") }
      try work()
      _ = try poller.wait(timeout: .milliseconds(1))
      for follower in followers { try follower.turn() }
      try writer.turn()
    }
  }
}

/// Ends a process at once.
private func end(_ process: pid_t) { kill(process, SIGKILL) }

/// A daemon in another process.
///
/// `Foundation.Process` cannot start programs while this process has thousands of open files.
@MainActor
private final class DaemonProcess {
  private var process: pid_t = 0
  private var output: Int32 = -1

  /// When it was ready, as its first line states.
  var readyAt: Int64? {
    if ready == nil {
      var byte: UInt8 = 0
      if read(output, &byte, 1) == 1 { ready = LoopClock.nanoseconds }
    }
    return ready
  }

  private var ready: Int64?

  init(_ program: String, _ arguments: [String]) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw BenchError("No pipe: \(errno)") }
    output = ends[0]
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(output, F_SETFL, O_NONBLOCK)
    defer { close(ends[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var texts = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for text in texts { free(text) } }
    let code = posix_spawn(&process, program, &actions, nil, &texts, environ)
    guard code == 0 else { throw BenchError("\(program) does not start: error \(code)") }
  }

  /// Waits until it has written all of its output, and returns it.
  func wholeOutput() -> [UInt8] {
    _ = fcntl(output, F_SETFL, 0)
    var text: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(output, &part, part.count)
      if count <= 0 { break }
      text += part.prefix(count)
    }
    wait()
    return text
  }

  /// Kills it, and waits for its end.
  func kill() {
    end(process)
    wait()
  }

  private func wait() {
    close(output)
    while waitpid(process, nil, 0) < 0, errno == EINTR {}
  }
}
