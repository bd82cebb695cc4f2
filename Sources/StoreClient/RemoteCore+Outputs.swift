import StoreActor
import StoreReplication

extension RemoteCore {
  func observeOutputs(
    _ onOutput: @escaping @MainActor (StoreOutput<Action>) -> Void
  ) -> StoreSubscription {
    outputObservers.add(onOutput)
  }

  /// Tells those who observe outputs.
  ///
  /// Which type it is they find out themselves; the action that made it stays with the daemon,
  /// where it may be private.
  func received(_ output: PublishedMessage.Output) {
    guard !outputObservers.isEmpty else { return }
    let encoded = EncodedOutput(bytes: output.value, schema: output.schema, origin: scope)
    outputObservers.notify(StoreOutput(value: encoded, action: nil))
  }
}
