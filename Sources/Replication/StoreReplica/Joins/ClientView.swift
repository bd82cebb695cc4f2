import StoreProtocol

/// The view that a client follows: its topic and indices, and the revision that it has reached.
@MainActor
struct ClientView {
  let nonce: UInt64
  let topic: Topic
  /// The epoch of the daemon that publishes it.
  let epoch: UInt64
  /// The scopes by index.
  ///
  /// A scope that is followed twice, also by two names, has both followers in one place.
  let scopes: [[ClientScope]]
  /// The sequence and the revision of the newest delta or bookmark.
  var sequence: UInt64 = 0
  var revision: UInt64 = 0
  /// Whether all messages have arrived; after a loss, messages are of no use until the next join.
  var isIntact = true
  /// Whether it has reached a step that is not published, so that a join continues from here.
  private(set) var isSuspended = false
  /// Outputs that arrived since then, with their followers; they wait for the state of the join.
  private(set) var late: [(output: PublishedMessage.Output, scopes: [ClientScope])] = []
  private var lateBytes = 0
  /// Whether its state was shown; false for a join's state that cannot be shown yet.
  var isShown = true
  /// The newest revision of which an output was handed out.
  private var newestOutput: UInt64 = 0
  /// The revision up to which the former view handed out outputs, if it was on the other socket,
  /// and its followers: the sockets have no common order, so outputs may arrive again.
  private var heard: (revision: UInt64, by: Set<ObjectIdentifier>) = (0, [])
  private let members: Set<ObjectIdentifier>

  /// Creates a view of scopes in the order of their indices, before any message.
  init(nonce: UInt64, topic: Topic, epoch: UInt64, scopes: [[ClientScope]]) {
    self.nonce = nonce
    self.topic = topic
    self.epoch = epoch
    self.scopes = scopes
    members = Set(scopes.joined().map { ObjectIdentifier($0) })
  }

  /// Whether it is sent on the control socket.
  var isUnicast: Bool { topic.kind == .unicastView }

  func contains(_ scope: ClientScope) -> Bool { members.contains(ObjectIdentifier(scope)) }

  /// Continues a former view, so that outputs are not handed out twice.
  mutating func goOn(after former: ClientView) {
    guard former.epoch == epoch else { return }
    newestOutput = former.newestOutput
    heard =
      former.isUnicast == isUnicast
      ? former.heard : (max(former.newestOutput, former.heard.revision), former.members)
  }

  /// Notes that an output is handed out.
  ///
  /// - Returns: The followers of its scope that have not received it.
  mutating func handOut(
    _ output: PublishedMessage.Output,
    to scopes: [ClientScope],
  ) -> [ClientScope] {
    newestOutput = max(newestOutput, output.revision)
    guard output.revision <= heard.revision else { return scopes }
    return scopes.filter { !heard.by.contains(ObjectIdentifier($0)) }
  }

  /// Stops at this revision: a join continues from here.
  mutating func suspend() {
    isIntact = false
    isSuspended = true
  }

  /// Continues a suspended view, and lacks the same unpublished step.
  mutating func suspend(after former: ClientView) {
    suspend()
    late = former.late
    lateBytes = former.lateBytes
  }

  /// Keeps outputs whose state has not arrived, as far as there is room.
  mutating func keep(_ outputs: PublishedMessage.Outputs, limit: Int) {
    guard isSuspended else { return }
    for output in outputs.outputs where scopes.indices.contains(output.index) {
      lateBytes += output.encodedBytes
      guard lateBytes <= limit else { return }
      late.append((output, scopes[output.index]))
    }
  }

  /// The scopes by index: by name, in bytewise order.
  ///
  /// Two names of one scope have one handle, and one place in the order: that of the first name.
  static func inOrderOfIndex(_ scopes: [ClientScope]) -> [[ClientScope]] {
    Dictionary(grouping: scopes, by: \.handle).values
      .map { followers in
        let names = followers.map { Array($0.name.utf8) }
        return (name: names.min { $0.lexicographicallyPrecedes($1) } ?? [], followers: followers)
      }
      .sorted { $0.name.lexicographicallyPrecedes($1.name) }
      .map(\.followers)
  }
}
