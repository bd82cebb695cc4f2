import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A program on its own pseudo-terminal.
///
/// A shell around it outlives it, and reports the final state of the terminal.
final class TerminalProcess: Sendable {
  /// Whether the terminal's modes are as they were before the program, and its exit status.
  struct End: Hashable, Sendable {
    let isRestored: Bool
    let status: Int32
  }

  let process: ChildProcess
  private let master: Int32
  /// Whether the terminal is no longer read.
  private let isAbandoned: Watched<Bool>
  private let screen: Watched<TerminalScreen>
  private let written = Watched<[UInt8]>([])

  /// The shell reports the program's id and its end on standard error, which is no terminal.
  private static func script(_ redirection: String) -> String {
    #"""
    before=$(stty -g)
    sh -c 'echo "pid $$" >&2; exec "$0" "$@" \#(redirection)' "$0" "$@"
    status=$?
    [ "$before" = "$(stty -g)" ] && echo "restored $status" >&2 || echo "altered $status" >&2
    """#
  }

  /// Starts a shell with job control, in which `ui` runs: without job control Ctrl-Z stops no
  /// program.
  ///
  /// When `ui` stops, the shell reports the status if the terminal is restored. After a line of
  /// input it continues `ui`.
  static func shell(_ world: World, term: String) throws -> TerminalProcess {
    let script = #"""
      before=$(stty -g)
      "$0" --dir "$1" ui
      status=$?
      [ "$before" = "$(stty -g)" ] && echo "stopped with $status"
      read -r line
      fg
      """#
    return try TerminalProcess(
      world,
      program: "/bin/bash",
      ["-m", "-c", script, Program.storectl.path, world.directory],
      term: term,
      redirection: "2>&1",
    )
  }

  /// Starts `storectl` on the world's directory, or another program.
  init(
    _ world: World,
    program: String? = nil,
    _ arguments: [String],
    term: String,
    width: Int = 80,
    height: Int = 24,
    environment: [String: String] = [:],
    redirection: String = "",
    ignoresHangUp: Bool = false,
  ) throws {
    let (master, name) = try Self.open()
    self.master = master
    let isAbandoned = Watched(false)
    self.isAbandoned = isAbandoned
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    let screen = Watched(TerminalScreen(width: width, height: height))
    self.screen = screen
    Self.resize(master, width, height)
    // A session of its own, whose terminal is the first one that it opens.
    process = try world.start(
      path: "/usr/bin/env",
      [
        "setsid", "/bin/sh", "-c",
        (ignoresHangUp ? "trap '' HUP\n" : "")
          + "exec <>\(name) >&0\n\(Self.script(redirection))",
      ] + (program.map { [$0] } ?? [Program.storectl.path, "--dir", world.directory]) + arguments,
      environment: ["TERM": term, "LANG": "C.UTF-8"].merging(environment) { $1 },
    )
    // A duplicate for the thread: the terminal's own number may belong to another file later.
    let (descriptor, written) = (fcntl(master, F_DUPFD_CLOEXEC, 0), written)
    Thread.detachNewThread {
      defer { Glibc.close(descriptor) }
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while !isAbandoned.value {
        // A pending read would keep the terminal open after `close`.
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&item, 1, 20) != 0 else { continue }
        let count = read(descriptor, &buffer, buffer.count)
        // Before the other end opens, `poll` finds no data. A read fails only after that end
        // closes.
        guard count > 0 else { return }
        let bytes = buffer[..<count]
        written.update { $0 += bytes }
        screen.update { $0.take(bytes) }
      }
    }
  }

  /// Creates a pseudo-terminal.
  ///
  /// - Returns: Its end for the user, and the path of its end for a program.
  private static func open() throws -> (master: Int32, name: String) {
    // The same as posix_openpt, unlockpt and ptsname, which Glibc's module does not contain.
    let (unlock, number) = (UInt(0x4004_5431), UInt(0x8004_5430))
    let master = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var (isLocked, place): (Int32, UInt32) = (0, 0)
    guard master >= 0, ioctl(master, unlock, &isLocked) == 0, ioctl(master, number, &place) == 0
    else { throw ProcessFailure("No pseudo-terminal: \(String(cString: strerror(errno)))") }
    return (master, "/dev/pts/\(place)")
  }

  /// Types a text; special keys are the escape sequences that a terminal sends for them.
  func type(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  /// Gives the terminal another size.
  func resize(width: Int, height: Int) {
    screen.update { $0.resize(width: width, height: height) }
    Self.resize(master, width, height)
  }

  private static func resize(_ master: Int32, _ width: Int, _ height: Int) {
    var size = winsize()
    size.ws_col = UInt16(width)
    size.ws_row = UInt16(height)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// Waits until a text is visible.
  func shows(_ text: String, within time: Duration = .seconds(30)) async throws {
    try await screen.wait(within: time, for: "\"\(text)\" on the terminal") { screen in
      screen.shows(text) ? true : nil
    }
  }

  /// Waits until a text is no longer visible.
  func hides(_ text: String) async throws {
    try await screen.wait(within: .seconds(30), for: "\"\(text)\" to go") { screen in
      screen.shows(text) ? nil : true
    }
  }

  /// Waits until the program has written a text to its terminal.
  func wrote(_ text: String) async throws {
    try await written(text) { $0.contains(text) ? true : nil }
  }

  /// Waits until the closure returns a value for the program's output to its terminal.
  @discardableResult
  func written<Found: Sendable>(
    _ what: String,
    _ find: @escaping @Sendable (String) -> Found?,
  ) async throws -> Found {
    try await written.wait(within: .seconds(30), for: what.debugDescription) { written in
      find(String(decoding: written, as: UTF8.self))
    }
  }

  /// Waits until the program has written more than `count` characters.
  func writes(behind count: Int) async throws {
    try await written.wait(within: .seconds(30), for: "more than \(count) characters") { written in
      String(decoding: written, as: UTF8.self).count > count ? true : nil
    }
  }

  var lines: [String] { screen.value.lines }

  /// The program's output so far.
  var text: String { String(decoding: written.value, as: UTF8.self) }

  /// The program's id.
  func pid() async throws -> pid_t {
    let line = try await process.errors.line("the program's id") { $0.hasPrefix("pid ") }.line
    guard let pid = pid_t(line.dropFirst(4)) else { throw ProcessFailure("No id: \(line)") }
    return pid
  }

  /// Waits for the program's end.
  func ended() async throws -> End {
    let line = try await process.errors.line("the program's end") {
      $0.hasPrefix("restored ") || $0.hasPrefix("altered ")
    }.line
    guard let status = line.split(separator: " ").last.flatMap({ Int32($0) }) else {
      throw ProcessFailure("No status: \(line)")
    }
    return End(isRestored: line.hasPrefix("restored "), status: status)
  }

  /// Closes the terminal while the program runs.
  func hangUp() {
    isAbandoned.update { $0 = true }
    close(master)
  }

  /// Closes the terminal, which hangs up the processes on it.
  deinit { if !isAbandoned.value { hangUp() } }
}
