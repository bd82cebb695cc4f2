import ArgumentParser
import GenericState
import StoreClient
import StoreProtocol
import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Invites another machine: `storectl invite`.
struct Invite: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite",
    abstract: "Print a line by which another machine may enrol, once.",
    discussion: """
      The line has the daemon's address and public key, and a ticket. Its holder may register one \
      key, until the ticket's time is over or the daemon ends. Give the line only to its intended \
      holder. Only the daemon's user and root may invite, on the daemon's own machine.

      Example:
        storectl invite laptop --grant todos:see,send --for 15m
      """,
  )

  @OptionGroup var options: ConnectionOptions

  @Argument(help: "The name for the key.")
  var name: String

  @Option(
    help: ArgumentHelp(
      "Scopes, a colon, and see, send or send=ACTION,…; may be repeated.",
      discussion: "As in the file of grants: --grant 'todos,todos/*:see,send=addButtonTapped'.",
      valueName: "scopes:rights",
    )
  )
  var grant: [String]

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("How long the line is valid: 90s, 15m or 2h.", valueName: "time"),
  )
  var time = "15m"

  @Option(
    help: ArgumentHelp(
      "The address by which the other machine reaches the daemon.",
      discussion: "The default is the daemon's first address that requires keys.",
      valueName: "url",
    )
  )
  var at: String?

  func validate() throws {
    if let problem = KeyText.problem(withName: name) { throw ValidationError(problem) }
    _ = try lines()
    _ = try seconds()
    if let at {
      guard at.hasPrefix("tcp://"), !at.dropFirst(6).contains("/"),
        (try? StoreLocation(address: at)) != nil
      else { throw ValidationError("\"\(at)\" is no address. Expected tcp://HOST:PORT.") }
    }
  }

  /// The grants, as lines of the file.
  private func lines() throws -> [String] {
    try grant.map { text in
      guard let colon = text.lastIndex(of: ":"), colon != text.startIndex else {
        throw ValidationError("\"\(text)\" is no grant. Expected SCOPES:RIGHTS, todos:see,send.")
      }
      var rights: [String] = []
      for word in text[text.index(after: colon)...].split(separator: ",").map(String.init) {
        if ["see", "send"].contains(word) || word.hasPrefix("send=") {
          rights.append(word)
        } else if let last = rights.last, last.hasPrefix("send=") {
          rights[rights.count - 1] = "\(last),\(word)"
        } else {
          throw ValidationError("There is no right \"\(word)\": expected see, send or send=ACTION.")
        }
      }
      guard !rights.isEmpty else {
        throw ValidationError("\"\(text)\" names no right: expected see, send or send=ACTION.")
      }
      return "\(text[..<colon]) \(rights.joined(separator: " "))"
    }
  }

  private func seconds() throws -> UInt64 {
    let units: [Character: UInt64] = ["s": 1, "m": 60, "h": 3600]
    guard let unit = time.last.flatMap({ units[$0] }), let number = UInt64(time.dropLast()),
      number <= 86_400, (1...86_400).contains(number * unit)
    else {
      throw ValidationError("\"\(time)\" is no time for a ticket. Expected 1s to 24h, such as 15m.")
    }
    return number * unit
  }

  func run() throws {
    let (name, at, isJSON) = (name, at, options.json)
    let command = KeyCommand.invite(name: name, grants: try lines(), seconds: try seconds())
    let time = time
    try Connecting(options: options, name: "storectl invite").ask { daemon in
      guard case .invited(let invitation) = try await daemon.answer(to: command) else {
        throw CommandError(.badData, "The daemon did not answer with a ticket.")
      }
      let line = EnrolmentLine(
        address: at ?? Self.reachable(invitation.addresses.first ?? ""),
        daemon: invitation.daemon,
        ticket: invitation.ticket,
      )
      guard !isJSON else {
        return try StandardOutput.line(
          JSONValue.object([.init("name", .string(name)), .init("line", .string("\(line)"))]).text()
        )
      }
      try StandardOutput.line("\(line)")
      Note.print("Within \(time), on the other machine: storectl enrol and this line.")
    }
  }

  /// An address by which other machines may reach a socket that listens on all interfaces.
  private static func reachable(_ address: String) -> String {
    let everywhere = "tcp://0.0.0.0:"
    guard address.hasPrefix(everywhere) else { return address }
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return address }
    let host = String(
      decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
      as: UTF8.self,
    )
    return "tcp://\(host):\(address.dropFirst(everywhere.count))"
  }
}

extension Daemon {
  /// Returns the daemon's answer to a command for keys.
  ///
  /// - Throws: A `CommandError` if the daemon refuses the command.
  func answer(to command: KeyCommand) async throws -> KeyAnswer {
    let answer = try await connection.keys(command)
    guard case .failed(let code, let message) = answer else { return answer }
    throw CommandError(code == "unauthorised" ? .notAllowed : .badData, message)
  }
}
