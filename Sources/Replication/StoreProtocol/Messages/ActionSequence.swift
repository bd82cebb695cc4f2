/// Limits of the numbers by which a client counts its actions.
package enum ActionSequence {
  /// The greatest number that a client may begin after: what follows it must not overflow.
  package static let greatestStart: UInt64 = 1 << 62
  /// No client counts to this number: one that a journal contains must not overflow either.
  package static let greatest: UInt64 = 1 << 63
}
