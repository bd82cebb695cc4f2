import ArgumentParser
import StoreClient
import StoreState

/// Shows how the daemon is: `storectl status`.
struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show how the daemon is: its revision, its sessions, its counters."
  )

  @OptionGroup var options: ConnectionOptions

  func run() throws {
    let isJSON = options.json
    try Connecting(options: options, name: "storectl status").ask { daemon in
      let status = try StatusText(await daemon.connection.status())
      if isJSON { return try StandardOutput.line(status.tree.text()) }
      for line in status.lines { try StandardOutput.line(line) }
    }
  }
}

/// The daemon's answer to a question for its status (`docs/PROTOCOL.md` §8.2).
struct StatusText {
  private let value: GenericValue
  private let document: SchemaDocument

  init(_ value: GenericValue) throws(CodecError) {
    self.value = value
    document = try SchemaDocument(root: .any, definitions: [:])
  }

  /// The answer for programs; the epoch as everywhere in hexadecimal, since not every reader of
  /// JSON keeps 64 bits.
  var tree: JSONValue {
    guard case .map(let entries) = value else { return .null }
    return .object(
      entries.compactMap { entry in
        guard case .text(let name) = entry.key else { return nil }
        let content = name == "epoch" ? JSONValue.string(epoch) : tree(entry.value)
        return JSONValue.Member(name, content)
      }
    )
  }

  /// The answer for people.
  var lines: [String] {
    var table = TextTable()
    table.add("epoch", epoch)
    for (name, label) in [
      ("revision", "revision"), ("durableRevision", "durable revision"), ("pid", "pid"),
    ] {
      table.add(label, text(value[field: name]))
    }
    table.add("up for", Self.time(number(value[field: "uptimeMs"])))
    return table.lines() + ["", "sessions"] + sessions + ["", "counters"] + counters
  }

  private var epoch: String { String(number(value[field: "epoch"]), radix: 16) }

  private var sessions: [String] {
    guard case .array(let sessions) = value[field: "sessions"], !sessions.isEmpty else {
      return ["  none"]
    }
    var table = TextTable(
      heading: ["session", "name", "user", "peer", "lag", "last heard", "effects", "scopes"]
    )
    for session in sessions {
      var scopes: [String] = []
      if case .array(let names) = session[field: "scopes"] { scopes = names.map { text($0) } }
      table.add(
        text(session[field: "session"]),
        text(session[field: "name"]),
        text(session[field: "user"]),
        text(session[field: "peer"]),
        text(session[field: "lag"]),
        Self.time(number(session[field: "lastHeardMs"])) + " ago",
        text(session[field: "effects"]),
        scopes.joined(separator: " "),
      )
    }
    return table.lines(indentation: 2)
  }

  private var counters: [String] {
    guard case .map(let entries) = value[field: "counters"] else { return [] }
    var table = TextTable()
    for entry in entries { table.add(text(entry.key), text(entry.value)) }
    return table.lines(indentation: 2)
  }

  private func number(_ value: GenericValue?) -> UInt64 {
    if case .unsigned(let number) = value { number } else { 0 }
  }

  private func text(_ value: GenericValue?) -> String {
    switch value {
    case .text(let text): text
    case .null, nil: "–"
    case let value?: "\(value)"
    }
  }

  private func tree(_ value: GenericValue) -> JSONValue {
    JSONProjection.tree(value, schema: .any, in: document)
  }

  static func time(_ milliseconds: UInt64) -> String {
    switch milliseconds {
    case ..<1_000: "\(milliseconds) ms"
    case ..<120_000: "\(milliseconds / 1_000) s"
    case ..<7_200_000: "\(milliseconds / 60_000) min"
    default: "\(milliseconds / 3_600_000) h"
    }
  }
}
