import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A program on a pseudo-terminal of its own, with a shell around it that stays for a moment longer
/// and says what has become of the terminal.
final class TerminalProcess: Sendable {
  /// Whether the terminal's modes are as they were before the program, and its exit status.
  struct End: Hashable, Sendable {
    let isRestored: Bool
    let status: Int32
  }

  let process: ChildProcess
  private let master: Int32
  /// Whether nobody reads the terminal any more.
  private let isAbandoned: Watched<Bool>
  private let screen: Watched<TerminalScreen>
  private let written = Watched<[UInt8]>([])

  /// The shell says the program's id and its end by its standard error, which is no terminal.
  private static func script(_ redirection: String) -> String {
    #"""
    before=$(stty -g)
    sh -c 'echo "pid $$" >&2; exec "$0" "$@" \#(redirection)' "$0" "$@"
    status=$?
    [ "$before" = "$(stty -g)" ] && echo "restored $status" >&2 || echo "altered $status" >&2
    """#
  }

  /// A shell with job control, in which `ui` runs: without one nobody is stopped.
  ///
  /// When `ui` is stopped it says with which status, where the terminal is as it was before, and
  /// lets `ui` go on behind a line of input.
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
    // The thread's own: that of the terminal may be another file's when it looks again.
    let (descriptor, written) = (fcntl(master, F_DUPFD_CLOEXEC, 0), written)
    Thread.detachNewThread {
      defer { Glibc.close(descriptor) }
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while !isAbandoned.value {
        // A terminal that is being read would not be gone when it is closed.
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&item, 1, 20) != 0 else { continue }
        let count = read(descriptor, &buffer, buffer.count)
        // Until somebody has opened the other end there is nothing to read, and then not any more.
        guard count > 0 else { return }
        let bytes = buffer[..<count]
        written.update { $0 += bytes }
        screen.update { $0.take(bytes) }
      }
    }
  }

  /// Makes a pseudo-terminal.
  ///
  /// - Returns: Its end for the user, and the path of its end for a program.
  private static func open() throws -> (master: Int32, name: String) {
    // As posix_openpt, unlockpt and ptsname do, which Glibc's module leaves out.
    let (unlock, number) = (UInt(0x4004_5431), UInt(0x8004_5430))
    let master = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var (isLocked, place): (Int32, UInt32) = (0, 0)
    guard master >= 0, ioctl(master, unlock, &isLocked) == 0, ioctl(master, number, &place) == 0
    else { throw ProcessFailure("No pseudo-terminal: \(String(cString: strerror(errno)))") }
    return (master, "/dev/pts/\(place)")
  }

  /// Types a text; escape sequences are what a terminal sends for keys.
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

  /// Waits until a text is to be seen.
  func shows(_ text: String, within time: Duration = .seconds(30)) async throws {
    try await screen.wait(within: time, for: "\"\(text)\" on the terminal") { screen in
      screen.shows(text) ? true : nil
    }
  }

  /// Waits until a text is not to be seen any more.
  func hides(_ text: String) async throws {
    try await screen.wait(within: .seconds(30), for: "\"\(text)\" to go") { screen in
      screen.shows(text) ? nil : true
    }
  }

  /// Waits until the program has written something to its terminal.
  func wrote(_ text: String) async throws {
    try await written(text) { $0.contains(text) ? true : nil }
  }

  /// Waits until something is found in what the program has written to its terminal.
  @discardableResult
  func written<Found: Sendable>(
    _ what: String,
    _ find: @escaping @Sendable (String) -> Found?,
  ) async throws -> Found {
    try await written.wait(within: .seconds(30), for: what.debugDescription) { written in
      find(String(decoding: written, as: UTF8.self))
    }
  }

  /// Waits until the program has written more than so many characters.
  func writes(behind count: Int) async throws {
    try await written.wait(within: .seconds(30), for: "more than \(count) characters") { written in
      String(decoding: written, as: UTF8.self).count > count ? true : nil
    }
  }

  var lines: [String] { screen.value.lines }

  /// All that the program has written.
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

  /// Closes the terminal: whoever is still on it is hung up.
  deinit { if !isAbandoned.value { hangUp() } }
}
