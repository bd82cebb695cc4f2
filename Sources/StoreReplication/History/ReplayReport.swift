package import GenericState
import StoreState

/// What came of running a journal's revisions again with the reducers of this build.
public struct ReplayReport: Hashable, Sendable {
  /// The first place at which this build does something else.
  public struct Difference: Hashable, Sendable {
    /// The revision.
    public var revision: UInt64
    /// What caused it: an action and its scope, a session, a restart.
    public var cause: String
    /// The place in the root's durable form, such as `$.counter.count`.
    public var path: String
    /// What the journal has there.
    public var recorded: String
    /// What this build makes of it.
    public var now: String
    /// The dependencies that the reducers read and that are as they are now, by name.
    public var read: [String]
  }

  /// The first revision that was looked at; nil for none.
  public internal(set) var first: UInt64?
  /// The last one.
  public internal(set) var last: UInt64?
  /// How many were run again and led to the same; those that reduced nothing are not counted.
  public private(set) var checked = 0
  /// How many were not, by what caused them and why.
  public private(set) var unchecked: [String: Int] = [:]
  /// In how many of those that were checked the reducers have read dependencies which are as they
  /// are now, by name.
  ///
  /// An effect that is made of a dependency counts as well: it was read, though it did not run.
  public private(set) var read: [String: Int] = [:]
  /// Properties of the state that no journal has, which may make a difference.
  ///
  /// They begin with their defaults, and behind each revision that is not checked they do so again.
  public internal(set) var unkept: [String] = []
  /// The first difference, behind which nothing was run; nil when there is none.
  public internal(set) var difference: Difference?
  /// 16 hexadecimal digits that stand for all that the checked revisions have changed.
  ///
  /// The same journal and the same reducers give the same ones, however they were compiled.
  public internal(set) var digest = ""

  /// Reasons that are told apart: they have words of others in them, of which there may be many.
  private static let mostReasons = 100

  /// Whether this build has made an action of a session's event.
  package internal(set) var hasSessionActions = false
  /// Whether this build has made an action of a restart.
  package internal(set) var hasRestoredActions = false

  init() {}

  /// A revision was run again, and led to the same.
  mutating func check(_ read: Set<String>) {
    checked += 1
    for name in read { self.read[name, default: 0] += 1 }
  }

  /// A revision could not be checked.
  mutating func pass(over cause: String, _ why: String) {
    var reason = "\(cause): \(why)"
    if unchecked.count >= Self.mostReasons, unchecked[reason] == nil { reason = "other reasons" }
    unchecked[reason, default: 0] += 1
  }
}

extension ReplayReport: CustomStringConvertible {
  /// The report for people: what was checked, what was not, and the difference.
  public var description: String {
    guard let first, let last else { return "There was no revision to run again." }
    var lines = [
      "Revisions \(first) to \(last): \(checked) run again with the result that was kept, digest "
        + "\(digest)."
    ]
    if !unchecked.isEmpty {
      lines.append("Not checked:")
      lines += unchecked.sorted { $0.key < $1.key }.map { "  \($0.value) × \($0.key)" }
    }
    if !read.isEmpty {
      let names = read.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value) ×)" }
      lines.append("Read as in this program now: \(names.joined(separator: ", ")).")
    }
    if let difference {
      lines.append("Revision \(difference.revision) differs at \(difference.path):")
      lines.append("  cause     \(difference.cause)")
      lines.append("  recorded  \(difference.recorded)")
      lines.append("  now       \(difference.now)")
      if !difference.read.isEmpty {
        lines.append("  read as in this program now: \(difference.read.joined(separator: ", "))")
      }
      if !unkept.isEmpty {
        lines.append("  in no journal: \(unkept.joined(separator: ", "))")
      }
    }
    return lines.joined(separator: "\n")
  }
}

extension ReplayReport {
  /// The report for programs.
  package var json: JSONValue {
    let counts = { (counts: [String: Int]) -> JSONValue in
      .object(counts.sorted { $0.key < $1.key }.map { .init($0.key, .integer($0.value)) })
    }
    var members: [JSONValue.Member] = [
      .init("first", first.map { .integer($0) } ?? .null),
      .init("last", last.map { .integer($0) } ?? .null),
      .init("checked", .integer(checked)), .init("unchecked", counts(unchecked)),
      .init("read", counts(read)), .init("digest", .string(digest)),
      .init("unkept", .array(unkept.map { .string($0) })),
    ]
    if let difference {
      let json: JSONValue = [
        "revision": .integer(difference.revision), "cause": .string(difference.cause),
        "path": .string(difference.path), "recorded": .string(difference.recorded),
        "now": .string(difference.now), "read": .array(difference.read.map { .string($0) }),
      ]
      members.append(.init("difference", json))
    }
    return .object(members)
  }
}
