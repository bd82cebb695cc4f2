/// Limits of the numbers by which a client counts its actions.
package enum ActionSequence {
  /// The greatest number after which a client may begin: the following numbers must not overflow.
  package static let greatestStart: UInt64 = 1 << 62
  /// No client counts to this number.
  ///
  /// A number in a journal must not overflow either.
  package static let greatest: UInt64 = 1 << 63
}
