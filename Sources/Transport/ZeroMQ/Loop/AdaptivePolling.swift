/// Decides whether an idle loop polls for a moment before it sleeps.
///
/// Waking a thread costs each side about 20 µs, as much as several actions. If messages follow each
/// other closely, polling is quicker and takes no more processor time than sleeping and waking. If
/// they are rare, polling would waste that time. So a loop polls only after a short wait, and the
/// first long wait ends that: the loop never polls for messages that are a millisecond apart. The
/// idea is halt polling in Linux's KVM, `Documentation/virt/kvm/halt-polling.rst`.
struct AdaptivePolling {
  /// The longest time of polling, in nanoseconds.
  let limit: Int64
  /// The maximum of a short wait, in nanoseconds.
  var shortWait: Int64 { 2 * limit }
  /// Whether to poll before sleeping.
  private(set) var isWorthwhile = false

  /// For messages: a little longer than a message's round trip to another process.
  static var messages: Self { Self(limit: 100_000) }
  /// For a requested answer: long enough to include a quick disk's sync.
  static var answers: Self { Self(limit: 300_000) }

  /// Creates the state of a loop that has not waited yet.
  private init(limit: Int64) { self.limit = limit }

  /// Records a wait that ended with work to do, or at a deadline.
  ///
  /// - Parameter nanoseconds: The time of polling and sleeping together.
  mutating func waited(_ nanoseconds: Int64) { isWorthwhile = nanoseconds <= shortWait }
}
