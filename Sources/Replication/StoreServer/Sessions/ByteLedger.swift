import StoreHistory

/// The bytes that peers have stored in a table of the daemon, by holder and in total.
///
/// A table that keeps peers' data for longer than a turn charges the bytes here before it keeps
/// them: counts alone do not bound the memory, because one entry can be as large as a frame.
/// Holders without full rights have a share each and a part of the total, so that the owner's
/// programs find room beside them.
@MainActor
final class ByteLedger {
  private let mostOfOne: Int
  private let mostOfOthers: Int
  private let mostOfAll: Int
  /// The bytes that are kept of all holders.
  private(set) var total = 0
  /// The part of the total that belongs to holders without full rights.
  private var ofOthers = 0
  /// Bounded by ``total``: a holder without bytes has no entry.
  private var byHolder: [ClientHolder: Int] = [:]
  /// The number of refused charges.
  private(set) var refusals: UInt64 = 0

  /// Creates a ledger for an empty table.
  ///
  /// - Parameters:
  ///   - mostOfOne: The bytes of one holder without full rights.
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
  ///   - bytes: The number of bytes to be kept.
  ///   - holder: The holder that answers for them.
  ///   - isOwner: Whether the holder has full rights.
  /// - Returns: False if there is no room; no bytes are charged then.
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
  ///   - bytes: The number of bytes that are no longer kept.
  ///   - holder: The holder that was charged.
  ///   - isOwner: The same value as when they were charged.
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
