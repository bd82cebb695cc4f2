import StoreHistory
import StoreProtocol

/// How much of something that is limited each holder has.
struct Shares {
  private(set) var all = 0
  /// Of all together who are not the owner's.
  private(set) var others = 0
  /// Bounded by ``all``: who has nothing has no entry.
  private var holders: [Holder: Int] = [:]

  /// How much a holder has.
  subscript(holder: Holder) -> Int { holders[holder] ?? 0 }

  /// Whether a holder may have one more.
  func hasRoom(for holder: Holder, in limit: SharedLimit) -> Bool {
    all < limit.all && self[holder] < limit.holder && (holder.isOwner || others < limit.others)
  }

  /// Counts what a holder takes, or gives back.
  mutating func add(_ count: Int, to holder: Holder) {
    all += count
    if !holder.isOwner { others += count }
    let sum = self[holder] + count
    holders[holder] = sum == 0 ? nil : sum
  }
}
