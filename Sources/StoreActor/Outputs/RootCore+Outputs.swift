extension RootCore {
  @usableFromInline
  package func observeOutputs(
    _ onOutput: @escaping @MainActor (StoreOutput<Action>) -> Void
  ) -> StoreSubscription {
    outputObservers.add(onOutput)
  }

  /// Takes an output: delivers it now, or after the batch that emitted it.
  func emit(_ output: any Sendable, of action: Action?) {
    guard onOutput != nil || !outputObservers.isEmpty else { return }
    outputs.append(StoreOutput(value: output, action: action))
    guard phase == .idle else { return }
    publishOutputs()
    tellOutputs()
    if startCount > 0 { startEffects() }
  }

  /// Passes the outputs of the latest revision to the daemon.
  func publishOutputs() {
    while let output = outputs.nextToPublish() { onOutput?(output, revision) }
  }

  /// Delivers outputs to their observers, unless notices of a state are pending.
  ///
  /// Outputs that are emitted meanwhile are delivered after the waiting ones.
  func tellOutputs() {
    guard notifying == 0, !outputs.isTelling else { return }
    outputs.isTelling = true
    while let output = outputs.nextToTell() { outputObservers.notify(output) }
    outputs.isTelling = false
  }
}

/// Outputs in the order of emission, each of which is published and then delivered.
struct StoreOutputQueue<Action> {
  private var outputs: [StoreOutput<Action>] = []
  private var published = 0
  private var told = 0
  /// The number of outputs that are not yet delivered or dropped.
  private(set) var count = 0
  var isTelling = false

  mutating func append(_ output: StoreOutput<Action>) {
    outputs.append(output)
    count += 1
  }

  mutating func nextToPublish() -> StoreOutput<Action>? {
    guard published < count else { return nil }
    published += 1
    return outputs[published - 1]
  }

  /// Drops the outputs of an abandoned step.
  mutating func dropUnpublished() {
    outputs.removeLast(outputs.count - published)
    count = outputs.count
  }

  /// The next output to deliver; empties the queue after the last one.
  mutating func nextToTell() -> StoreOutput<Action>? {
    if told < count {
      told += 1
      return outputs[told - 1]
    }
    outputs.removeAll(keepingCapacity: true)
    (published, told, count) = (0, 0, 0)
    return nil
  }
}
