#if FAILPOINTS
package import Synchronization
#endif

/// Places in the processing of a revision at which a test can end the daemon, as a SIGKILL does.
///
/// They exist if the package is built with `FAILPOINTS`: in debug builds, and if the environment of
/// the build requests it.
package enum Failpoint: String, CaseIterable, Sendable {
  case beforeAppend, afterAppend
  case beforeCommit, afterCommit
  case beforePublishing, afterPublishing
  case beforeAck, afterAck
  case duringSnapshot, afterSnapshot
  case duringRotation, duringTruncation
  case duringRecovery, afterRecovery

  /// Runs the test's action for this place, if there is one.
  @inline(__always)
  package static func reach(_ point: Failpoint) {
    #if FAILPOINTS
    action.withLock { $0?(point) }
    #endif
  }

  #if FAILPOINTS
  /// The action of a test for all places.
  package static let action = Mutex<(@Sendable (Failpoint) -> Void)?>(nil)
  #endif
}
