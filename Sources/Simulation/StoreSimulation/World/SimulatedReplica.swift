import StoreActor
import StoreProtocol
import StoreReplica
import StoreState

/// A client's shipped replica of a scope, with a record of its calls.
@MainActor
final class SimulatedReplica: Replica {
  let number: Int
  let scope: String
  /// Whether the client is of a later build than the daemon.
  let isLater: Bool
  /// Whether its build can read the daemon's build.
  let isReadable: Bool
  private let copy: any Replica
  /// Whether the client has dropped it; later events are not recorded.
  var isLeft = false
  /// The scope that knows the schemas of outputs.
  weak var origin: ClientScope?
  private var take: @MainActor (EncodedOutput) -> Void = { _ in }
  /// The encoding of the shown state; nil before the first one.
  private(set) var shown: [UInt8]?
  var onRecord: (History.Record) -> Void = { _ in }
  var onAnnounce: () -> Void = {}
  var onShow: () -> Void = {}

  init(number: Int, scope: String, reading: Reading) {
    self.number = number
    self.scope = scope
    isLater = reading.isLater
    isReadable = reading.isReadable
    copy = reading.replica
    if isLater {
      feed(LaterBoard.Chime.self) { chime in
        if case .rung(let mark) = chime { mark.number } else { 0 }
      }
    } else {
      feed(Board.Chime.self) { $0.number }
    }
  }

  /// Subscribes to outputs of a type.
  private func feed<Chime: WireValue>(
    _ type: Chime.Type,
    _ number: @escaping @MainActor (Chime) -> UInt64,
  ) {
    let feed = OutputFeed(type) { [unowned self] chime in
      guard !isLeft else { return }
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
    try copy.reset(to: snapshot, revision: revision)
    if !isLeft { onRecord(.reset(replica: number, scope: scope, revision: revision)) }
  }

  func apply(_ delta: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    try copy.apply(delta, revision: revision)
    if !isLeft { onRecord(.applied(replica: number, scope: scope, revision: revision)) }
  }

  var digest: Digest { copy.digest }

  var encoding: [UInt8] { copy.encoding }

  var isShown: Bool { copy.isShown }

  func show(revision: UInt64) {
    copy.show(revision: revision)
    shown = copy.encoding
    if !isLeft { onShow() }
  }

  func announce() {
    copy.announce()
    if !isLeft { onAnnounce() }
  }

  func received(_ output: PublishedMessage.Output) {
    copy.received(output)
    take(EncodedOutput(bytes: output.value, schema: output.schema, origin: origin))
  }

  func statusChanged(_ status: ScopeStatus) { copy.statusChanged(status) }

  func announceEnd() { copy.announceEnd() }
}
