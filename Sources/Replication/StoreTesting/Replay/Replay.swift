import Foundation
public import StoreActor
public import StoreExposures
public import StoreHistory
import StoreState

/// Runs a feature's reducer again with the records that a daemon kept, and compares the results.
///
/// A daemon's `make-test` writes tests that call it, with the journals that they read:
///
/// ```swift
/// @MainActor @Test func replays() throws {
///   let report = try replay("Played.journal", exposures: App.exposures) { App() }
///   #expect(report.difference == nil, "\(report)")
/// }
/// ```
///
/// Reducers read the recorded dates, UUIDs and random numbers. No effect runs.
///
/// - Parameters:
///   - journal: The journal's path, from the test's file.
///   - exposures: The daemon's exposures.
///   - sessionAction: The daemon's action for a session's event.
///   - restoredAction: The daemon's action for a restart.
///   - prepareDependencies: Changes the dependencies of the reducer.
///   - file: The test's file.
///   - reducer: The root's reducer.
/// - Returns: The checked revisions, the uncheckable ones, and the first one that differs.
/// - Throws: Why the journal cannot be read.
@MainActor
public func replay<State: DurableState & Sendable, Action, R: Reducer<State, Action>>(
  _ journal: String,
  exposures: [Expose<State, Action>],
  sessionAction: @escaping (SessionEvent) -> Action? = { _ in nil },
  restoredAction: @escaping (Restoration) -> Action? = { _ in nil },
  withDependencies prepareDependencies: ((inout DependencyValues) -> Void)? = nil,
  beside file: String = #filePath,
  @ReducerBuilder<State, Action> reducer: () -> R,
) throws -> ReplayReport {
  let path = URL(filePath: file).deletingLastPathComponent().appending(path: journal)
  let excerpt = try JournalExcerpt(encoded: [UInt8](try Data(contentsOf: path)))
  let form = DurableForm(State.self)
  let state = try withDependencies {
    $0.shareNothing()
  } operation: {
    try excerpt.root(form)
  }
  let core = RootCore(
    initialState: { state },
    reducer: reducer,
    withDependencies: {
      $0.useReducerInputs()
      prepareDependencies?(&$0)
    },
    revision: excerpt.revisions.lowerBound - 1,
  )
  return try Replay(
    core,
    exposures: exposures,
    form: form,
    restoredAction: restoredAction,
    sessionAction: sessionAction,
  )
  .run(excerpt.source, 0 ... .max)
}
