import GenericState
import StoreState

/// The entries of a log that a person wants to see; the conditions combine.
struct LogFilter: Hashable {
  /// A part of the action's name, such as `addButtonTapped` or `jobs`.
  var action: String?
  /// The origin: `client`, `internal`, `joined`, `left`, `restart`, `start` or `daemon`; an
  /// effect's name; the name of a key; or a user's id.
  var origin: String?
  /// A scope that has changed, or that contains a changed one.
  var changed: String?
  /// Whether the entries are wanted that do not match.
  var isNegated = false

  /// Whether it has a condition.
  var isActive: Bool { action != nil || origin != nil || changed != nil }

  /// Whether an entry is wanted.
  func matches(_ entry: GenericValue) -> Bool {
    guard isActive else { return true }
    return (hasAction(entry) && hasOrigin(entry) && hasChanged(entry)) != isNegated
  }

  private func hasAction(_ entry: GenericValue) -> Bool {
    guard let action else { return true }
    if case .text(let name)? = entry[field: "name"], entry[field: "peer"] == nil {
      return name.contains(action)
    }
    return entry[field: "action"].map { Self.name(of: $0).contains(action) } ?? false
  }

  /// The cases of an action and the ids of elements, as `jobs.element[2].began`: the form of the
  /// names that a daemon writes.
  private static func name(of action: GenericValue) -> String {
    var (name, next): (String, GenericValue?) = ("", action)
    while let value = next {
      next = nil
      if case .text(let last) = value { append(last, to: &name) }
      guard case .map(let fields) = value, fields.count == 1, case .text(let choice) = fields[0].key
      else { break }
      append(choice, to: &name)
      guard case .map(let payload) = fields[0].value else { break }
      if payload.count == 1, payload[0].key == .text("_0") {
        next = payload[0].value
      } else if payload.count == 2, let id = fields[0].value[field: "id"] {
        name += "[\(text(of: id))]"
        next = fields[0].value[field: "action"]
      }
    }
    return name
  }

  /// An id as a record's name has it: a text without quotes, and a UUID as text.
  private static func text(of id: GenericValue) -> String {
    switch id {
    case .text(let text): text
    case .bytes(let bytes) where bytes.count == 16: UUIDText.text(of: bytes)
    default: "\(id)"
    }
  }

  private static func append(_ choice: String, to name: inout String) {
    name += name.isEmpty ? choice : ".\(choice)"
  }

  private func hasOrigin(_ entry: GenericValue) -> Bool {
    guard let origin else { return true }
    for field in ["by", "effect", "key"] where entry[field: field] == .text(origin) { return true }
    // The sessions that left with the daemon before are in the entry of its restart.
    if origin == "left", entry[field: "left"] != nil { return true }
    return UInt64(origin).map { entry[field: "user"] == .unsigned($0) } ?? false
  }

  private func hasChanged(_ entry: GenericValue) -> Bool {
    guard let changed else { return true }
    guard case .array(let scopes)? = entry[field: "changed"] else { return false }
    return scopes.contains { scope in
      guard case .text(let name) = scope else { return false }
      return name == changed || name.hasPrefix("\(changed)/")
    }
  }
}
