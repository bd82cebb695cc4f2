import StoreState

extension ReplicaClient {
  func receive(_ outputs: PublishedMessage.Outputs, on topic: Topic) {
    if let join = joining, join.echo != nil {
      // Like deltas: what comes after the echo is the new view's, and waits for its state.
      if topic == join.view?.topic { joining?.kept.append(.outputs(outputs)) }
      return
    }
    guard topic == view?.topic else { return }
    receive(outputs)
  }

  /// Hands outputs to the replicas, which have the state by now that the outputs come behind.
  ///
  /// Those that come while something is missing are lost: nobody could see what they were about.
  private func receive(_ outputs: PublishedMessage.Outputs) {
    guard let view, view.isIntact else { return }
    guard outputs.sequence <= view.sequence else {
      return lost("outputs came behind \(outputs.sequence), we are at \(view.sequence)")
    }
    for output in outputs.outputs {
      guard view.scopes.indices.contains(output.index) else {
        malformed += 1
        continue
      }
      for scope in view.scopes[output.index] where !scope.isRemoved {
        scope.replica?.received(output)
      }
    }
  }

  func receive(_ kept: ClientJoin.Kept) {
    switch kept {
    case .run(let run): receive(run)
    case .outputs(let outputs): receive(outputs)
    }
  }
}

extension ClientJoin {
  /// A message of the new view that came after the echo.
  enum Kept {
    case run(PublishedMessage.DeltaRun)
    case outputs(PublishedMessage.Outputs)
  }
}
