import Foundation
import StoreBytes
import StoreConcurrency
import Synchronization

/// What reducers read of time and chance, noted so that they can be run again with the same.
///
/// Between ``begin(with:notingOthers:)`` and ``end()``, on their thread, `date` stands still, and
/// UUIDs and random numbers come from a seed. Whoever reads at another time or on another thread,
/// as effects do, has the real ones. What somebody has overridden stays as it is, and is not noted.
///
/// A store whose reducers nobody runs again never begins, and pays nothing.
///
/// - `thread` is written by the main actor, and read by everybody.
/// - `notes` is touched between the two calls only, on the thread that `thread` names; so are
///   `otherNames`, but for the main actor's look at them behind.
/// - `notesOthers` is a hint: it is set before the thread is.
package enum ReducerInputs {
  /// The values that a reducer has read.
  package struct Read: Hashable, Sendable {
    /// The date, in seconds since 2001; nil when it was not read.
    package var date: Double?
    /// What UUIDs and random numbers were made from; nil when there were none.
    package var seed: UInt64?

    package init(date: Double? = nil, seed: UInt64? = nil) {
      self.date = date
      self.seed = seed
    }
  }

  private struct Notes {
    /// What there is to read; what is nil is made up.
    var given: Read
    var read = Read()
    /// How many numbers the seed has given.
    var numbers: UInt64 = 0
  }

  private static let thread = Atomic<UInt>(0)
  private static let notesOthers = Atomic<Bool>(false)
  // Touched by one thread only, as said above.
  @exclusivity(unchecked) nonisolated(unsafe) private static var notes = Notes(given: Read())
  nonisolated(unsafe) private static var otherNames: Set<String> = []

  /// A reducer begins on this thread.
  ///
  /// - Parameters:
  ///   - given: What it is to read; what is nil is the date of now, and a new seed.
  ///   - others: Whether the names of other dependencies are noted as well.
  @MainActor
  package static func begin(with given: Read = Read(), notingOthers others: Bool = false) {
    notes = Notes(given: given)
    // Only who asks for them pays for a set.
    if others { otherNames = [] }
    notesOthers.store(others, ordering: .relaxed)
    thread.store(CurrentThread.id, ordering: .relaxed)
  }

  /// The reducer has ended.
  ///
  /// - Returns: The values that it has read.
  @MainActor
  package static func end() -> Read {
    guard isReducing else { return Read() }
    thread.store(0, ordering: .relaxed)
    notesOthers.store(false, ordering: .relaxed)
    return notes.read
  }

  /// The names of the other dependencies that the last reducer has read of which they were noted.
  @MainActor
  package static var others: Set<String> { otherNames }

  /// Whether a reducer runs here whose reads are noted.
  private static var isReducing: Bool {
    let thread = thread.load(ordering: .relaxed)
    return thread != 0 && thread == CurrentThread.id
  }

  /// The date for any reader.
  static func date() -> Date {
    guard isReducing else { return Date() }
    let date = notes.read.date ?? notes.given.date ?? Date().timeIntervalSinceReferenceDate
    notes.read.date = date
    return Date(timeIntervalSinceReferenceDate: date)
  }

  /// The next random number for a reducer; nil for anybody else.
  ///
  /// Who knows some of them, for they travel in UUIDs, cannot tell the others.
  static func number() -> UInt64? {
    guard isReducing else { return nil }
    let seed = notes.read.seed ?? notes.given.seed ?? .random(in: 0 ... .max)
    notes.read.seed = seed
    notes.numbers += 1
    var hasher = SipHash24(key: seed)
    hasher.append(littleEndian: notes.numbers)
    return hasher.finish()
  }

  /// A UUID for any reader.
  static func uuid() -> UUID {
    guard let high = number(), let low = number() else { return UUID() }
    return UUID(high: high, low: low)
  }

  /// Whether reads of other dependencies are to be told of.
  static var areOthersNoted: Bool { notesOthers.load(ordering: .relaxed) }

  /// What ``noteThrottle()`` adds to ``others``.
  package static let throttle = "throttle"

  /// Whether an effect is held back was decided by a clock.
  package static func noteThrottle() {
    if areOthersNoted, isReducing { otherNames.insert(throttle) }
  }

  /// Notes that a dependency was read.
  static func note(_ value: Any, called name: StaticString, of key: Any.Type) {
    guard isReducing, (value as? any ReducerInput)?.isGivenAgain != true else { return }
    let name = "\(name)"
    otherNames.insert(name.isEmpty ? "\(key)" : name)
  }
}

/// A dependency whose value may be one that reducers are given again.
package protocol ReducerInput {
  var isGivenAgain: Bool { get }
}

/// Random numbers for any reader.
struct ReducerNumbers: RandomNumberGenerator, Sendable {
  func next() -> UInt64 {
    if let number = ReducerInputs.number() { return number }
    var system = SystemRandomNumberGenerator()
    return system.next()
  }
}

extension DependencyValues {
  /// Has reducers read what ``ReducerInputs`` gives them, also in a test.
  package mutating func useReducerInputs() {
    date = .live
    uuid = .live
    withRandomNumberGenerator = WithRandomNumberGenerator()
  }
}

extension UUID {
  /// A random UUID, version 4, of two random numbers.
  fileprivate init(high: UInt64, low: UInt64) {
    let byte = { (number: UInt64, place: UInt64) in
      UInt8(truncatingIfNeeded: number >> (8 * (7 - place)))
    }
    self.init(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
        byte(high, 6) & 0x0f | 0x40, byte(high, 7),
        byte(low, 0) & 0x3f | 0x80, byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4),
        byte(low, 5), byte(low, 6), byte(low, 7),
      )
    )
  }
}
