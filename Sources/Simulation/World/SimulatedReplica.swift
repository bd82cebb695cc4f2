import StoreActor
import StoreReplication
import StoreState

/// A scope's optional state in some form that takes snapshots and deltas.
protocol ReplicaContent {
  mutating func reset(_ snapshot: ArraySlice<UInt8>) throws(CodecError)
  mutating func apply(_ delta: ArraySlice<UInt8>) throws(CodecError)
  var encoding: [UInt8] { get }
  var digest: Digest { get }
}

/// State of a type that the client shares with the daemon.
struct TypedContent<State: ReplicatedState>: ReplicaContent {
  private var state: State?

  mutating func reset(_ snapshot: ArraySlice<UInt8>) throws(CodecError) {
    state = try State?(encoded: snapshot)
  }

  mutating func apply(_ delta: ArraySlice<UInt8>) throws(CodecError) {
    state = try state.applying(delta: delta)
  }

  var encoding: [UInt8] { state.encoded() }
  var digest: Digest { state.digest }
}

/// State of which the client knows only the schema.
struct GenericContent: ReplicaContent {
  private var value = GenericValue.null
  private let document: SchemaDocument

  /// - Parameter document: The scope's; the content is an optional of it.
  init(_ document: SchemaDocument) {
    do throws(CodecError) {
      self.document = try SchemaDocument(
        root: .optional(document.root),
        definitions: document.definitions,
      )
    } catch {
      preconditionFailure("An optional of a scope's schema is malformed: \(error)")
    }
  }

  mutating func reset(_ snapshot: ArraySlice<UInt8>) throws(CodecError) {
    let next = try GenericValue(encoded: snapshot)
    try next.validate(against: document)
    value = next
  }

  mutating func apply(_ delta: ArraySlice<UInt8>) throws(CodecError) {
    value = try value.applying(delta: delta, in: document)
  }

  var encoding: [UInt8] { value.encoded() }
  var digest: Digest { value.digest }
}

/// A client's copy of a scope that writes down what is done to it.
@MainActor
final class SimulatedReplica: Replica {
  let number: Int
  let scope: String
  /// Whether the client is of a later build than the daemon.
  let isLater: Bool
  /// Whether its build can read the daemon's.
  let isReadable: Bool
  private var content: any ReplicaContent
  /// Knows the schemas of outputs.
  weak var origin: ClientScope?
  private var take: @MainActor (EncodedOutput) -> Void = { _ in }
  /// The encoding of what is shown; nil before anything is.
  private(set) var shown: [UInt8]?
  var onRecord: (History.Record) -> Void = { _ in }
  var onAnnounce: () -> Void = {}

  init(number: Int, scope: String, reading: Reading) {
    self.number = number
    self.scope = scope
    isLater = reading.isLater
    isReadable = reading.isReadable
    content = reading.content
    if isLater {
      feed(LaterBoard.Chime.self) { chime in
        if case .rung(let mark) = chime { mark.number } else { 0 }
      }
    } else {
      feed(Board.Chime.self) { $0.number }
    }
  }

  /// Reads outputs as one type.
  private func feed<Chime: WireValue>(
    _ type: Chime.Type,
    _ number: @escaping @MainActor (Chime) -> UInt64,
  ) {
    let feed = OutputFeed(type) { [unowned self] chime in
      onRecord(
        .heard(
          replica: self.number,
          scope: scope,
          number: number(chime),
          bytes: chime.encoded(),
          isLater: isLater,
        )
      )
    }
    take = { feed.take($0) }
  }

  func reset(to snapshot: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    try content.reset(snapshot)
    onRecord(.reset(replica: number, scope: scope, revision: revision))
  }

  func apply(_ delta: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    try content.apply(delta)
    onRecord(.applied(replica: number, scope: scope, revision: revision))
  }

  var digest: Digest { content.digest }

  func settled(revision: UInt64) { shown = content.encoding }

  func announce() { onAnnounce() }

  func received(_ output: PublishedMessage.Output) {
    take(EncodedOutput(bytes: output.value, schema: output.schema, origin: origin))
  }

  func statusChanged(_ status: ScopeStatus) {}
}
