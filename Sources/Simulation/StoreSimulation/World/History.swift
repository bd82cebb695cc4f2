package import StoreProtocol
package import StoreState

/// All events of a run as the daemons and the clients saw them: the input of the validators.
package struct History: Sendable {
  /// The life of one daemon, from its start to its end.
  package struct Epoch: Sendable {
    package var number: UInt64
    /// The root after each revision, from 0.
    package var roots: [Board.State]
    package var reductions: [Reduction] = []
    /// The alarms that rang, by the tags of the actions that have set them.
    package var rings: [Reduction] = []
    /// The alarms that were waiting when the last daemon ended.
    package var waitingAlarms: [UInt64] = []
    package var sessions: [SessionChange] = []
    /// In the order in which they were made.
    package var outputs: [Output] = []
    /// The work of effects, in the order in which it began.
    package var work: [Work] = []
    /// The newest released revision when the last daemon ended.
    package var released: UInt64 = 0
    /// The listed sessions that the daemon has at the end.
    package var openSessions: [UInt64] = []
  }

  /// An action that was reduced.
  package struct Reduction: Hashable, Sendable {
    package var revision: UInt64
    package var tag: UInt64

    package init(revision: UInt64, tag: UInt64) {
      self.revision = revision
      self.tag = tag
    }
  }

  /// One effect's work.
  package struct Work: Hashable, Sendable {
    package var tag: UInt64
    /// Whether the revision that began it was released.
    package var isReleased: Bool
    /// The time, in nanoseconds, at which it finished, was cancelled, or its daemon ended.
    package var end: Int64?
  }

  /// An output that the daemon emitted for clients.
  package struct Output: Hashable, Sendable {
    package var number: UInt64
    /// The newest revision at the time of the output.
    package var revision: UInt64
    /// The scopes to which it belongs.
    package var scopes: [String]
    /// Its encoding in the daemon's build.
    package var bytes: [UInt8]
    /// Its encoding in a later build; nil if that build does not know it.
    package var laterBytes: [UInt8]?
  }

  /// A listed session that joined or left.
  package struct SessionChange: Hashable, Sendable {
    package var session: UInt64
    package var isJoin: Bool
    /// The revision in which the reducer received the change.
    package var revision: UInt64

    package init(session: UInt64, isJoin: Bool, revision: UInt64 = 0) {
      self.session = session
      self.isJoin = isJoin
      self.revision = revision
    }
  }

  /// An observation or an act of a client, in the client's order.
  package enum Record: Hashable, Sendable {
    /// All scopes that the client shows, after one of them changed.
    case shown(Shown)
    /// A replica applied a snapshot.
    case reset(replica: Int, scope: String, revision: UInt64)
    /// A replica applied a delta.
    case applied(replica: Int, scope: String, revision: UInt64)
    /// A replica received an output of its scope, in this client's build.
    case heard(replica: Int, scope: String, number: UInt64, bytes: [UInt8], isLater: Bool)
    /// A scope was left, and its replica was dropped.
    case left(replica: Int)
    /// Outputs of a scope could not be read, for a reason.
    case outputsLeftOut(scope: String, reason: String)
    /// An action was sent; `isKnown` states whether the daemon's build knows it.
    case submitted(tag: UInt64, scope: String, isKnown: Bool)
    /// An action has its outcome; `isScopeGone` states whether its scope was left or refused
    /// by then.
    case settled(tag: UInt64, Outcome, isScopeGone: Bool)
    /// The client was notified of the end of an action's effects.
    case finished(tag: UInt64, at: Int64)
    case newEpoch(old: UInt64, new: UInt64)
    /// A wait did not end within its time, or ended twice.
    case overdue(wait: UInt64)
    /// A wait timed out before its time had passed.
    case hasty(wait: UInt64)
    /// A wait timed out although its condition had to be met.
    case vain(wait: UInt64)
    /// A scope is fetched again because its digest differs.
    case resynchronized(scope: String, at: Int64)
    /// The connection was closed for good.
    case closed
  }

  package struct Shown: Hashable, Sendable {
    package var epoch: UInt64
    package var revision: UInt64
    package var scopes: [Scope]

    package struct Scope: Hashable, Sendable {
      package var name: String
      /// The encoding of the scope's optional state, in the client's build.
      package var bytes: [UInt8]
      /// Whether the client's build is later than the daemon's.
      package var isLater = false
    }
  }

  /// A client's copy of a scope when all is quiet, and the daemon's state.
  package struct Ending: Hashable, Sendable {
    package var client: Int
    package var scope: String
    /// The digest of the daemon's form, for every client's build.
    package var ours: Digest
    package var theirs: Digest
    package var shown: [UInt8]
    /// The encoding that a client of this build has to show.
    package var expected: [UInt8]
    /// Whether the client's build can read the daemon's build.
    package var isReadable: Bool
  }

  /// A scope that a client was refused, when all is quiet.
  package struct Refusal: Hashable, Sendable {
    package var client: Int
    package var scope: String
    package var failure: JoinFailure
    /// Whether the client's build can read the daemon's build.
    package var isReadable: Bool

    package init(client: Int, scope: String, failure: JoinFailure, isReadable: Bool) {
      self.client = client
      self.scope = scope
      self.failure = failure
      self.isReadable = isReadable
    }
  }

  package struct Unheld: Hashable, Sendable {
    package var client: Int
    package var scope: String
  }

  /// The epochs, in chronological order.
  package var epochs: [Epoch] = []
  package var clients: [[Record]] = []
  /// The scopes that each restricted client may see and send to, by the client's index.
  package var granted: [Int: Set<String>] = [:]
  package var endings: [Ending] = []
  package var refusals: [Refusal] = []
  /// The scopes that sessions have joined at the end although their clients do not hold them.
  package var unheld: [Unheld] = []
  /// Whether the run was undisturbed, so that no output may be lost.
  package var isCalm = false
  /// The back-off before a client fetches a differing scope again, in nanoseconds.
  package var mismatchBackOff: ClosedRange<Int64> = 0...0
  /// The number of clients that asked to be listed as present.
  package var listedClients = 0
  /// Released data that a restarted daemon no longer had.
  package var losses: [String] = []
  /// The number of daemons that found another one in control of their history.
  package var fencings = 0
  /// The number of restarts of a daemon from a disk with a history.
  package var recoveries = 0
  /// The tags of the actions that set alarms.
  package var alarms: Set<UInt64> = []
  /// How often a daemon ended while it reduced an action, by the action's tag.
  package var crashes: [UInt64: Int] = [:]
  /// The reason for which the run did not come to rest; nil if it did.
  package var unrest: String?
  /// The daemons' counters, by name, summed over all daemons.
  package var counters: [String: UInt64] = [:]
  /// The number of resynchronisations of clients.
  package var resyncs: UInt64 = 0
  /// A hash of all frames and states that were sent or shown.
  package internal(set) var fingerprint: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  /// Returns an encoding for comparisons: a long one is replaced by its hash.
  static func fold(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count > 512 else { return bytes }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return withUnsafeBytes(of: (hash, UInt64(bytes.count))) { Array($0) }
  }

  /// Mixes an event into the fingerprint.
  mutating func mix(_ bytes: some Collection<UInt8>, _ numbers: UInt64...) {
    for number in numbers { mix(word: number) }
    var word: UInt64 = UInt64(bytes.count)
    for byte in bytes { word = (word << 8 | word >> 56) ^ UInt64(byte) }
    mix(word: word)
  }

  private mutating func mix(word: UInt64) {
    fingerprint = (fingerprint ^ word) &* 0x0000_0100_0000_01b3
    fingerprint ^= fingerprint >> 29
  }
}

extension History {
  /// A summary of the run, in a few lines.
  package var summary: String {
    let revisions = epochs.map { "\($0.roots.count - 1)" }.joined(separator: " + ")
    let counts = counters.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    let made = epochs.map(\.outputs.count).reduce(0, +)
    return """
      \(made) outputs made, \(outputsHeard) heard, \(outputsLeftOut) reasons to leave some out
      \(epochs.count) epochs of \(revisions) revisions, \(clients.count) clients, \
      \(clients.map(\.count).reduce(0, +)) records, \(resyncs) resynchronised
      \(counts.joined(separator: ", "))
      fingerprint \(String(fingerprint, radix: 16))
      """
  }

  /// The number of outputs that clients received.
  package var outputsHeard: Int { count { if case .heard = $0 { true } else { false } } }

  /// The number of times that clients could not read outputs, each with its own reason.
  package var outputsLeftOut: Int {
    count { if case .outputsLeftOut = $0 { true } else { false } }
  }

  /// The number of records that show a scope of a later build.
  package var laterScopes: Int {
    count {
      if case .shown(let shown) = $0 { shown.scopes.contains(where: \.isLater) } else { false }
    }
  }

  /// Returns whether a client may see a scope and send to it.
  package func mayHave(_ client: Int, _ scope: String) -> Bool {
    let name = scope.hasPrefix("list/rows/") ? "list/rows/*" : scope
    return granted[client]?.contains(name) ?? true
  }

  private func count(_ isCounted: (Record) -> Bool) -> Int {
    clients.reduce(0) { $0 + $1.count(where: isCounted) }
  }
}
