/// A limit of all holders together: each holder has a share, and the owner has a reserve.
package struct SharedLimit: Hashable, Sendable {
  /// The limit of all holders together.
  package var all: Int
  /// The limit of all holders together except the owner: the rest is the owner's reserve.
  package var others: Int
  /// The limit of one holder.
  package var holder: Int

  package init(all: Int, others: Int, holder: Int) {
    self.all = all
    self.others = others
    self.holder = holder
  }
}
