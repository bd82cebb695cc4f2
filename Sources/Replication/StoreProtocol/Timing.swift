/// Every duration of the protocol.
package struct Timing: Sendable, Equatable {
  /// Silence after which a session ends.
  package var lease: Duration = .seconds(10)
  /// The rest of the lease after a connection of the client is lost.
  package var grace: Duration = .seconds(2)
  /// The longest time that a connection may send upstream before a session's fence arrives on it,
  /// and that a control connection may remain after it lost its session.
  package var introduction: Duration = .seconds(3)
  /// The longest time of a subscriber with many unread bytes that makes no progress.
  package var lag: Duration = .seconds(1)
  /// Data published at most so long before a client's ping counts as in transit, not as unread.
  package var transit: Duration = .milliseconds(250)
  /// Silence on a scope after which its bookmark is sent.
  package var bookmark: Duration = .milliseconds(250)
  /// The longest time between two bookmarks of a scope on which there is no silence.
  package var busyBookmark: Duration = .seconds(5)
  /// The time after which a send is retried that found a peer's queue full.
  package var resend: Duration = .milliseconds(5)
  /// The interval of `working` messages to clients that wait for captures: several within
  /// ``answer``, so that they continue to wait.
  package var working: Duration = .milliseconds(300)
  /// The longest time that a turn takes control frames: then its changes and the answers to pings
  /// are sent, however long the reducers take.
  package var turn: Duration = .milliseconds(5)
  /// The longest time that a turn sends data to joiners: others wait meanwhile.
  package var handOut: Duration = .milliseconds(2)
  /// The most that the daemon's listening may be late while further messages arrive.
  ///
  /// Peers are served in turns, so no peer waits longer.
  package var backlog: Duration = .seconds(1)
  /// The longest time that a stopping daemon waits for its clients' goodbyes.
  package var farewell: Duration = .milliseconds(200)
  /// The longest time that a stopping daemon waits for its journal: a slower disk is broken.
  package var settling: Duration = .seconds(10)
  /// The time that a client waits for an answer to hello or a fence.
  package var answer: Duration = .seconds(1)
  /// The longest time that a client waits for a join's next frame, after shorter waits timed out.
  package var patience: Duration = .seconds(30)
  /// The time for which a scope is followed after its last use.
  package var linger: Duration = .seconds(1)
  /// The first and the longest wait before a scope is fetched again whose digest still differs
  /// after a fetch.
  package var mismatchBackOff: ClosedRange<Duration> = .seconds(1) ... .seconds(60)
  /// The longest time that connecting clients wait for the first write of a starting daemon; a
  /// slower disk counts as stalled.
  package var stall: Duration = .milliseconds(500)
  /// The time that clients wait while the disk is busy, before their actions are refused.
  ///
  /// Messages that do not need the disk wait with the actions.
  package var backpressure: Duration = .milliseconds(100)
  /// The time after which a daemon retries a write for which the disk had no room.
  package var retry: Duration = .seconds(1)
  /// The time from the loss of a connection until a client considers the daemon ended: a running
  /// one accepts a new connection within some 100 ms.
  package var interruption: Duration = .milliseconds(500)
  /// The first and the longest wait before a client opens new connections.
  package var backOff: ClosedRange<Duration> = .milliseconds(100) ... .seconds(5)

  package init() {}
}
