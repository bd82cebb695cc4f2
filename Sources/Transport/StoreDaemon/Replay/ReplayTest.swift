import StoreHistory

/// Settings of a test that ``StoreHost/makeTest(_:from:through:)`` writes: its name, and the code
/// that creates the feature.
///
/// Properties that are nil are derived from the state's type: for `App.Feature.State` the module
/// `App`, the feature `Feature()` and its `Feature.exposures`.
public struct ReplayTest: Hashable, Sendable {
  /// The name of its files and its type; nil for a name with the revisions.
  public var name: String?
  /// The directory that it is written to.
  public var directory = "."
  /// The modules that the test imports for the feature.
  public var modules: [String]?
  /// The code that creates the root's reducer.
  public var feature: String?
  /// The code of the exposures.
  public var exposures: String?
  /// The code of the action for a session's event, if the daemon has one.
  public var sessionAction: String?
  /// The code of the action for a restart, if the daemon has one.
  public var restoredAction: String?

  /// Creates a test with everything derived from the state's type.
  public init() {}

  func name(for revisions: ClosedRange<UInt64>) throws(HostError) -> String {
    let name = name ?? "Revisions\(revisions.lowerBound)To\(revisions.upperBound)"
    let isName =
      name.utf8.first.map { !(0x30...0x39).contains($0) } == true
      && name.utf8.allSatisfy { byte in
        byte == 0x5f || [0x30...0x39, 0x41...0x5a, 0x61...0x7a].contains { $0.contains(byte) }
      }
    guard isName else {
      throw HostError(
        .usage,
        "A test cannot be called \"\(name)\".",
        remedy: "Use letters and digits, and begin with a letter.",
      )
    }
    return name
  }

  /// Checks whether the test would reproduce this program's results.
  ///
  /// - Parameter report: The result of the replay in this program.
  /// - Throws: ``HostError``.
  func check(_ report: ReplayReport) throws(HostError) {
    if let difference = report.difference {
      throw HostError(
        .badData,
        "Revision \(difference.revision) differs now, at \(difference.path).",
        remedy: "Look at the report of replay, and exclude it with --from and --to.",
      )
    }
    for (isNeeded, code, name) in [
      (report.hasSessionActions, sessionAction, "sessionAction"),
      (report.hasRestoredActions, restoredAction, "restoredAction"),
    ] where isNeeded && code == nil {
      throw HostError(
        .usage,
        "The journal has data that this program's \(name) turns into actions; the test has none.",
        remedy: "Set ReplayTest.\(name) to the code that the daemon has for it.",
      )
    }
  }

  /// The test's text.
  ///
  /// - Parameters:
  ///   - name: The test's name.
  ///   - revisions: The revisions in its journal.
  ///   - root: The state's type, with its module.
  ///   - report: The result of the replay in this program.
  /// - Returns: The text of a Swift file.
  func text(
    _ name: String,
    _ revisions: ClosedRange<UInt64>,
    root: String,
    _ report: ReplayReport,
  ) -> String {
    let parts = root.split(separator: ".").map(String.init)
    let type = parts.dropFirst().dropLast(parts.last == "State" ? 1 : 0).joined(separator: ".")
    let modules = modules ?? Array(parts.prefix(1))
    let range = "\(revisions.lowerBound) to \(revisions.upperBound)"
    let counts = report.unchecked.sorted { $0.key < $1.key }
      .map { "\n      \($0.key.debugDescription): \($0.value)," }
    let unchecked = counts.isEmpty ? "[:]" : "[\(counts.joined())\n    ]"
    var arguments = ["\"\(name).journal\"", "exposures: \(exposures ?? "\(type).exposures")"]
    if let sessionAction { arguments.append("sessionAction: \(sessionAction)") }
    if let restoredAction { arguments.append("restoredAction: \(restoredAction)") }
    return """
      import StoreTesting
      import Testing

      \(modules.map { "@testable import \($0)" }.joined(separator: "\n"))

      /// Replays revisions \(range) with the current reducers.
      ///
      /// Written by make-test. After an intended change of the reducers, recreate or remove it.
      @MainActor
      @Suite struct \(name)Tests {
        @Test func `Revisions \(range) lead to the same states`() throws {
          let report = try replay(
      \(arguments.map { "      \($0)," }.joined(separator: "\n"))
          ) {
            \(feature ?? "\(type)()")
          }
          #expect(report.difference == nil, "\\(report)")
          #expect(report.checked == \(report.checked), "\\(report)")
          let unchecked: [String: Int] = \(unchecked)
          #expect(report.unchecked == unchecked, "\\(report)")
        }
      }

      """
  }
}
