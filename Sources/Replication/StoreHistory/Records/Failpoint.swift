#if FAILPOINTS
package import Synchronization
#endif

/// Places on a revision's way at which a test can end the daemon, as a SIGKILL does.
///
/// They are there where the package is built with `FAILPOINTS`: in debug, and where the environment
/// of the build says so.
package enum Failpoint: String, CaseIterable, Sendable {
  case beforeAppend, afterAppend
  case beforeCommit, afterCommit
  case beforePublishing, afterPublishing
  case beforeAck, afterAck
  case duringSnapshot, afterSnapshot
  case duringRotation, duringTruncation
  case duringRecovery, afterRecovery

  /// Does what was asked for at this place: nothing, where nobody did.
  @inline(__always)
  package static func reach(_ point: Failpoint) {
    #if FAILPOINTS
    action.withLock { $0?(point) }
    #endif
  }

  #if FAILPOINTS
  /// What is done at each of them.
  package static let action = Mutex<(@Sendable (Failpoint) -> Void)?>(nil)
  #endif
}
