/// Whether a loop that has nothing to do should look again for a moment before it sleeps.
///
/// To be woken costs a thread some 20 µs on each side, which is as much as several actions. Where
/// messages come at once, one after the other, looking for them is quicker and takes no more time
/// of the processor than sleeping and waking does; where they come now and then it would be
/// wasted. So a loop looks only after a wait that was short, and the first long one ends that: what
/// comes once a millisecond is never looked for. The idea is that of halt polling in Linux's KVM,
/// `Documentation/virt/kvm/halt-polling.rst`.
struct AdaptivePolling {
  /// For how many nanoseconds it is worth looking.
  let limit: Int64
  /// A wait that took no more nanoseconds was short.
  var shortWait: Int64 { 2 * limit }
  /// Whether to look before sleeping.
  private(set) var isWorthwhile = false

  /// For messages: a little longer than it takes one to go to another process and its answer to
  /// come back.
  static var messages: Self { Self(limit: 100_000) }
  /// For the answer to what was asked for: as long as a quick disk takes besides to keep something.
  static var answers: Self { Self(limit: 300_000) }

  /// A loop that has not waited yet.
  private init(limit: Int64) { self.limit = limit }

  /// Takes note of a wait that ended with something to do, or because a deadline has come.
  ///
  /// - Parameter nanoseconds: How long it took, looking and sleeping together.
  mutating func waited(_ nanoseconds: Int64) { isWorthwhile = nanoseconds <= shortWait }
}
