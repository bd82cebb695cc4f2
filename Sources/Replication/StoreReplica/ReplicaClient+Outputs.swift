import StoreActor
import StoreProtocol
package import StoreState

extension ReplicaClient {
  func receive(_ outputs: PublishedMessage.Outputs, on topic: Topic, bytes: Int) {
    if let join = joining, join.echo != nil {
      // Like deltas: outputs after the echo belong to the new view and wait for its state.
      if topic == join.view?.topic { keep(.outputs(outputs), bytes: bytes, in: join) }
      return
    }
    guard topic == view?.topic else { return }
    receive(outputs)
  }

  /// Hands outputs to the replicas, which already have the state that precedes the outputs.
  ///
  /// Outputs that arrive while deltas are missing are lost, because their state cannot be shown.
  /// They are kept only if a join is under way that brings an unpublished step.
  private func receive(_ outputs: PublishedMessage.Outputs) {
    guard let view, view.isIntact else {
      self.view?.keep(outputs, limit: limits.keptBytes)
      return
    }
    guard outputs.sequence <= view.sequence else {
      return gapDetected("outputs follow \(outputs.sequence), but the view is at \(view.sequence)")
    }
    for output in outputs.outputs {
      guard view.scopes.indices.contains(output.index) else {
        malformed += 1
        continue
      }
      deliver(output, to: view.scopes[output.index])
    }
  }

  /// Hands an output to the followers of its scope.
  func deliver(_ output: PublishedMessage.Output, to scopes: [ClientScope]) {
    let scopes = view?.handOut(output, to: scopes) ?? []
    for scope in scopes where !scope.isGone { scope.replica?.received(output) }
  }

  func receive(_ kept: ClientJoin.Kept) {
    switch kept {
    case .run(let run): receive(run)
    case .outputs(let outputs): receive(outputs)
    case .marker(let marker): receive(marker)
    }
  }
}

extension ClientJoin {
  /// A message of the new view that arrived after the fence's echo.
  enum Kept {
    case run(PublishedMessage.DeltaRun)
    case outputs(PublishedMessage.Outputs)
    case marker(PublishedMessage.Marker)
  }
}

// MARK: - Other builds

/// The schemas of outputs and replies that a daemon has described, by their hashes.
struct OutputSchemas {
  fileprivate(set) var known: [Digest: SchemaDocument] = [:]
  /// The hashes that a session's daemon does not describe, although it sends such outputs.
  fileprivate var missing: (session: Identifier?, hashes: Set<Digest>) = (nil, [])
  fileprivate var waiting: [(hash: Digest, body: @MainActor (SchemaDocument?) -> Void)] = []

  /// Replaces the known schemas with those that a daemon has described.
  mutating func learn(_ descriptions: [ScopeDescription]) {
    let documents = descriptions.compactMap(\.output) + descriptions.compactMap(\.replies)
    known = Dictionary(documents.map { ($0.hash, $0) }) { first, _ in first }
  }
}

extension ReplicaClient {
  /// Finds the schema of outputs or replies, for readers whose own schema differs.
  ///
  /// - Parameters:
  ///   - hash: The schema's hash.
  ///   - body: Takes the schema, at once or when the daemon has answered; nil if it is unknown.
  func findOutputSchema(
    _ hash: Digest,
    _ body: @escaping @MainActor (SchemaDocument?) -> Void,
  ) {
    let token = session?.token
    if let document = outputSchemas.known[hash] { return body(document) }
    if outputSchemas.missing.session == token, outputSchemas.missing.hashes.contains(hash) {
      return body(nil)
    }
    outputSchemas.waiting.append((hash, body))
    guard outputSchemas.waiting.count == 1 else { return }
    describe { [weak self] answer in self?.learnOutputs(answer, token) }
  }

  private func learnOutputs(
    _ answer: Result<[ScopeDescription], CodecError>,
    _ asked: Identifier?,
  ) {
    let waiting = outputSchemas.waiting
    outputSchemas.waiting = []
    if case .success(let descriptions) = answer {
      outputSchemas.learn(descriptions)
      let missing = waiting.map(\.hash).filter { outputSchemas.known[$0] == nil }
      if outputSchemas.missing.session != asked { outputSchemas.missing = (asked, []) }
      outputSchemas.missing.hashes.formUnion(missing)
    }
    for (hash, body) in waiting { body(outputSchemas.known[hash]) }
  }
}

extension ClientScope: OutputOrigin {
  package func findSchema(
    _ hash: Digest,
    _ body: @escaping @MainActor (SchemaDocument?) -> Void,
  ) {
    guard let client else { return body(nil) }
    client.findOutputSchema(hash, body)
  }

  package func leftOut(_ reason: String) {
    client?.events.append(.outputsLeftOut(scope: name, reason: reason))
  }
}
