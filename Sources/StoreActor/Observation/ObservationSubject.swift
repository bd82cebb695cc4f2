import Observation
import Synchronization

/// The subject of reads for the Observation framework.
///
/// It uses marks instead of key paths into a state, as creating and hashing those costs far more.
final class ObservationSubject: Observable, Sendable {
  let registrar = ObservationRegistrar()

  /// The identity of one read.
  ///
  /// A new one for each read, so that its reference count shows whether the read still has waiters.
  static func keyPath(_ mark: ObservationMark) -> KeyPath<ObservationSubject, Bool> {
    \ObservationSubject.[mark]
  }

  func access(_ keyPath: KeyPath<ObservationSubject, Bool>) {
    registrar.access(self, keyPath: keyPath)
  }

  /// Notifies waiters that the read has changed.
  func changed(_ keyPath: KeyPath<ObservationSubject, Bool>) {
    registrar.withMutation(of: self, keyPath: keyPath) {}
  }

  subscript(_: ObservationMark) -> Bool { true }
}

/// Makes a distinct key path for each read, and records when it is hashed.
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

/// Detects whether the running code reads on behalf of an observer.
///
/// The Observation framework does not report this. But within a tracking it inserts each accessed
/// key path into a set, and so hashes it; outside it ignores the key path. So the probe accesses a
/// key path that records its hashing. A check costs some 10 ns outside of a tracking. If a
/// framework ever differs, every read counts as tracked: slow, but correct.
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

  /// Replaces the subject from time to time, as a subject retains every tracking that never fired.
  private static func countUse() {
    current.uses += 1
    if current.uses >= 64 { current = ObservationProbe() }
  }
}
