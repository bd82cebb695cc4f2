/// An id that a feature cancels effects by.
///
/// It is looked for at the place of the feature that uses it, and below. Two types' ids are never
/// the same one, even where `AnyHashable` finds them equal.
@usableFromInline
package struct CancelID: Hashable, Sendable {
  private let type: ObjectIdentifier
  private let id: AnyHashableSendable

  package init(_ id: some Hashable & Sendable) {
    type = ObjectIdentifier(Swift.type(of: id))
    self.id = AnyHashableSendable(id)
  }
}
