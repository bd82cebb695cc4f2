package import GenericState
package import StoreProtocol
package import StoreState

/// A scope's state as a generic value with a schema, for a program without its types.
@MainActor
package final class GenericReplica: Replica {
  /// A change of the scope.
  package enum Event {
    /// A snapshot is about to be shown.
    case snapshot(revision: UInt64)
    /// A delta of the optional state, which was `old`, was applied.
    case delta(ArraySlice<UInt8>, old: GenericValue, revision: UInt64)
    /// The scope emitted an output; the state that precedes it was shown.
    case output(GenericValue, revision: UInt64)
    /// The received bytes are shown, by all scopes of the connection.
    case shown(revision: UInt64)
    case status(ScopeStatus)
  }

  package let name: String
  package let description: ScopeDescription
  /// The optional state's kind.
  package let schema: Schema
  /// The optional state as of the newest bytes; null when the scope is absent.
  ///
  /// Not checked for overlapping accesses, because the check would cost a part of each delta.
  /// Applying a delta runs no callback.
  @exclusivity(unchecked) package private(set) var value = GenericValue.null
  @exclusivity(unchecked) package private(set) var revision: UInt64 = 0
  private let outputSchema: Digest?
  private let plan: DeltaPlan
  /// The final status until it is announced.
  private var end: ScopeStatus?
  /// Whether a received snapshot is not shown yet.
  private var isReset = false
  /// The number of outputs that did not fit their own schema.
  package private(set) var unreadableOutputs = 0
  /// Called for each event.
  ///
  /// Nil without an observer, so that no old states are kept.
  @exclusivity(unchecked) package var onEvent: (@MainActor (Event) -> Void)?
  /// Called after each change, without its details, so that no old states are kept.
  package var onNews: (@MainActor () -> Void)?

  package init(name: String, description: ScopeDescription) {
    self.name = name
    self.description = description
    schema = .optional(description.state.root)
    plan = DeltaPlan(schema, in: description.state)
    outputSchema = description.output?.hash
  }

  package func reset(to snapshot: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    var value = try GenericValue(encoded: snapshot)
    try value.validate(against: schema, in: description.state)
    // Prepare the plan here: receiving the snapshot pays for it, and not the first delta.
    try plan.prepare(&value)
    self.value = value
    self.revision = revision
    isReset = true
  }

  package func apply(_ delta: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    let old = onEvent == nil ? nil : value
    var decoder = CBORDecoder(delta)
    do throws(CodecError) {
      try plan.apply(&decoder, to: &value)
      try decoder.finish()
    } catch {
      // The value is half changed, and a snapshot follows. A caller may read it until then.
      value = old ?? .null
      throw error
    }
    self.revision = revision
    // A delta between a snapshot and its showing belongs to the snapshot.
    if let old, !isReset { onEvent?(.delta(delta, old: old, revision: revision)) }
  }

  package var digest: Digest { value._$digest }

  package var encoding: [UInt8] { value.encoded() }

  package private(set) var isShown = false

  package func show(revision: UInt64) {
    self.revision = revision
    isShown = value != .null
    guard isReset else { return }
    isReset = false
    onEvent?(.snapshot(revision: revision))
  }

  package func announce() {
    onEvent?(.shown(revision: revision))
    onNews?()
  }

  /// Reads an output by the schema that the daemon described; drops outputs of other schemas.
  package func received(_ output: PublishedMessage.Output) {
    guard let onEvent, let document = description.output, output.schema == outputSchema else {
      return
    }
    do throws(CodecError) {
      let value = try GenericValue(encoded: output.value)
      try value.validate(against: document.root, in: document)
      onEvent(.output(value, revision: output.revision))
    } catch {
      // Counted like a malformed frame: no remedy exists, and no caller waits for it.
      unreadableOutputs += 1
    }
  }

  package func statusChanged(_ status: ScopeStatus) {
    switch status {
    case .joining, .live, .stale: onEvent?(.status(status))
    case .refused, .closed: end = status
    }
    onNews?()
  }

  package func announceEnd() {
    guard let end else { return }
    self.end = nil
    onEvent?(.status(end))
  }
}
