import StoreProtocol

#if canImport(Glibc)
// The environment is the process's, which nobody changes after its start.
@preconcurrency import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A daemon's directory on another machine: `ssh://[USER@]HOST[:PORT]/DIRECTORY`.
struct SecureShellAddress: Hashable, CustomStringConvertible {
  /// How all of them begin.
  static let prefix = "ssh://"

  /// The host, with the user where one is named.
  let host: String
  let port: UInt16?
  let directory: String

  /// Reads an address; nil for anything else.
  init?(_ text: String) {
    guard text.hasPrefix(Self.prefix) else { return nil }
    let rest = text.dropFirst(Self.prefix.count)
    guard let slash = rest.firstIndex(of: "/") else { return nil }
    let parts = rest[..<slash].split(separator: ":", omittingEmptySubsequences: false)
    directory = String(rest[slash...])
    // What could be taken for an option, for the end of a path or for something that `ssh` fills in
    // is no name of ours.
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
/// Who connects there is, for the daemon, the user that has logged in. Nothing has to listen on the
/// network but the machine's own `sshd`, and no key is needed but those of `ssh`.
final class SecureShell {
  /// Its standard input is a pipe of ours, at whose end it ends its child: so also when we are
  /// killed.
  ///
  /// When the child ends so does this, and with it standard output. It makes the directory of the
  /// sockets, its first word, and removes it when the child has ended; the other words are the
  /// child's. What ends all programs of a terminal, or of a service, ends us and the child, but not
  /// this: somebody has to clear up.
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
  /// How often it is looked whether the sockets are there, in milliseconds.
  private static let interval: Int32 = 20

  /// Where the sockets are here.
  private let directory: String
  private var pid: pid_t = 0
  /// Closed when the forwarding is to end.
  private var input: Int32 = -1
  /// At its end when the forwarding has ended.
  private var output: Int32 = -1

  /// Begins to forward, and waits until the sockets are there, however long a user takes who is
  /// asked for a password.
  ///
  /// - Parameter address: Where the daemon is.
  /// - Throws: A `CommandError` when they will not be there.
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

  /// A directory that is not there, with a name that nobody can know beforehand.
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

  private static func failure(_ what: String, _ code: Int32) -> CommandError {
    CommandError(.inputOutput, "Could not \(what) ssh: \(String(cString: strerror(code))).")
  }

  private func awaitSockets(_ address: SecureShellAddress) throws(CommandError) {
    while ["ctl", "pub"].contains(where: { access("\(directory)/\($0)", F_OK) != 0 }) {
      var item = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      guard poll(&item, 1, Self.interval) > 0 else { continue }
      throw CommandError(
        .unavailable,
        "ssh has ended without forwarding the sockets of \(address). See what it said, or try: "
          + "ssh \(address.host)",
      )
    }
  }

  /// Ends the forwarding, and waits until nothing is left of it.
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
