import StoreHistory
import StoreProtocol

/// The holders' shares of a limited resource.
struct Shares {
  private(set) var all = 0
  /// The total of all holders that are not the owner's.
  private(set) var others = 0
  /// Bounded by ``all``: a holder with a share of zero has no entry.
  private var holders: [Holder: Int] = [:]

  /// The share of a holder.
  subscript(holder: Holder) -> Int { holders[holder] ?? 0 }

  /// Whether a holder may have one more.
  func hasRoom(for holder: Holder, in limit: SharedLimit) -> Bool {
    hasRoom(for: 1, of: holder, in: limit)
  }

  /// Whether a holder may have a number more.
  func hasRoom(for count: Int, of holder: Holder, in limit: SharedLimit) -> Bool {
    all + count <= limit.all && self[holder] + count <= limit.holder
      && (holder.isOwner || others + count <= limit.others)
  }

  /// Adds to a holder's share; a negative count subtracts.
  mutating func add(_ count: Int, to holder: Holder) {
    all += count
    if !holder.isOwner { others += count }
    let sum = self[holder] + count
    holders[holder] = sum == 0 ? nil : sum
  }
}
