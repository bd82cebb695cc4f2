import StoreHistory
import StoreProtocol
import StoreServer

/// Counts the messages that wait to be taken from a socket, per connection.
///
/// A value without I/O; ``Intake`` has the messages.
struct IntakeBacklog {
  /// A number of messages, and of their bytes.
  private struct Amount {
    var messages = 0
    var bytes = 0

    mutating func add(_ sign: Int, _ bytes: Int) {
      messages += sign
      self.bytes += sign * bytes
    }
  }

  private struct Waiting {
    var amount = Amount()
    let descriptor: Int32
    let holder: Holder
  }

  /// Bounded by ``Intake/Limits/totalMessages``.
  private var waiting: [UInt64: Waiting] = [:]
  private var all = Amount()
  /// The sum of all holders except the owner.
  private var others = Amount()
  private let mostMessages: Int

  /// Creates an empty backlog.
  ///
  /// - Parameter mostMessages: The most messages of one connection.
  init(mostMessages: Int) { self.mostMessages = mostMessages }

  /// The descriptor of a connection with waiting messages.
  func descriptor(of serial: UInt64) -> Int32? { waiting[serial]?.descriptor }

  /// The holder of a connection with waiting messages.
  func holder(of serial: UInt64) -> Holder? { waiting[serial]?.holder }

  /// Counts a waiting message of a connection.
  mutating func add(_ bytes: Int, of serial: UInt64, _ descriptor: Int32, _ holder: Holder) {
    count(
      1,
      bytes,
      of: serial,
      waiting[serial] ?? Waiting(descriptor: descriptor, holder: holder),
    )
  }

  /// Subtracts a message of a connection that no longer waits.
  mutating func remove(_ bytes: Int, of serial: UInt64) {
    guard let own = waiting[serial] else { return }
    count(-1, bytes, of: serial, own)
  }

  private mutating func count(_ sign: Int, _ bytes: Int, of serial: UInt64, _ own: Waiting) {
    var own = own
    own.amount.add(sign, bytes)
    all.add(sign, bytes)
    if !own.holder.isOwner { others.add(sign, bytes) }
    waiting[serial] = own.amount.messages == 0 ? nil : own
  }

  /// The connections to end after a message of one was added: that one, or the largest ones of the
  /// holder with the most.
  func excess(after serial: UInt64) -> [UInt64] {
    guard let own = waiting[serial] else { return [] }
    if own.amount.messages > mostMessages || own.amount.bytes > Intake.Limits.bytes {
      return [serial]
    }
    let most = Amount(
      messages: Intake.Limits.messagesOfOthers,
      bytes: Intake.Limits.bytesOfOthers,
    )
    let greedy = own.holder.isOwner ? [] : greediest(others, within: most) { !$0.isOwner }
    guard greedy.isEmpty else { return greedy }
    let total = Amount(messages: Intake.Limits.totalMessages, bytes: Intake.Limits.totalBytes)
    return greediest(all, within: total) { _ in true }
  }

  private func greediest(
    _ sum: Amount,
    within limit: Amount,
    of isCounted: (Holder) -> Bool,
  ) -> [UInt64] {
    let measure = sum.messages > limit.messages ? \Amount.messages : \Amount.bytes
    return Holder.greediest(of: sum[keyPath: measure], within: limit[keyPath: measure]) {
      waiting.filter { isCounted($0.value.holder) }.map { serial, waiting in
        Holder.Part(
          id: serial,
          holder: waiting.holder,
          amount: waiting.amount[keyPath: measure],
        )
      }
    }
  }
}
