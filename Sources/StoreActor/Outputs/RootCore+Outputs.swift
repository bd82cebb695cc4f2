extension RootCore {
  @usableFromInline
  package func observeOutputs(
    _ onOutput: @escaping @MainActor (StoreOutput<Action>) -> Void
  ) -> StoreSubscription {
    outputObservers.add(onOutput)
  }

  /// Takes an output: tells it now, or after the batch in which it was made.
  func emit(_ output: any Sendable, of action: Action?) {
    guard onOutput != nil || !outputObservers.isEmpty else { return }
    outputs.append(StoreOutput(value: output, action: action))
    guard phase == .idle else { return }
    publishOutputs()
    tellOutputs()
    if startCount > 0 { startEffects() }
  }

  /// Gives the outputs of the revision that was just committed to the daemon.
  func publishOutputs() {
    while let output = outputs.nextToPublish() { onOutput?(output, revision) }
  }

  /// Tells those who observe outputs, unless they are to be told of a state first.
  ///
  /// Whatever is put out meanwhile comes after what is waiting.
  func tellOutputs() {
    guard notifying == 0, !outputs.isTelling else { return }
    outputs.isTelling = true
    while let output = outputs.nextToTell() { outputObservers.notify(output) }
    outputs.isTelling = false
  }
}

/// Outputs in the order in which they were made, each of which is published and then told.
struct StoreOutputQueue<Action> {
  private var outputs: [StoreOutput<Action>] = []
  private var published = 0
  private var told = 0
  /// How many have been neither dropped nor told to everybody.
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

  /// The next one to tell; empties the queue when there is none left.
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
