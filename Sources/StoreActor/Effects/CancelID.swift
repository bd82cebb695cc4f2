/// An id that a feature uses to cancel effects.
///
/// The lookup covers the place of the feature that uses the id, and all places below it. Ids of two
/// types always differ, even if `AnyHashable` considers them equal.
@usableFromInline
package struct CancelID: Hashable, Sendable {
  private let type: ObjectIdentifier
  private let id: AnyHashableSendable

  package init(_ id: some Hashable & Sendable) {
    type = ObjectIdentifier(Swift.type(of: id))
    self.id = AnyHashableSendable(id)
  }
}
