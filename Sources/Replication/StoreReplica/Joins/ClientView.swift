import StoreProtocol

/// The view that a client follows: its topic and indices, and the revision that it has reached.
@MainActor
struct ClientView {
  let nonce: UInt64
  let topic: Topic
  /// The epoch of the daemon that publishes it.
  let epoch: UInt64
  /// By index; a scope that is followed twice, also by two names, has both followers there.
  let scopes: [[ClientScope]]
  /// The sequence and the revision of the newest delta or bookmark.
  var sequence: UInt64 = 0
  var revision: UInt64 = 0
  /// Whether nothing is missing; what comes after a loss is of no use until the next join.
  var isIntact = true
  /// Whether it has come to a step that is not published, so that a join leads on from here.
  private(set) var isSuspended = false
  /// Outputs that came since then, for when what they are about has come, and whose they are.
  private(set) var late: [(output: PublishedMessage.Output, scopes: [ClientScope])] = []
  private var lateBytes = 0
  /// Whether what it has come to was shown; what a join brought and could not be, is not.
  var isShown = true
  /// The newest revision of which an output was handed out.
  private var newestOutput: UInt64 = 0
  /// Up to which revision the view before has handed out outputs, on the other socket, and to whom:
  /// there is no order between the two, so they may come again.
  private var heard: (revision: UInt64, by: Set<ObjectIdentifier>) = (0, [])
  private let members: Set<ObjectIdentifier>

  /// A view of scopes in the order of their indices, of which nothing has come.
  init(nonce: UInt64, topic: Topic, epoch: UInt64, scopes: [[ClientScope]]) {
    self.nonce = nonce
    self.topic = topic
    self.epoch = epoch
    self.scopes = scopes
    members = Set(scopes.joined().map { ObjectIdentifier($0) })
  }

  /// Whether it comes on the control socket.
  var isUnicast: Bool { topic.kind == .unicastView }

  func contains(_ scope: ClientScope) -> Bool { members.contains(ObjectIdentifier(scope)) }

  /// It takes the place of one that has handed out outputs.
  mutating func goOn(after former: ClientView) {
    guard former.epoch == epoch else { return }
    newestOutput = former.newestOutput
    heard =
      former.isUnicast == isUnicast
      ? former.heard : (max(former.newestOutput, former.heard.revision), former.members)
  }

  /// Notes that an output is handed out.
  ///
  /// - Returns: Those of its scope's followers who have not had it.
  mutating func handOut(
    _ output: PublishedMessage.Output,
    to scopes: [ClientScope],
  ) -> [ClientScope] {
    newestOutput = max(newestOutput, output.revision)
    guard output.revision <= heard.revision else { return scopes }
    return scopes.filter { !heard.by.contains(ObjectIdentifier($0)) }
  }

  /// It goes no further: a join leads on.
  mutating func suspend() {
    isIntact = false
    isSuspended = true
  }

  /// It takes the place of one that was suspended, without what that one lacks.
  mutating func suspend(after former: ClientView) {
    suspend()
    late = former.late
    lateBytes = former.lateBytes
  }

  /// Keeps outputs that come behind what has not come, as far as there is room.
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
