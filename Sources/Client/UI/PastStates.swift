import GenericState
import StoreProtocol
import StoreState

/// A scope's state at a revision, and the changes of that revision.
struct PastMoment: Sendable {
  let revision: UInt64
  /// The state; null if the scope was absent.
  let root: StateNode
  /// The differences from the previous revision; nil if that one is not kept.
  let changes: StateChanges?

  var isAbsent: Bool { root.isNull }
}

/// Reads states of a scope's past.
///
/// Reading never blocks the user interface: a daemon may answer late, and a large state is decoded
/// and compared on another thread.
@MainActor
final class PastStates {
  let name: String
  private let document: SchemaDocument
  private let daemon: DaemonModel
  /// The states that were read last: a step to an adjacent revision reuses one of them.
  private var known: [UInt64: StateNode] = [:]

  init(_ name: String, _ description: ScopeDescription, of daemon: DaemonModel) {
    self.name = name
    document = description.state
    self.daemon = daemon
  }

  /// The state at a revision.
  func moment(at revision: UInt64) async throws(HistoryError) -> PastMoment {
    let after = try await state(at: revision)
    let before = try await stateBefore(revision)
    let changes = await Self.changes(from: before, to: after)
    known = [revision: after]
    if let before { known[revision - 1] = before }
    return PastMoment(revision: revision, root: after, changes: changes)
  }

  private func stateBefore(_ revision: UInt64) async throws(HistoryError) -> StateNode? {
    guard revision > 0 else { return nil }
    do throws(HistoryError) {
      return try await state(at: revision - 1)
    } catch {
      // The oldest kept state is shown without changes.
      guard error.code == .gone else { throw error }
      return nil
    }
  }

  private func state(at revision: UInt64) async throws(HistoryError) -> StateNode {
    if let state = known[revision] { return state }
    let answer = try await daemon.past(.state(revision: revision, scope: name))
    guard case .state(let bytes) = answer else { throw DaemonModel.otherAnswer }
    do throws(CodecError) {
      return try await Self.read(bytes, name, document)
    } catch {
      throw HistoryError(.corrupt, "The state of revision \(revision) is invalid: \(error).")
    }
  }

  // MARK: - On another thread

  @concurrent nonisolated private static func read(
    _ bytes: ArraySlice<UInt8>,
    _ name: String,
    _ document: SchemaDocument,
  ) async throws(CodecError) -> StateNode {
    let schema = Schema.optional(document.root)
    var decoder = CBORDecoder(bytes)
    let value = try GenericValue(from: &decoder, schema: schema, in: document)
    return StateNode(name, value, schema, in: document)
  }

  @concurrent nonisolated private static func changes(
    from before: StateNode?,
    to after: StateNode,
  ) async -> StateChanges? {
    before.map { StateChanges(from: $0, to: after) }
  }
}

extension DaemonModel {
  /// Sends a history query after a pause, and returns the answer.
  ///
  /// A daemon limits the queries per second, and closes connections that exceed it.
  func past(_ query: HistoryQuery) async throws(HistoryError) -> HistoryAnswer {
    let breath = Task { [lastBreath, breathe] in
      await lastBreath?.value
      await breathe()
    }
    lastBreath = breath
    await breath.value
    if Task.isCancelled {
      throw HistoryError(.unavailable, "The query was cancelled before it was sent.")
    }
    let result = await withCheckedContinuation { continuation in
      ask(query) { continuation.resume(returning: $0) }
    }
    switch result {
    case .success(.failed(let error)): throw error
    case .success(let answer): return answer
    case .failure(let error):
      throw HistoryError(.unavailable, "The answer is invalid: \(error).")
    }
  }

  static var otherAnswer: HistoryError { HistoryError(.unavailable, "\(Past.otherAnswer)") }
}
