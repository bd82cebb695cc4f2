import Foundation
import StoreActor
import StoreJournal
public import StoreReplication

extension StoreHost {
  /// Runs this build's reducer again with what was kept, and compares what comes of it: tomorrow's
  /// reducers with yesterday's log.
  ///
  /// Each revision begins with the state that was kept before it. Reducers read the date, UUIDs and
  /// random numbers that were read then; other dependencies are as they are now. No effect runs.
  /// What is in `HostConfiguration.data` is only read, and a daemon may be using it. That is a data
  /// directory, or a journal that ``makeTest(_:from:through:)`` has written. The host itself cannot
  /// be run afterwards.
  ///
  /// - Parameters:
  ///   - first: The first revision; 0 for the oldest one that can be run.
  ///   - last: The last one.
  /// - Returns: What was checked, what could not be, and the first revision that differs.
  /// - Throws: ``HostError``.
  public func replay(
    from first: UInt64 = 0,
    through last: UInt64 = .max,
  ) throws(HostError) -> ReplayReport {
    try read(first, last) { (replay, source, revisions) throws(HistoryError) in
      try replay.run(source, revisions)
    }
  }

  /// Writes a test that runs a part of what was kept again, with that part beside it.
  ///
  /// The test fails when the reducers of its build make something else of a revision. Its journal
  /// has the whole state before the range, and all actions in it: also what no client sees. It
  /// expects what this build makes of that: how many revisions can be checked, and why others
  /// cannot.
  ///
  /// - Parameters:
  ///   - test: What it is called, where it is written, and the code that makes the feature.
  ///   - first: The first revision; 0 for the oldest one that can be run.
  ///   - last: The last one.
  /// - Returns: The paths of the test and of its journal.
  /// - Throws: ``HostError``, also when one of the files is there already, and when a revision
  ///   differs now.
  public func makeTest(
    _ test: ReplayTest = ReplayTest(),
    from first: UInt64 = 0,
    through last: UInt64 = .max,
  ) throws(HostError) -> (test: String, journal: String) {
    let most = mostExcerptBytes
    let (excerpt, report) = try read(first, last) {
      (replay, source, revisions) throws(HistoryError) in
      let excerpt = try replay.excerpt(source, revisions, atMost: most)
      return (excerpt, try replay.run(excerpt.source, 0 ... .max))
    }
    try test.check(report)
    let name = try test.name(for: excerpt.revisions)
    let paths = (
      test: "\(test.directory)/\(name)Tests.swift", journal: "\(test.directory)/\(name).journal",
    )
    let text = test.text(
      name,
      excerpt.revisions,
      root: String(reflecting: State.self),
      report,
    )
    try write(Data(excerpt.encoded), to: paths.journal)
    do throws(HostError) {
      try write(Data(text.utf8), to: paths.test)
    } catch {
      // One without the other is of no use, and would be in the way of both.
      try? FileManager.default.removeItem(atPath: paths.journal)
      throw error
    }
    return paths
  }

  private func write(_ data: Data, to path: String) throws(HostError) {
    do {
      try data.write(to: URL(filePath: path), options: .withoutOverwriting)
    } catch {
      throw HostError(
        .cannotCreate,
        "\(path) could not be written: \(error.localizedDescription)",
        remedy: "Choose another name or directory, or remove what is there.",
      )
    }
  }

  private func read<Result>(
    _ first: UInt64,
    _ last: UInt64,
    _ body: (
      Replay<State, Action>, any HistorySource, ClosedRange<UInt64>
    ) throws(HistoryError) -> Result,
  ) throws(HostError) -> Result {
    guard first <= last else {
      throw HostError(
        .usage,
        "Revision \(first) does not come before revision \(last).",
        remedy: "Name the earlier one first.",
      )
    }
    guard service == nil else {
      throw HostError(
        .usage,
        "This daemon runs, and its store is in use.",
        remedy: "Create another StoreHost with the same data directory, which may be in use.",
      )
    }
    guard let path = configuration.data else {
      throw HostError(
        .usage,
        "This daemon keeps its state in memory only.",
        remedy: "Name a data directory, or a journal that make-test has written.",
      )
    }
    let form = try durableForm()
    hasReplayed = true
    let replay = Replay(
      core,
      exposures: exposures,
      form: form,
      restoredAction: restoredAction,
      sessionAction: sessionAction,
    )
    do throws(HistoryError) {
      return try body(replay, try source(path, form.name), first...last)
    } catch {
      switch error.code {
      case .unavailable: throw HostError(.tryAgain, error.message, remedy: "")
      case .tooLarge:
        throw HostError(.usage, error.message, remedy: "Name a part of them with --from and --to.")
      default: throw HostError(.badData, error.message, remedy: "")
      }
    }
  }

  /// Where the past is.
  private func source(
    _ path: String,
    _ root: String,
  ) throws(HistoryError) -> any HistorySource {
    var isDirectory: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    guard isThere, !isDirectory.boolValue else {
      do throws(JournalError) {
        return try JournalReader(directory: path, root: root)
      } catch {
        throw HistoryError(error.code.isForNow ? .unavailable : .corrupt, "\(error)")
      }
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw HistoryError(.corrupt, "\(path) cannot be read. Look at its permissions.")
    }
    let excerpt = try JournalExcerpt(encoded: [UInt8](data))
    guard excerpt.root == root else {
      throw HistoryError(
        .corrupt,
        "\(path) is of \"\(excerpt.root)\", and this program's root is called \"\(root)\".",
      )
    }
    return excerpt.source
  }
}

/// How large a journal beside a test may be: what is beyond that is no part of a project.
private let mostExcerptBytes = 16 << 20
