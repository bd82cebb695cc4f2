package import GenericState
import StoreState

/// The result of replaying a journal's revisions with the reducers of this build.
public struct ReplayReport: Hashable, Sendable {
  /// The first place at which this build produces another result.
  public struct Difference: Hashable, Sendable {
    /// The revision.
    public var revision: UInt64
    /// Its cause: an action and its scope, a session, a restart.
    public var cause: String
    /// The place in the root's durable form, such as `$.counter.count`.
    public var path: String
    /// The recorded value there.
    public var recorded: String
    /// This build's value there.
    public var now: String
    /// The names of dependencies that the reducers read and whose values were not recorded.
    public var read: [String]
  }

  /// The first revision that was examined; nil if the range was empty.
  public internal(set) var first: UInt64?
  /// The last one.
  public internal(set) var last: UInt64?
  /// The number of revisions replayed with the same result, without those that reduced no action.
  public private(set) var checked = 0
  /// The number of revisions that were not checked, by their cause and the reason.
  public private(set) var unchecked: [String: Int] = [:]
  /// The number of checked revisions in which the reducers read a dependency whose value was not
  /// recorded, by the dependency's name.
  ///
  /// A dependency that was captured by an effect counts too, although the effect did not run.
  public private(set) var read: [String: Int] = [:]
  /// Properties of the state that are not recorded, and may therefore cause a difference.
  ///
  /// They start with their defaults, and are reset after each revision that is not checked.
  public internal(set) var unkept: [String] = []
  /// The first difference, if any; the replay stopped after it.
  public internal(set) var difference: Difference?
  /// A digest, 16 hexadecimal digits, of all that the checked revisions changed.
  ///
  /// The same journal and the same reducers give the same digest, however they were compiled.
  public internal(set) var digest = ""

  /// The most distinct reasons: they contain foreign text, so their number is unbounded.
  private static let mostReasons = 100

  /// Whether this build has made an action of a session's event.
  package internal(set) var hasSessionActions = false
  /// Whether this build has made an action of a restart.
  package internal(set) var hasRestoredActions = false

  init() {}

  /// A replayed revision had the same result.
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
  /// The report for people: the checked and the unchecked revisions, and the difference.
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
