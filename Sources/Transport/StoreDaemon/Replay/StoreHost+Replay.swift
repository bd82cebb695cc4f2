import Foundation
import StoreActor
public import StoreHistory
import StoreJournal
import StoreProtocol

extension StoreHost {
  /// Replays the recorded history with this build's reducer, and compares the results with the
  /// recorded ones.
  ///
  /// Each revision starts from the recorded state before it. Reducers read the recorded date, UUIDs
  /// and random numbers; other dependencies have their present values. No effect runs.
  /// `HostConfiguration.data` is a data directory, or a journal written by
  /// ``makeTest(_:from:through:)``. It is only read, and a daemon may be using it. The host cannot
  /// be run afterwards.
  ///
  /// - Parameters:
  ///   - first: The first revision; 0 for the oldest one that can be replayed.
  ///   - last: The last one.
  /// - Returns: The numbers of checked and unchecked revisions, and the first one that differs.
  /// - Throws: ``HostError``.
  public func replay(
    from first: UInt64 = 0,
    through last: UInt64 = .max,
  ) throws(HostError) -> ReplayReport {
    try read(first, last) { (replay, source, revisions) throws(HistoryError) in
      try replay.run(source, revisions)
    }
  }

  /// Writes a test that replays a part of the recorded history, and that part as a file next to it.
  ///
  /// The test fails if the reducers of a later build produce another result for a revision. Its
  /// journal contains the whole state before the range and all actions in it, including state that
  /// no client sees. The test also expects how many revisions this build can check, and why others
  /// cannot be checked.
  ///
  /// - Parameters:
  ///   - test: Its name and directory, and the code that creates the feature.
  ///   - first: The first revision; 0 for the oldest one that can be replayed.
  ///   - last: The last one.
  /// - Returns: The paths of the test and of its journal.
  /// - Throws: ``HostError``, also if one of the files exists, or a revision differs with
  ///   this build.
  public func makeTest(
    _ test: ReplayTest = ReplayTest(),
    from first: UInt64 = 0,
    through last: UInt64 = .max,
  ) throws(HostError) -> (test: String, journal: String) {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: test.directory, isDirectory: &isDirectory),
      isDirectory.boolValue
    else {
      throw HostError(
        .cannotCreate,
        "There is no directory \(test.directory) to write the test to.",
        remedy: "Make it, or name another one.",
      )
    }
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
      // One without the other is useless, and would block a second attempt.
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
        remedy: "Choose another name or directory, or remove the existing file.",
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

  /// The source of the history: a data directory or a written journal.
  private func source(
    _ path: String,
    _ root: String,
  ) throws(HistoryError) -> any HistorySource {
    var isDirectory: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    guard isThere, !isDirectory.boolValue else {
      do throws(JournalError) {
        return try JournalReader.whole(directory: path, root: root)
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

/// The most bytes of a journal beside a test: larger files do not belong in a project.
private let mostExcerptBytes = 16 << 20
