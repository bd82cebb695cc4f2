import StoreActor
import StoreProtocol
package import StoreState

extension ReplicaClient {
  func receive(_ outputs: PublishedMessage.Outputs, on topic: Topic, bytes: Int) {
    if let join = joining, join.echo != nil {
      // Like deltas: what comes after the echo is the new view's, and waits for its state.
      if topic == join.view?.topic { keep(.outputs(outputs), bytes: bytes, in: join) }
      return
    }
    guard topic == view?.topic else { return }
    receive(outputs)
  }

  /// Hands outputs to the replicas, which have the state by now that the outputs come behind.
  ///
  /// Those that come while something is missing are lost: nobody could see what they were about.
  /// Only where a join is on its way that brings what was not published, they wait for it.
  private func receive(_ outputs: PublishedMessage.Outputs) {
    guard let view, view.isIntact else {
      self.view?.keep(outputs, limit: limits.keptBytes)
      return
    }
    guard outputs.sequence <= view.sequence else {
      return gapDetected("outputs came behind \(outputs.sequence), we are at \(view.sequence)")
    }
    for output in outputs.outputs {
      guard view.scopes.indices.contains(output.index) else {
        malformed += 1
        continue
      }
      deliver(output, to: view.scopes[output.index])
    }
  }

  /// Hands an output to those who follow its scope.
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

/// The schemas of outputs that a daemon has described, by their hashes.
struct OutputSchemas {
  fileprivate(set) var known: [Digest: SchemaDocument] = [:]
  /// What the daemon of a session does not describe, though it sends it.
  fileprivate var missing: (session: Identifier?, hashes: Set<Digest>) = (nil, [])
  fileprivate var waiting: [(hash: Digest, body: @MainActor (SchemaDocument?) -> Void)] = []

  /// Takes what a daemon has described; what others described before is of no use any more.
  mutating func learn(_ descriptions: [ScopeDescription]) {
    let documents = descriptions.compactMap(\.output)
    known = Dictionary(documents.map { ($0.hash, $0) }) { first, _ in first }
  }
}

extension ReplicaClient {
  /// Finds the schema of outputs, which only those need whose own schema is another one.
  ///
  /// - Parameters:
  ///   - hash: The schema's hash.
  ///   - body: Takes the schema, at once or when the daemon has answered; nil when nobody knows it.
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
