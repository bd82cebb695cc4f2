import StoreActor
import StoreState

extension ReplicaServer {
  /// Takes the outputs of the root store, where any scope lets outputs travel.
  func takeOutputs() {
    guard exposures.contains(where: { $0.description.output != nil }) else { return }
    root.onOutput = { [unowned self] output, revision in self.put(output, revision: revision) }
  }

  /// Adds an output to the views of the scopes that it belongs to, behind the revisions so far.
  ///
  /// - Parameters:
  ///   - output: The output. One without an action belongs to the root, which is no scope.
  ///   - revision: The newest revision.
  private func put(_ output: StoreOutput<RootAction>, revision: UInt64) {
    guard let action = output.action else { return }
    var next = firstFollowed
    while let scope = next {
      next = scope.next
      guard let outputs = scope.source.outputs else { continue }
      let mark = scratch.mark
      let start = scratch.bytes.count
      guard outputs.encode(output.value, of: action, into: &scratch) else { continue }
      counters.outputs += 1
      let value = scratch.bytes[start...]
      for placement in scope.placements {
        let output = PublishedMessage.Output(
          revision: revision,
          index: placement.index,
          schema: outputs.schema,
          value: value,
        )
        if placement.view.add(output) { dirtyViews.append(placement.view) }
      }
      scratch.truncate(to: mark)
    }
  }
}
