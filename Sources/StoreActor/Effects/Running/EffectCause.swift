/// The effect that has sent an action, for a journal.
package final class EffectCause: Sendable {
  /// The revision whose reducer returned the effect.
  package let revision: UInt64
  /// The effect's name from `Effect.run(name:)`, if it has one.
  package let name: String?

  package init(revision: UInt64, name: String?) {
    self.revision = revision
    self.name = name
  }
}
