/// The effect that has sent an action, for a journal.
///
/// An object, so that the queues of actions do not grow by its size.
package final class EffectCause: Hashable, Sendable {
  /// The revision whose reducer returned the effect.
  package let revision: UInt64
  /// The effect's name from `Effect.run(name:)`, if it has one.
  package let name: String?

  package init(revision: UInt64, name: String?) {
    self.revision = revision
    self.name = name
  }

  package static func == (one: EffectCause, other: EffectCause) -> Bool {
    one.revision == other.revision && one.name == other.name
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(revision)
    hasher.combine(name)
  }
}
