import StoreProtocol

#if canImport(Glibc)
// Import without concurrency checks: `environ` is not changed after the process's start.
@preconcurrency import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A daemon's directory on another machine: `ssh://[USER@]HOST[:PORT]/DIRECTORY`.
struct SecureShellAddress: Hashable, CustomStringConvertible {
  /// The prefix of all addresses.
  static let prefix = "ssh://"

  /// The host, with the user if the address names one.
  let host: String
  let port: UInt16?
  let directory: String

  /// Parses an address; nil for any other text.
  init?(_ text: String) {
    guard text.hasPrefix(Self.prefix) else { return nil }
    let rest = text.dropFirst(Self.prefix.count)
    guard let slash = rest.firstIndex(of: "/") else { return nil }
    let parts = rest[..<slash].split(separator: ":", omittingEmptySubsequences: false)
    directory = String(rest[slash...])
    // Refuses names that `ssh` could read as an option, as the end of a path or as a token to
    // expand.
    guard (1...2).contains(parts.count), let host = parts.first,
      host.wholeMatch(of: /([A-Za-z0-9._][A-Za-z0-9._-]*@)?[A-Za-z0-9._][A-Za-z0-9._-]*/) != nil,
      directory.count > 1, !directory.contains(/[:%$[:cntrl:]]/)
    else { return nil }
    self.host = String(host)
    port = parts.count == 2 ? UInt16(parts[1]) : nil
    if parts.count == 2, port == nil { return nil }
  }

  var description: String { "\(Self.prefix)\(host)\(port.map { ":\($0)" } ?? "")\(directory)" }
}

/// The two sockets of a daemon on another machine, forwarded by the system's `ssh`.
///
/// The daemon sees each connection as the user that logged in. Only the machine's own `sshd`
/// listens on the network, and only the keys of `ssh` are needed.
final class SecureShell {
  /// The script that runs `ssh` as a child.
  ///
  /// Its standard input is a pipe of this process; at its end, even after a kill of this process,
  /// the script ends the child.
  ///
  /// When the child ends, the script ends and closes its standard output. It creates the directory
  /// of the sockets, its first word, and removes it after the child has ended; the other words are
  /// the child's. Signals that end all programs of a terminal or a service end this process and the
  /// child, but not the script, which must clean up.
  private static let script = """
    trap '' HUP INT QUIT TERM
    umask 077
    mkdir "$0" || exit
    exec 3<&0
    (trap - HUP TERM; exec ssh "$@" </dev/null >&2 3<&-) &
    ssh=$!
    (read -r end <&3; kill "$ssh") >/dev/null 2>&1 &
    end=$!
    exec 3<&-
    {
      wait "$ssh"
      kill -KILL "$end"
      rm -f "$0/ctl" "$0/pub"
      rmdir "$0"
    } 2>/dev/null
    """
  /// The interval of checks for the sockets, in milliseconds.
  private static let interval: Int32 = 20

  /// The local directory of the sockets.
  private let directory: String
  private var pid: pid_t = 0
  /// Closed when the forwarding is to end.
  private var input: Int32 = -1
  /// A pipe that reaches its end when the forwarding has ended.
  private var output: Int32 = -1

  /// Begins to forward, and waits until the sockets exist, without a limit: a user may have to
  /// enter a password.
  ///
  /// - Parameter address: The daemon's address.
  /// - Throws: A `CommandError` if `ssh` fails.
  init(_ address: SecureShellAddress) throws(CommandError) {
    directory = Self.freeDirectory()
    do throws(CommandError) {
      try start(Self.arguments(address, directory))
      try awaitSockets(address)
    } catch {
      end()
      throw error
    }
  }

  var location: StoreLocation { StoreLocation(directory: directory) }

  /// The path of a new directory, with an unpredictable name.
  private static func freeDirectory() -> String {
    let names = ["XDG_RUNTIME_DIR", "TMPDIR"]
    let folders: [String] = names.compactMap { Environment.variables($0)[$0] }
    let usable: String? = folders.first { $0.hasPrefix("/") && access($0, W_OK) == 0 }
    return "\(usable ?? "/tmp")/storectl-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
  }

  private static func arguments(_ address: SecureShellAddress, _ directory: String) -> [String] {
    let options = [
      "ExitOnForwardFailure=yes", "ControlMaster=no", "ControlPath=none",
      "StreamLocalBindMask=0177",
    ]
    var arguments = ["-N", "-T"]
    for option in options { arguments += ["-o", option] }
    for name in ["ctl", "pub"] {
      arguments += ["-L", "\(directory)/\(name):\(address.directory)/\(name)"]
    }
    if let port = address.port { arguments += ["-p", "\(port)"] }
    return arguments + ["--", address.host]
  }

  private func start(_ arguments: [String]) throws(CommandError) {
    var (stdin, stdout): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    guard pipe(&stdin) == 0, pipe(&stdout) == 0 else { throw Self.failure("start", errno) }
    (input, output) = (stdin[1], stdout[0])
    for descriptor in stdin + stdout { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    defer {
      close(stdin[0])
      close(stdout[1])
    }
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    #else
    var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, stdin[0], 0)
    posix_spawn_file_actions_adddup2(&actions, stdout[1], 1)
    let words = ["sh", "-c", Self.script, directory] + arguments
    let pointers = words.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    let status = posix_spawn(&pid, "/bin/sh", &actions, nil, pointers + [nil], environ)
    guard status == 0 else {
      pid = 0
      throw Self.failure("start", status)
    }
  }

  private static func failure(_ operation: String, _ code: Int32) -> CommandError {
    CommandError(.inputOutput, "Could not \(operation) ssh: \(String(cString: strerror(code))).")
  }

  private func awaitSockets(_ address: SecureShellAddress) throws(CommandError) {
    while ["ctl", "pub"].contains(where: { access("\(directory)/\($0)", F_OK) != 0 }) {
      var item = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      guard poll(&item, 1, Self.interval) > 0 else { continue }
      throw CommandError(
        .unavailable,
        "ssh has ended without forwarding the sockets of \(address). See its messages, or try: "
          + "ssh \(address.host)",
      )
    }
  }

  /// Ends the forwarding, and waits until its process has ended.
  func end() {
    if input >= 0 { close(input) }
    input = -1
    if pid > 0 {
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
      pid = 0
    }
    if output >= 0 { close(output) }
    output = -1
  }
}
