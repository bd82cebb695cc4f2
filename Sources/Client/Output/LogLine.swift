import GenericState
import StoreState

/// The log's entry for a revision.
@MainActor
struct LogLine {
  private let entry: GenericValue
  /// The action of an entry, as JSON of its scope's schema.
  private let action: @MainActor (GenericValue, _ scope: String) -> JSONValue

  init(
    _ entry: GenericValue,
    action: @escaping @MainActor (GenericValue, _ scope: String) -> JSONValue,
  ) {
    self.entry = entry
    self.action = action
  }

  /// The complete entry, for programs.
  var tree: JSONValue {
    guard case .map(let entries) = entry else { return .null }
    let names = [
      "revision", "time", "by", "client", "user", "pid", "key", "session", "sessionName",
      "sequence", "name",
      "effect", "cause", "peer",
      "scope", "action", "actionBytes", "changed", "us", "bytes", "began", "ended", "forgot",
      "wasStopped", "interrupted", "left", "leftMore", "schedule", "due", "reply", "replyBytes",
      "refused",
      "refusedMore",
    ]
    return .object(
      names.compactMap { name in
        guard let value = entry[field: name] else { return nil }
        return JSONValue.Member(name, tree(of: name, value))
      }
        + entries.compactMap { other in
          guard case .text(let name) = other.key, !names.contains(name) else { return nil }
          return JSONValue.Member(name, JSONProjection.untyped(other.value))
        }
    )
  }

  private func tree(of name: String, _ value: GenericValue) -> JSONValue {
    switch name {
    case "time": .string(time)
    case "action" where entry[field: "scope"] != nil: action(value, text(entry[field: "scope"]))
    case "refused": .array(refused.map(\.tree))
    default: JSONProjection.untyped(value)
    }
  }

  /// The entry as one line, for people.
  var text: String {
    let columns = [
      Self.padded(text(entry[field: "revision"]), 8, isLeft: true), time,
      Self.padded(who, 14), what, then, changed, duration,
    ]
    return Printable.text(columns.filter { !$0.isEmpty }.joined(separator: "  "))
  }

  /// The actions that were refused before the revision; each is like an entry without a revision.
  private var refused: [LogLine] {
    guard case .array(let entries)? = entry[field: "refused"] else { return [] }
    return entries.map { LogLine($0, action: action) }
  }

  /// For people: the actions that were refused before the revision, one line for each.
  var refusals: [String] {
    refusalTexts.map { "\(Self.padded("–", 8, isLeft: true))  \($0)" }
  }

  private var refusalTexts: [String] {
    let lines = refused.map { line in
      let code = line.entry[field: "code"].map { " (\(text($0)))" } ?? ""
      let outcome = line.entry[field: "outcome"].map { text($0) } ?? "refused"
      let (session, sequence) = (line.entry[field: "session"], line.entry[field: "sequence"])
      return [
        Self.padded("session \(text(session)) #\(text(sequence))", 14), line.what,
        "\(outcome)\(code): \(text(line.entry[field: "reason"]))",
      ]
      .joined(separator: "  ")
    }
    let more = entry[field: "refusedMore"].map { ["\(text($0)) more actions were refused"] }
    return (lines + (more ?? [])).map { Printable.text($0) }
  }

  /// For people: everything that the columns of the log have no room for, one line each.
  var notes: [String] {
    let sequel = [departures, then, reply, firing, began].filter { !$0.isEmpty }
      .map { Printable.text($0) }
    return refusalTexts.map { "before: \($0)" } + sequel
  }

  var time: String {
    guard case .unsigned(let milliseconds)? = entry[field: "time"] else { return "–" }
    return UTCTime.text(milliseconds: milliseconds)
  }

  var who: String {
    switch text(entry[field: "by"]) {
    case "client" where entry[field: "session"] == nil: "client"
    case "client":
      "session \(text(entry[field: "session"])) #\(text(entry[field: "sequence"]))"
        + (entry[field: "sessionName"].map { " \(text($0))" } ?? "")
    case "joined", "left": "session \(text(entry[field: "session"]))"
    case "restart", "start": text(entry[field: "by"])
    case "internal" where entry[field: "cause"] != nil:
      "\(entry[field: "effect"].map { text($0) } ?? "effect") of r\(text(entry[field: "cause"]))"
    case "internal", "daemon": "daemon"
    // The client may not learn it.
    default: "–"
    }
  }

  private var restart: String {
    var parts = [entry[field: "wasStopped"] == .bool(true) ? "after a stop" : "after a crash"]
    let count = departedCount
    if count > 0 { parts.append(count == 1 ? "1 session left" : "\(count) sessions left") }
    if case .array(let names)? = entry[field: "interrupted"], !names.isEmpty {
      parts.append("interrupted: \(names.map { text($0) }.joined(separator: ", "))")
    }
    return parts.joined(separator: ", ")
  }

  /// The sessions that left with the daemon before a restart, as far as they are listed.
  private var departed: [GenericValue] {
    if case .array(let sessions)? = entry[field: "left"] { Array(sessions) } else { [] }
  }

  private var departedCount: UInt64 {
    guard case .unsigned(let more)? = entry[field: "leftMore"] else {
      return UInt64(departed.count)
    }
    let (count, isTooLarge) = more.addingReportingOverflow(UInt64(departed.count))
    return isTooLarge ? .max : count
  }

  private var departures: String {
    guard !departed.isEmpty else { return "" }
    let names = departed.prefix(Self.mostDepartures).map {
      "\(text($0[field: "name"])) (session \(text($0[field: "session"])))"
    }
    let more = departedCount - UInt64(names.count)
    return "left: " + names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }

  /// The departed sessions that a note names.
  private static let mostDepartures = 8

  var what: String {
    let by = text(entry[field: "by"])
    switch by {
    case "joined", "left":
      return "\(text(entry[field: "name"])) \(by)"
    case "start": return "for the first time"
    case "restart":
      return restart
    default: break
    }
    if by == "internal", entry[field: "scope"] == nil { return internalAction }
    let scope = text(entry[field: "scope"])
    if let action = entry[field: "action"] {
      return "\(scope) \(self.action(action, scope).text())"
    }
    if let bytes = entry[field: "actionBytes"] { return "\(scope) (\(text(bytes)) bytes)" }
    if let name = entry[field: "name"] { return "\(scope) \(text(name))" }
    if entry[field: "ended"] != nil { return "an effect ended" }
    if entry[field: "forgot"] != nil { return "a client left" }
    return entry[field: "by"] == nil ? "–" : "by itself"
  }

  /// An action of the daemon's own: its path, and its payload if that is known.
  private var internalAction: String {
    guard let name = entry[field: "name"] else { return "by itself" }
    let path = text(name)
    guard let last = path.split(separator: ".").last, let action = entry[field: "action"],
      let payload = Self.payload(of: String(last), in: action)
    else { return path }
    return "\(path) \(JSONProjection.untyped(payload).text())"
  }

  private static func payload(of name: String, in action: GenericValue) -> GenericValue? {
    guard case .map(let entries) = action else { return nil }
    if let own = action[field: name] { return own }
    return entries.lazy.compactMap { payload(of: name, in: $0.value) }.first
  }

  /// The actions that followed in the revision.
  private var then: String {
    guard case .array(let names)? = entry[field: "then"] else { return "" }
    return "then \(names.map { text($0) }.joined(separator: ", "))"
  }

  /// The reducer's reply to the client's action.
  private var reply: String {
    if let bytes = entry[field: "replyBytes"] { return "replied with \(text(bytes)) bytes" }
    return entry[field: "reply"].map { "replied \(JSONProjection.untyped($0).text())" } ?? ""
  }

  /// The schedule that sent the action, and its due time.
  private var firing: String {
    guard case .unsigned(let due)? = entry[field: "due"] else { return "" }
    let number = text(entry[field: "schedule"])
    return "due at \(UTCTime.text(milliseconds: due)) by schedule \(number)"
  }

  /// The effects that the revision began.
  private var began: String {
    guard case .array(let names)? = entry[field: "began"] else { return "" }
    return "began \(names.map { text($0) }.joined(separator: ", "))"
  }

  var changed: String {
    guard let scopes else { return "" }
    return scopes.isEmpty ? "→ nothing" : "→ \(scopes.joined(separator: " "))"
  }

  /// The names of the scopes that the revision changed; nil if unknown.
  var scopes: [String]? {
    guard case .array(let names)? = entry[field: "changed"] else { return nil }
    return names.map { text($0) }
  }

  var duration: String {
    entry[field: "us"].map { "\(text($0)) µs" } ?? ""
  }

  private func text(_ value: GenericValue?) -> String {
    switch value {
    case .text(let text): text
    case .unsigned(let number): "\(number)"
    case nil: "–"
    case let value?: "\(value)"
    }
  }

  static func padded(_ text: String, _ width: Int, isLeft: Bool = false) -> String {
    let padding = String(repeating: " ", count: max(0, width - text.count))
    return isLeft ? padding + text : text + padding
  }
}
