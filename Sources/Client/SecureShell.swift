import StoreJournal
import StoreProtocol

#if canImport(Glibc)
import Glibc
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

/// A connection with another machine by the system's `ssh`: it forwards the two sockets of a
/// daemon, or runs commands.
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
  private let address: SecureShellAddress
  /// The script: it is to end when its input is closed, and its output ends with it.
  private var child: ChildProgram?

  /// The purpose of a connection.
  enum Purpose {
    /// To forward the sockets of a daemon.
    case sockets
    /// To run commands, each as a program of its own that uses this connection.
    case commands

    /// The names of the sockets that `ssh` creates.
    fileprivate var sockets: [String] { self == .sockets ? ["ctl", "pub"] : ["ctl"] }
  }

  /// Connects, and waits until the sockets exist.
  ///
  /// The wait has no limit, since a user may have to enter a password.
  ///
  /// - Parameters:
  ///   - address: The machine, and a directory there.
  ///   - purpose: The use of the connection.
  /// - Throws: A `CommandError` if `ssh` fails.
  init(_ address: SecureShellAddress, for purpose: Purpose = .sockets) throws(CommandError) {
    directory = Self.freeDirectory()
    self.address = address
    do throws(CommandError) {
      let arguments = Self.arguments(address, directory, purpose)
      do throws(ChildProgram.Failure) {
        child = try ChildProgram(["/bin/sh", "-c", Self.script, directory] + arguments)
      } catch {
        throw CommandError(.inputOutput, "Could not start ssh: \(error.reason).")
      }
      try awaitSockets(purpose.sockets)
    } catch {
      end()
      throw error
    }
  }

  var location: StoreLocation { StoreLocation(directory: directory) }

  /// The address's directory, reached by commands of this connection.
  ///
  /// If the connection has ended, each command fails at once instead of making one of its own.
  var place: CopyPlace {
    CopyPlace(
      directory: address.directory,
      name: "\(address)",
      by: [
        "ssh", "-T", "-S", "\(directory)/ctl", "-o", "ControlMaster=no", "-o",
        "ProxyCommand=false", "--", address.host,
      ],
    )
  }

  /// The path of a new directory, with an unpredictable name.
  private static func freeDirectory() -> String {
    let names = ["XDG_RUNTIME_DIR", "TMPDIR"]
    let folders: [String] = names.compactMap { Environment.variables($0)[$0] }
    let usable: String? = folders.first { $0.hasPrefix("/") && access($0, W_OK) == 0 }
    return "\(usable ?? "/tmp")/storectl-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
  }

  private static func arguments(
    _ address: SecureShellAddress,
    _ directory: String,
    _ purpose: Purpose,
  ) -> [String] {
    var options = ["ControlPersist=no"]
    switch purpose {
    case .sockets:
      options += [
        "ControlMaster=no", "ControlPath=none", "ExitOnForwardFailure=yes",
        "StreamLocalBindMask=0177",
      ]
    case .commands:
      // An ended connection is noticed after a minute at most.
      options += [
        "ControlMaster=yes", "ControlPath=\(directory)/ctl", "ServerAliveInterval=15",
        "ServerAliveCountMax=3", "ConnectTimeout=30",
      ]
    }
    var arguments = ["-N", "-T"]
    for option in options { arguments += ["-o", option] }
    if purpose == .sockets {
      for name in purpose.sockets {
        arguments += ["-L", "\(directory)/\(name):\(address.directory)/\(name)"]
      }
    }
    if let port = address.port { arguments += ["-p", "\(port)"] }
    return arguments + ["--", address.host]
  }

  private func awaitSockets(_ sockets: [String]) throws(CommandError) {
    while sockets.contains(where: { access("\(directory)/\($0)", F_OK) != 0 }) {
      var item = pollfd(fd: child?.output ?? -1, events: Int16(POLLIN), revents: 0)
      guard poll(&item, 1, Self.interval) > 0 else { continue }
      throw CommandError(
        .unavailable,
        "ssh has ended without a connection to \(address). See its messages, or try: "
          + "ssh \(address.host)",
      )
    }
  }

  /// Ends the connection, and waits until its process has ended.
  func end() {
    guard let child else { return }
    self.child = nil
    close(child.input)
    child.wait()
    close(child.output)
  }
}
