/// Every duration of the protocol.
package struct Timing: Sendable, Equatable {
  /// Silence after which a session ends.
  package var lease: Duration = .seconds(10)
  /// What is left of the lease when a connection of the client goes.
  package var grace: Duration = .seconds(2)
  /// How long a connection may send upstream before the fence of a session comes on it, and how
  /// long a control connection may be without the session that it had.
  package var introduction: Duration = .seconds(3)
  /// How long a subscriber may leave much unread without getting on.
  package var lag: Duration = .seconds(1)
  /// What was published so long before a client's ping, or less, counts as being on its way.
  package var transit: Duration = .milliseconds(250)
  /// Silence on a scope after which its bookmark is sent.
  package var bookmark: Duration = .milliseconds(250)
  /// The longest time between two bookmarks of a scope on which there is no silence.
  package var busyBookmark: Duration = .seconds(5)
  /// After how long it is tried again to send what a peer's queue had no room for.
  package var resend: Duration = .milliseconds(5)
  /// How often those who wait for captures are told that these are being made: several times in
  /// ``answer``, so that they wait on.
  package var working: Duration = .milliseconds(300)
  /// How long a turn takes control frames: what it changed goes out then, and so do answers to
  /// pings, however long the reducers take.
  package var turn: Duration = .milliseconds(5)
  /// How long a turn hands out what joiners get: others wait for so long.
  package var handOut: Duration = .milliseconds(2)
  /// How far behind the daemon may be with listening while there is always more: peers get their
  /// turns one after the other, so none waits for so long.
  package var backlog: Duration = .seconds(1)
  /// How long a daemon that stops waits for its clients' goodbyes.
  package var farewell: Duration = .milliseconds(200)
  /// How long a daemon that stops waits for its journal: a disk that takes longer is broken.
  package var settling: Duration = .seconds(10)
  /// How long a client waits for an answer to hello or a fence.
  package var answer: Duration = .seconds(1)
  /// The longest that a client waits for a join's next frame, after shorter waits were in vain.
  package var patience: Duration = .seconds(30)
  /// How long a scope is followed that nobody holds any more.
  package var linger: Duration = .seconds(1)
  /// The first and the longest wait before a scope is fetched again whose digest differs though it
  /// was just fetched.
  package var mismatchBackOff: ClosedRange<Duration> = .seconds(1) ... .seconds(60)
  /// How long those who come wait for what a daemon that starts does first; a disk that takes
  /// longer counts as stalled.
  package var stall: Duration = .milliseconds(500)
  /// How long clients wait while the disk has enough to do, before their actions are refused: what
  /// has no need of the disk waits with the actions.
  package var backpressure: Duration = .milliseconds(100)
  /// How long a daemon waits before it tries again to keep what there was no room for.
  package var retry: Duration = .seconds(1)
  /// How long a client is without a connection that it had before it takes the daemon for gone:
  /// one that lives is connected to again within some 100 ms.
  package var interruption: Duration = .milliseconds(500)
  /// The first and the longest wait before a client connects afresh.
  package var backOff: ClosedRange<Duration> = .milliseconds(100) ... .seconds(5)

  package init() {}
}
