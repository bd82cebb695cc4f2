package import StoreReplication
package import StoreState

/// Everything that happened in a run, as the daemons and the clients saw it: what the validators
/// judge.
package struct History: Sendable {
  /// The life of one daemon, from its start to its end.
  package struct Epoch: Sendable {
    package var number: UInt64
    /// The root after each revision, from 0.
    package var roots: [Board.State]
    package var reductions: [Reduction] = []
    package var sessions: [SessionChange] = []
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

  /// A listed session that came or went.
  package struct SessionChange: Hashable, Sendable {
    package var session: UInt64
    package var isJoin: Bool

    package init(session: UInt64, isJoin: Bool) {
      self.session = session
      self.isJoin = isJoin
    }
  }

  /// What a client saw or did, in its own order.
  package enum Record: Hashable, Sendable {
    /// All scopes that it shows, after one of them changed.
    case shown(Shown)
    /// A replica took a snapshot.
    case reset(replica: Int, scope: String, revision: UInt64)
    /// A replica took a delta.
    case applied(replica: Int, scope: String, revision: UInt64)
    case submitted(tag: UInt64, scope: String)
    /// An action has its outcome; whether its scope was left or refused by then.
    case settled(tag: UInt64, Outcome, isScopeGone: Bool)
    case newEpoch(old: UInt64, new: UInt64)
  }

  package struct Shown: Hashable, Sendable {
    package var epoch: UInt64
    package var revision: UInt64
    package var scopes: [Scope]

    package struct Scope: Hashable, Sendable {
      package var name: String
      /// The encoding of the scope's optional state.
      package var bytes: [UInt8]
    }
  }

  /// What a client has of a scope when all is quiet, and what the daemon has.
  package struct Ending: Hashable, Sendable {
    package var client: Int
    package var scope: String
    package var ours: Digest
    package var theirs: Digest
    package var shown: [UInt8]
  }

  /// In the order in which they lived.
  package var epochs: [Epoch] = []
  package var clients: [[Record]] = []
  package var endings: [Ending] = []
  /// How many clients asked to be listed among those present.
  package var listedClients = 0
  /// Why the run did not come to rest; nil when it did.
  package var unrest: String?
  /// What the daemons counted, by name, summed over all of them.
  package var counters: [String: UInt64] = [:]
  /// How often clients had to resynchronise.
  package var resyncs: UInt64 = 0
  /// A number that differs where anything differs that was sent or shown.
  package internal(set) var fingerprint: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  /// Mixes something that happened into the fingerprint.
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
  /// What happened, in a few lines.
  package var summary: String {
    let revisions = epochs.map { "\($0.roots.count - 1)" }.joined(separator: " + ")
    let counts = counters.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return """
      \(epochs.count) epochs of \(revisions) revisions, \(clients.count) clients, \
      \(clients.map(\.count).reduce(0, +)) records, \(resyncs) resynchronised
      \(counts.joined(separator: ", "))
      fingerprint \(String(fingerprint, radix: 16))
      """
  }
}
