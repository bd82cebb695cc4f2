import ArgumentParser
import GenericState
import StoreHistory
import StoreJournal
import StoreProtocol
import StoreState

/// The findings about a data directory that no daemon uses: its segments and its faults.
struct VerifiedDirectory {
  /// The extent of the records and snapshots.
  struct Summary {
    let members: [JSONValue.Member]
    let text: String

    /// Returns nil for an answer of another kind.
    init?(_ answer: HistoryAnswer) {
      guard case .verified(let first, let last, let records, let snapshots) = answer else {
        return nil
      }
      members = [
        JSONValue.Member("first", .integer(first)), JSONValue.Member("last", .integer(last)),
        JSONValue.Member("records", .integer(records)),
        JSONValue.Member("snapshots", .integer(snapshots)),
      ]
      text =
        "All is well: \(Counted.text(records, "record")) and "
        + "\(Counted.text(snapshots, "snapshot")), revisions \(first) to \(last)."
    }
  }

  /// The exit status if data may be missing that a daemon does not need.
  private static let doubtful = ExitCode(1)

  private let survey: LogSurvey
  /// The extent of its states, or the reason why they cannot be read.
  private let states: Result<Summary, any Error>

  init(_ directory: String) throws {
    try HistoryOptions.checkUnused(directory)
    survey = try LogSurvey(directory)
    states = Result {
      let reader = try JournalReader.whole(directory: directory)
      var past = PastReader(reader, GenericPast(), limits: .unlimited, telling: .all)
      let answer = past.answer(.verify)
      if case .failed(let error) = answer { throw error }
      guard let summary = Summary(answer) else { throw Past.otherAnswer }
      return summary
    }
    // A daemon that started meanwhile may have written during the survey.
    try HistoryOptions.checkUnused(directory)
  }

  /// Prints the findings.
  ///
  /// - Throws: The program's exit status, after the reason was printed.
  func print(isJSON: Bool) throws {
    let isWell = survey.problems.isEmpty
    let summary = try? states.get()
    if isJSON {
      let members =
        (summary?.members ?? []) + [
          JSONValue.Member("segments", .array(survey.segments.map(Self.tree))),
          JSONValue.Member("problems", .array(problems.map { .string($0) })),
        ]
      try StandardOutput.line(JSONValue.object(members).text())
    } else {
      for line in table.lines() { try StandardOutput.line(line) }
      if isWell, let summary { try StandardOutput.line(summary.text) }
    }
    for problem in survey.problems { Note.print(problem.text) }
    if case .failure(let error) = states { throw error }
    if survey.isDamaged {
      throw CommandError(
        .badData,
        "\(survey.directory) is damaged. If a daemon does not start, restore a backup, or copy the "
          + "readable part with storectl salvage.",
      )
    }
    if !isWell { throw Self.doubtful }
  }

  /// The faults; if the log's files are intact, also the reason why no state can be read from them.
  private var problems: [String] {
    let found = survey.problems.map(\.text)
    guard case .failure(let error) = states, !survey.isDamaged else { return found }
    return found + ["\(error)"]
  }

  private var table: TextTable {
    var table = TextTable(
      heading: ["SEGMENT", "TERM", "SEAL", "FIRST", "LAST", "BYTES", "END", "BOOT"]
    )
    for segment in survey.segments {
      table.add(
        segment.name,
        "\(segment.term)",
        segment.seal.map { "\($0)" } ?? "-",
        "\(segment.first)",
        segment.last.map { "\($0)" } ?? "-",
        segment.bytes.map { "\($0)" } ?? "-",
        Self.text(segment.end),
        segment.boot ?? "-",
      )
    }
    return table
  }

  private static func tree(_ segment: LogSurvey.Segment) -> JSONValue {
    [
      "name": .string(segment.name), "format": segment.format.map { .integer($0) } ?? .null,
      "term": .integer(segment.term), "seal": segment.seal.map { .integer($0) } ?? .null,
      "first": .integer(segment.first), "last": segment.last.map { .integer($0) } ?? .null,
      "bytes": segment.bytes.map { .integer($0) } ?? .null, "end": .string(text(segment.end)),
      "boot": segment.boot.map { .string($0) } ?? .null,
    ]
  }

  private static func text(_ end: LogSurvey.End) -> String {
    switch end {
    case .clean: "clean"
    case .open: "open"
    case .continued: "continued"
    case .copied: "copied"
    case .torn(let place): "torn at byte \(place)"
    case .damaged(let place): "damaged at byte \(place)"
    }
  }
}
