import Foundation
import StoreBytes
import StoreConcurrency
import Synchronization

/// The time and the random numbers that reducers read, recorded for a later run with the
/// same values.
///
/// Between ``begin(with:notingOthers:)`` and ``end()``, on their thread, `date` is constant, and
/// UUIDs and random numbers are derived from a seed. Reads at other times or on other threads, such
/// as those of effects, return real values. An overridden dependency is not changed, and
/// not recorded.
///
/// A store whose reducers are not run again never begins a recording, and has no cost.
///
/// - The main actor writes `thread`; every thread reads it.
/// - `notes` is accessed only between the two calls, on the thread in `thread`. The same applies to
///   `otherNames`, which the main actor also reads afterwards.
/// - `notesOthers` is a hint: it is set before `thread`.
package enum ReducerInputs {
  /// The values that a reducer has read.
  package struct Read: Hashable, Sendable {
    /// The date, in seconds since 2001; nil when it was not read.
    package var date: Double?
    /// The seed of UUIDs and random numbers; nil if no such value was read.
    package var seed: UInt64?
    /// Whether the origin of the action was read.
    package var hasReadOrigin = false

    package init(date: Double? = nil, seed: UInt64? = nil) {
      self.date = date
      self.seed = seed
    }
  }

  private struct Notes {
    /// The values to read; nil ones are generated.
    var given: Read
    var read = Read()
    /// The number of values that were derived from the seed.
    var numbers: UInt64 = 0
  }

  private static let thread = Atomic<UInt>(0)
  private static let notesOthers = Atomic<Bool>(false)
  // Accessed by one thread only, as described above.
  @exclusivity(unchecked) nonisolated(unsafe) private static var notes = Notes(given: Read())
  nonisolated(unsafe) private static var otherNames: Set<String> = []

  /// Begins a recording on this thread.
  ///
  /// - Parameters:
  ///   - given: The values to read; for nil ones the current date and a new seed are used.
  ///   - others: Whether the names of other dependencies are recorded as well.
  @MainActor
  package static func begin(with given: Read = Read(), notingOthers others: Bool = false) {
    notes = Notes(given: given)
    // Creates a set only on request.
    if others { otherNames = [] }
    notesOthers.store(others, ordering: .relaxed)
    thread.store(CurrentThread.id, ordering: .relaxed)
  }

  /// Ends the recording.
  ///
  /// - Returns: The values that the reducer has read.
  @MainActor
  package static func end() -> Read {
    guard isReducing else { return Read() }
    thread.store(0, ordering: .relaxed)
    notesOthers.store(false, ordering: .relaxed)
    return notes.read
  }

  /// The names of the other dependencies that the last reducer read, if they were recorded.
  @MainActor
  package static var others: Set<String> { otherNames }

  /// Whether a recorded reducer runs on this thread.
  private static var isReducing: Bool {
    let thread = thread.load(ordering: .relaxed)
    return thread != 0 && thread == CurrentThread.id
  }

  /// Returns the date for any reader.
  static func date() -> Date {
    guard isReducing else { return Date() }
    let date = notes.read.date ?? notes.given.date ?? Date().timeIntervalSinceReferenceDate
    notes.read.date = date
    return Date(timeIntervalSinceReferenceDate: date)
  }

  /// Returns the next random number for a reducer; nil for other readers.
  ///
  /// UUIDs reveal some of the numbers; the others cannot be derived from these.
  static func number() -> UInt64? {
    guard isReducing else { return nil }
    let seed = notes.read.seed ?? notes.given.seed ?? .random(in: 0 ... .max)
    notes.read.seed = seed
    notes.numbers += 1
    var hasher = SipHash24(key: seed)
    hasher.append(littleEndian: notes.numbers)
    return hasher.finish()
  }

  /// Records that the origin of the action was read.
  static func noteOrigin() {
    if isReducing { notes.read.hasReadOrigin = true }
  }

  /// Returns a UUID for any reader.
  static func uuid() -> UUID {
    guard let high = number(), let low = number() else { return UUID() }
    return UUID(high: high, low: low)
  }

  /// Whether reads of other dependencies are recorded.
  static var areOthersNoted: Bool { notesOthers.load(ordering: .relaxed) }

  /// The name that ``noteThrottle()`` adds to ``others``.
  package static let throttle = "throttle"

  /// Records that a clock decided whether an effect is throttled.
  package static func noteThrottle() {
    if areOthersNoted, isReducing { otherNames.insert(throttle) }
  }

  /// Records that a dependency was read.
  static func note(_ value: Any, called name: StaticString, of key: Any.Type) {
    guard isReducing, (value as? any ReducerInput)?.isGivenAgain != true else { return }
    let name = "\(name)"
    otherNames.insert(name.isEmpty ? "\(key)" : name)
  }
}

/// A dependency whose value may be replayed for reducers.
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
  /// Makes reducers read the values of ``ReducerInputs``, also in a test.
  package mutating func useReducerInputs() {
    date = .live
    uuid = .live
    withRandomNumberGenerator = WithRandomNumberGenerator()
  }
}

extension UUID {
  /// Creates a random UUID, version 4, from two random numbers.
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
