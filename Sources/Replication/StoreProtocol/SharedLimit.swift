/// A limit of all together: each holder has a share, and the owner's have a reserve.
package struct SharedLimit: Hashable, Sendable {
  /// Of all together.
  package var all: Int
  /// Of all together who are not the owner's: the rest is the owner's reserve.
  package var others: Int
  /// Of one holder.
  package var holder: Int

  package init(all: Int, others: Int, holder: Int) {
    self.all = all
    self.others = others
    self.holder = holder
  }
}
