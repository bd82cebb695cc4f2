import Observation
import Synchronization

/// What the Observation framework is told that somebody has read: marks, in place of the key paths
/// into a state, as making and hashing those costs far more.
final class ObservationSubject: Observable, Sendable {
  let registrar = ObservationRegistrar()

  /// What one read is known by.
  ///
  /// A new one for each read, so that counting its references tells whether anybody still waits for
  /// the read to change.
  static func keyPath(_ mark: ObservationMark) -> KeyPath<ObservationSubject, Bool> {
    \ObservationSubject.[mark]
  }

  func access(_ keyPath: KeyPath<ObservationSubject, Bool>) {
    registrar.access(self, keyPath: keyPath)
  }

  /// Tells those who wait that the read would give something else now.
  func changed(_ keyPath: KeyPath<ObservationSubject, Bool>) {
    registrar.withMutation(of: self, keyPath: keyPath) {}
  }

  subscript(_: ObservationMark) -> Bool { true }
}

/// What makes a key path of its own for each read; notes when it is hashed.
final class ObservationMark: Hashable, Sendable {
  private let hashed = Atomic(false)

  /// Whether the mark is hashed while a closure runs.
  func isHashed(by body: () -> Void) -> Bool {
    hashed.store(false, ordering: .relaxed)
    body()
    return hashed.load(ordering: .relaxed)
  }

  static func == (lhs: ObservationMark, rhs: ObservationMark) -> Bool {
    lhs === rhs
  }

  func hash(into hasher: inout Hasher) {
    hashed.store(true, ordering: .relaxed)
    hasher.combine(ObjectIdentifier(self))
  }
}

/// Tells whether the code that runs now reads for somebody who wants to be told of changes.
///
/// The Observation framework does not say. But inside of a tracking it puts each accessed key path
/// into a set, for which it hashes it, and outside it does nothing with it: so the probe accesses a
/// key path that notes when it is hashed. Asking costs some 10 ns outside of a tracking. Should a
/// framework do otherwise one day, every read counts as tracked: slow, but right.
@MainActor
struct ObservationProbe {
  private static var current = ObservationProbe()
  private static let isReliable = {
    var isNoticed = false
    withObservationTracking {
      isNoticed = ObservationProbe().ask()
    } onChange: {
    }
    return isNoticed
  }()

  private let subject = ObservationSubject()
  private let mark = ObservationMark()
  private let keyPath: KeyPath<ObservationSubject, Bool>
  private var uses = 0

  private init() {
    keyPath = ObservationSubject.keyPath(mark)
  }

  static var isTracking: Bool {
    guard isReliable else { return true }
    let isTracking = current.ask()
    if isTracking { countUse() }
    return isTracking
  }

  private func ask() -> Bool {
    mark.isHashed { subject.access(keyPath) }
  }

  /// Takes a new subject now and then, as a subject remembers every tracking that never fired.
  private static func countUse() {
    current.uses += 1
    if current.uses >= 64 { current = ObservationProbe() }
  }
}
