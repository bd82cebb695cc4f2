import StoreHistory

/// The bytes that peers have put into a table of the daemon, by holder and in total.
///
/// A table that keeps what peers send, for longer than a turn, charges the bytes here before it
/// keeps them: counts alone bound no memory, because one entry can be as large as a frame. Those
/// who may not do everything have a share each and a part of the total, so that the owner's
/// programs find room beside them.
@MainActor
final class ByteLedger {
  private let mostOfOne: Int
  private let mostOfOthers: Int
  private let mostOfAll: Int
  /// The bytes that are kept of all holders.
  private(set) var total = 0
  /// Those of them that are of holders who may not do everything.
  private var ofOthers = 0
  /// Bounded by ``total``: who has no bytes has no entry.
  private var byHolder: [ClientHolder: Int] = [:]
  /// How often there was no room.
  private(set) var refusals: UInt64 = 0

  /// Creates a ledger for an empty table.
  ///
  /// - Parameters:
  ///   - mostOfOne: The bytes of one holder who may not do everything.
  ///   - mostOfOthers: The bytes of all such holders together.
  ///   - mostOfAll: The bytes of all holders.
  init(mostOfOne: Int, mostOfOthers: Int, mostOfAll: Int) {
    self.mostOfOne = mostOfOne
    self.mostOfOthers = mostOfOthers
    self.mostOfAll = mostOfAll
  }

  /// The bytes that are kept of a holder.
  func bytes(of holder: ClientHolder) -> Int { byHolder[holder] ?? 0 }

  /// Charges bytes to a holder.
  ///
  /// - Parameters:
  ///   - bytes: How many are to be kept.
  ///   - holder: Who answers for them.
  ///   - isOwner: Whether the holder may do everything.
  /// - Returns: False where there is no room; then nothing is charged.
  func charge(_ bytes: Int, to holder: ClientHolder, isOwner: Bool) -> Bool {
    precondition(bytes >= 0, "\(bytes) bytes are charged to \(holder)")
    let own = self.bytes(of: holder)
    let hasRoom =
      isOwner
      ? bytes <= mostOfAll - total
      : bytes <= mostOfOne - own && bytes <= min(mostOfOthers - ofOthers, mostOfAll - total)
    guard hasRoom else {
      refusals += 1
      return false
    }
    total += bytes
    if !isOwner { ofOthers += bytes }
    byHolder[holder] = own + bytes
    return true
  }

  /// Gives back bytes that were charged to a holder.
  ///
  /// - Parameters:
  ///   - bytes: How many are kept no more.
  ///   - holder: Who answered for them.
  ///   - isOwner: What was said when they were charged.
  func giveBack(_ bytes: Int, of holder: ClientHolder, isOwner: Bool) {
    guard bytes > 0 else { return }
    let own = self.bytes(of: holder)
    precondition(bytes <= own, "\(holder) gives back \(bytes) of \(own) bytes")
    total -= bytes
    if !isOwner { ofOthers -= bytes }
    byHolder[holder] = own == bytes ? nil : own - bytes
  }

  func checkInvariants() {
    let sum = byHolder.values.reduce(0, +)
    precondition(sum == total, "Holders have \(sum) bytes, and \(total) are counted")
    precondition(total <= mostOfAll, "\(total) bytes are kept, of at most \(mostOfAll)")
    precondition(
      ofOthers >= 0 && ofOthers <= min(total, mostOfOthers),
      "\(ofOthers) of \(total) bytes are of others, of at most \(mostOfOthers)",
    )
  }
}
