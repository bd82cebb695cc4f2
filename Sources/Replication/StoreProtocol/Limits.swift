/// Every limit of the protocol, each with its reason.
///
/// The page `docs/PROTOCOL.md` lists them in §13.
package struct Limits: Sendable, Equatable {
  /// A frame on the control socket, in bytes: room for a large form, not for a file.
  package var frameBytes = 1 << 20
  /// An upstream frame, in bytes: a subscription is 18, a fence 28, a handshake's last word 40.
  ///
  /// Each byte of a subscription costs the library some forty.
  package var upstreamBytes = 64
  /// What is published in one message, in bytes: what waits for a subscriber is counted in
  /// messages, and a larger step is fetched by those who want it.
  package var messageBytes = 64 << 10
  /// Topics that one connection subscribes to: a client has two, and one more while it joins.
  ///
  /// The library goes through those of all connections whenever one of them ends.
  package var topicsPerConnection = 16
  /// Bytes published on a topic that a subscriber may leave unread for ``Timing/lag``, as far as
  /// its pings tell: they wait in the daemon.
  package var lagBytes: UInt64 = 8 << 20
  /// The same for a moment, and while a snapshot is on its way, before which nothing is applied.
  package var mostLagBytes: UInt64 = 64 << 20
  /// The same of all together, as far as one leaves more than ``bytesPerPing`` unread: beyond it
  /// the one with the most is shut down.
  package var allLagBytes = 512 << 20
  /// The same of all together who are not the owner's.
  package var allLagBytesOfOthers = 384 << 20
  /// Bytes of deltas after which a client pings at once, so that its lag is known: a part of what
  /// it may leave unread.
  package var bytesPerPing = 1 << 20
  /// Messages that wait for one subscriber in the publishing socket; beyond it they are lost, and
  /// what is lost is fetched.
  package var publishingQueue = 256
  /// Messages that wait for one peer in the control socket; beyond it they are held here.
  package var controlQueue = 64
  /// Bytes that are held for one peer whose queue is full: more than a client asks for at once.
  package var heldBytes = 8 << 20
  /// The same for all peers together: beyond it the one with the most is shut down.
  package var allHeldBytes = 64 << 20
  /// Those of them that are of one holder that is not the owner's: two peers that read nothing.
  package var heldBytesOfHolder = 16 << 20
  /// Those of them that are of all holders together that are not the owner's.
  package var heldBytesOfOthers = 48 << 20
  /// A client's name, in bytes: everyone who looks at the status or at those present gets it.
  package var nameBytes = 64
  /// Actions of one client without an outcome: enough to fill a fast link, small enough to resend.
  package var window = 1024
  /// Actions in one frame, and reduced in one turn: many, because frames and turns cost as much as
  /// some ten actions each; not more, because others wait for so long, and a turn ends within a
  /// frame only when the journal has done something.
  package var actionsPerFrame = 128
  /// Actions of a frame after which a turn looks whether the journal has done something: fewer than
  /// are reduced while a disk writes, and as many as cost a turn.
  package var actionsPerLook = 8
  /// Actions that a client lets wait while it takes in what came: so that the daemon is busy with
  /// the next batch meanwhile.
  package var actionsHeldBack = 64
  /// Scopes one session follows: a screen of rows, each a scope of its own.
  package var scopesPerSession = 1024
  /// Sessions at once: descriptors are finite, and running out of them ends the process.
  package var sessions = 4096
  /// Sessions of those who may do everything, in all their programs: others find room.
  package var sessionsOfOwners = 3072
  /// Sessions of one of their programs: one that forgets to close them keeps none of the others
  /// out.
  package var sessionsPerProcess = 1024
  /// Sessions of all together who may not do everything: however many users they are, the owner
  /// finds room.
  package var sessionsOfOthers = 3072
  /// Sessions of one user who may not do everything: a part of all, so that others find room.
  package var sessionsPerUser = 256
  /// Hellos of one such user in a second, and in a moment after a rest: everybody who is there
  /// comes back within some seconds, and those who come and go make few revisions.
  package var hellosPerSecond = 64
  /// Actions of one such user in a second, and in a moment after a rest: more than hands and
  /// scripts send, and a part of what the daemon can do.
  package var actionsPerSecond = 4096
  /// Bytes of actions of one such holder in a second, and in a moment after a rest: what they
  /// change is kept, so a part of what a disk writes.
  package var actionBytesPerSecond = 8 << 20
  package var actionBytesAtOnce = 16 << 20
  /// Statuses that one connection asks for in a second: one of a thousand sessions takes the main
  /// thread as long as a thousand actions.
  package var statusesPerSecond = 8
  /// Descriptions, questions for the past or for rows and commands for keys that one connection
  /// asks in a second: each answer is as long as a hundred outcomes, and waits here until it is
  /// read.
  package var questionsPerSecond = 64
  /// Both of one holder that is not the owner's, on all of its connections.
  package var statusesPerHolder = 32
  package var questionsPerHolder = 256
  /// Rows that are looked at for one question for rows: half a millisecond of the main thread.
  package var rowsPerQuestion = 2048
  /// The same in bytes of their ids.
  package var rowBytesPerQuestion = 64 << 10
  /// Actions as which a question for rows counts for who may not do everything: they take as long.
  package var actionsPerRowQuestion = 64
  /// Ids of rows in an answer: as many as somebody looks through.
  package var rowIDsPerAnswer = 200
  /// The id in a row's name, in bytes, as the daemon writes it: a longer one is nothing that
  /// anybody types, and the row is no scope.
  package var rowIDBytes = 256
  /// A scope's name as a client sends it, in bytes: room for other spellings of an id.
  package var scopeNameBytes = 1024
  /// Names of the scopes of one holder who may not do everything, in bytes: those of 64 sessions
  /// that follow as many rows as they may.
  package var scopeNameBytesOfOne = 4 << 20
  /// The same of all such holders together, in bytes: the owner's programs find room beside them.
  package var scopeNameBytesOfOthers = 48 << 20
  /// The same of all sessions, in bytes.
  package var allScopeNameBytes = 64 << 20
  /// Entries of one join: a scope may be asked for twice, to see it and to send to it.
  package var scopesPerJoin: Int { 2 * scopesPerSession }
  /// Actions as which an entry of a join counts for who may not do everything: to find a scope, to
  /// follow it and to encode it takes as long.
  package var actionsPerJoinEntry = 2
  /// Names of scopes in a status, in bytes; beyond that they are only counted.
  package var statusNameBytes = 64 << 10
  /// Scopes of a join for which the nearest right names are looked for: it takes longer than all
  /// else that a join does.
  package var suggestionsPerJoin = 16
  /// Actions of one session whose effects run at once: each has a task.
  package var effectsPerSession = 4096
  /// Actions of one user who may not do everything whose effects run at once, also those of
  /// sessions that are over: an effect may take its time to end.
  package var effectsPerUser = 16_384
  /// Outcomes kept for a client that asks again: at least the window.
  package var outcomesPerClient = 1024
  /// Outcomes kept of all clients together, of each its newest.
  ///
  /// Those of 64 that send as fast as they may; and there is one for each of ``clients``, also when
  /// an eighth is made free.
  package var outcomes = 65_536
  /// Those of them that others leave to the clients of the owner.
  package var outcomesOfOwner = 16_384
  /// Bytes of the outcomes that are kept of all clients together, as they lie in memory.
  ///
  /// There is room for a longest one of each of ``clients`` and ``sessions``, also when an eighth
  /// is made free.
  package var outcomeBytes = 24 << 20
  /// Those of them that others leave to the clients of the owner.
  package var outcomeBytesOfOwner = 4 << 20
  /// Client ids whose sequence is remembered.
  package var clients = 16_384
  /// Those of them that others leave to the clients of the owner.
  package var clientsOfOwner = 4_096
  /// Revisions that a journal's end can have lost, as a client tells: a daemon that makes a million
  /// a second needs nine years for them.
  package var mostLostRevisions: UInt64 = 1 << 48
  /// Root versions kept, so that a client that comes back gets what changed, not everything.
  package var versions = 1024
  /// What the kept versions hold on to besides the newest one, in bytes: large changes push old
  /// versions out before many small ones do.
  package var versionBytes = 64 << 20
  /// A snapshot's piece, in bytes: small enough that others' frames go between the pieces.
  package var chunkBytes = 64 << 10
  /// Bytes of captures on the way to one session that no credit came back for.
  package var creditBytes = 1 << 20
  /// Deltas of a view between two bookmarks; where it has more scopes than that, as many.
  package var deltasPerBookmark = 256
  /// Actions a client holds for a daemon that does not answer.
  package var queuedActions = 65_536
  /// Deltas that a client keeps while the rest of a join is on its way, in bytes: what comes beyond
  /// is fetched by another join.
  package var keptBytes = 16 << 20
  /// The largest snapshot that a client takes, in bytes: what a daemon says must not fill the
  /// memory.
  package var snapshotBytes = 256 << 20
  /// Questions for the past that wait for an answer: they are answered one by one.
  package var historyJobs = 64
  /// Those of them that one connection has asked: others are answered in between.
  package var historyJobsPerPeer = 4
  /// Those of them that one holder has asked, and all together who are not the owner's.
  package var historyJobsPerHolder = 16
  package var historyJobsOfOthers = 48
  /// Bytes of history that are read in a second for one holder that is not the owner's.
  ///
  /// A part of what one thread reads. One question may read more; then the next is refused so long.
  package var historyBytesPerSecond = 16 << 20
  /// Joins of one session whose fence has not come yet.
  package var pendingJoins = 4
  /// Jobs that encode captures at once: as many as there are cores to spare, for each may take as
  /// much memory as the state is large.
  package var captureJobs = 4
  /// Those of one holder, and of all together who are not the owner's: one large state that is
  /// fetched again and again keeps nobody waiting.
  package var captureJobsPerHolder: Int { max(1, captureJobs / 2) }
  package var captureJobsOfOthers: Int { max(1, captureJobs - 1) }
  /// Bytes of encoded captures that sessions have not taken, of all together: two of the largest
  /// snapshots, each of which may be read slowly.
  ///
  /// Beyond it those sessions end that keep the most.
  package var capturedBytes = 512 << 20
  /// Rows that one job encodes: they are small, and handing a job over costs as much as some.
  package var rowsPerJob = 64
  /// Bytes of snapshots that a turn hands out, to all joiners together: a part of a millisecond.
  package var pieceBytesPerTurn = 1 << 20
  /// Frames taken from one socket in one turn, so that all get theirs.
  package var framesPerTurn = 256
  /// Bytes of control frames taken in one turn: a frame may hold a thousand actions, and what they
  /// change is published at the end of the turn.
  package var bytesPerTurn = 64 << 10

  /// Bytes of records after which a daemon keeps a snapshot: so much is read again when it starts.
  package var recordBytesPerSnapshot = 16 << 20
  /// Revisions after which a second snapshot is kept, where there is only one.
  package var recordsBeforeSecondSnapshot: UInt64 = 1_000
  /// Numbers of sessions that are kept before they are given: most sessions leave no record.
  package var reservedSessions: UInt64 = 256
  /// Clients who said goodbye of which no record says it yet: one is made for so many.
  package var unrecordedFarewells = 1024
  /// Revisions that wait to become durable, shared alike by the holders that caused some of them:
  /// one with its share waits for ``Timing/backpressure``, and then its actions are refused, so
  /// that it does not fill the memory, and the others go on.
  package var unreleasedRevisions: UInt64 = 1000
  /// The bytes of records that wait to become durable, beyond which the same holds.
  package var unreleasedBytes = 8 << 20
  /// Revisions that wait to become durable, beyond which the daemon ends.
  ///
  /// Those of its own effects cannot be refused. A timer of ten a second comes to that in three
  /// hours of a full disk.
  package var mostUnreleasedRevisions: UInt64 = 100_000
  /// The bytes of records that wait to become durable, beyond which the same holds.
  package var mostUnreleasedBytes = 128 << 20

  package init() {}
}

extension Limits {
  /// Questions for the past that wait for an answer.
  package var history: SharedLimit {
    SharedLimit(all: historyJobs, others: historyJobsOfOthers, holder: historyJobsPerHolder)
  }

  /// Jobs that encode captures at once.
  package var captures: SharedLimit {
    SharedLimit(all: captureJobs, others: captureJobsOfOthers, holder: captureJobsPerHolder)
  }
  /// The name of an exposure, in bytes: every name of its rows begins with it.
  package static let exposureNameBytes = 128

  /// The bytes of steps, or of outputs, that one message has room for, besides what every one has.
  package var roomInMessage: Int { messageBytes - 32 }

  /// An output's bytes: beside it, its message has room for what every output has.
  package var outputBytes: Int { roomInMessage - 32 }
}
