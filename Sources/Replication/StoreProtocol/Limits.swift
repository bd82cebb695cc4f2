/// Every limit of the protocol, each with its reason.
///
/// The page `docs/PROTOCOL.md` lists them in §13.
package struct Limits: Sendable, Equatable {
  /// A frame on the control socket, in bytes: room for a large form, not for a file.
  package var frameBytes = 1 << 20
  /// An upstream frame, in bytes: a subscription has 18, a fence 28, a handshake's end 40.
  ///
  /// Each byte of a subscription takes the library some forty bytes.
  package var upstreamBytes = 64
  /// The body of one published message, in bytes: a subscriber's queue is limited by messages, and
  /// followers fetch a larger step.
  package var messageBytes = 64 << 10
  /// Topics of one connection's subscriptions: a client has two, and one more while it joins.
  ///
  /// The library iterates over the topics of all connections whenever a connection ends.
  package var topicsPerConnection = 16
  /// Published bytes of a topic that a subscriber may leave unread for ``Timing/lag``, according to
  /// its pings: they wait in the daemon.
  package var lagBytes: UInt64 = 8 << 20
  /// The same for a moment, and during a snapshot's transfer, before which no delta is applied.
  package var mostLagBytes: UInt64 = 64 << 20
  /// The same for all subscribers together, for each the part beyond twice ``bytesPerPing``: beyond
  /// this sum, the subscribers with the most are shut down.
  package var allLagBytes = 512 << 20
  /// The same for all subscribers together except the owner's.
  package var allLagBytesOfOthers = 384 << 20
  /// Bytes of deltas after which a client pings at once to report its lag: a part of its allowance.
  package var bytesPerPing = 1 << 20
  /// Messages that wait for one subscriber in the publishing socket; further ones are lost, and the
  /// client fetches their scopes.
  package var publishingQueue = 256
  /// Messages that wait for one peer in the control socket; further ones are held by the daemon.
  package var controlQueue = 64
  /// Bytes that are held for one peer whose queue is full: more than a client requests at once.
  package var heldBytes = 8 << 20
  /// The same for all peers together: beyond it the one with the most is shut down.
  package var allHeldBytes = 64 << 20
  /// The part of one holder that is not the owner: two peers that do not read.
  package var heldBytesOfHolder = 16 << 20
  /// The part of all holders together except the owner.
  package var heldBytesOfOthers = 48 << 20
  /// A client's name, in bytes: every reader of the status or of the listed sessions receives it.
  package var nameBytes = 64
  /// Actions of one client without an outcome: enough to fill a fast link, small enough to resend.
  package var window = 1024
  /// Actions in one frame, and reduced in one turn: many, because frames and turns cost as much as
  /// some ten actions each; not more, because other peers wait, and a turn ends within a frame only
  /// if the journal has a result.
  package var actionsPerFrame = 128
  /// Actions of a frame after which a turn checks for a result of the journal: fewer than are
  /// reduced during a disk write, and as many as cost a turn.
  package var actionsPerLook = 8
  /// Waiting actions at which a client sends a batch before it processes further received messages,
  /// so that the daemon works at the same time.
  package var actionsHeldBack = 64
  /// Scopes that one session follows: a screen of rows, each a scope of its own.
  package var scopesPerSession = 1024
  /// Sessions at once: descriptors are finite, and their exhaustion ends the process.
  package var sessions = 4096
  /// Sessions with all rights, in all their programs: the rest is left to others.
  package var sessionsOfOwners = 3072
  /// Sessions of one of these programs: a program that never closes them leaves room for others.
  package var sessionsPerProcess = 1024
  /// Sessions of all holders together without all rights: the rest is left to the owner, however
  /// many users there are.
  package var sessionsOfOthers = 3072
  /// Sessions of one user without all rights: a part of all, so that others find room.
  package var sessionsPerUser = 256
  /// Hellos of one such user in a second, and at once after a rest: all clients can reconnect
  /// within some seconds, and frequent reconnections make few revisions.
  package var hellosPerSecond = 64
  /// Actions of one such user in a second, and at once after a rest: more than people and scripts
  /// send, and a part of the daemon's capacity.
  package var actionsPerSecond = 4096
  /// Bytes of actions of one such holder in a second, and at once after a rest: their changes are
  /// kept, so the limit is a part of a disk's throughput.
  package var actionBytesPerSecond = 8 << 20
  package var actionBytesAtOnce = 16 << 20
  /// Requests for the status by one connection in a second: a status with a thousand sessions takes
  /// the main thread as long as a thousand actions.
  package var statusesPerSecond = 8
  /// Descriptions, queries of the past or of rows, and key commands of one connection in a second:
  /// each answer is as long as a hundred outcomes, and waits in the daemon until it is read.
  package var questionsPerSecond = 64
  /// Both for one holder that is not the owner, on all of its connections.
  package var statusesPerHolder = 32
  package var questionsPerHolder = 256
  /// Rows that are examined for one row query: half a millisecond of the main thread.
  package var rowsPerQuestion = 2048
  /// The same in bytes of their ids.
  package var rowBytesPerQuestion = 64 << 10
  /// Actions as which a row query counts for a holder without all rights: they take as long.
  package var actionsPerRowQuestion = 64
  /// Ids of rows in an answer: as many as a person reads.
  package var rowIDsPerAnswer = 200
  /// The id in a row's name, in bytes, in its canonical form: people type no longer ids, and a row
  /// with a longer id is not a scope.
  package var rowIDBytes = 256
  /// A scope's name as a client sends it, in bytes: room for other spellings of an id.
  package var scopeNameBytes = 1024
  /// Names of the scopes of one holder without all rights, in bytes: those of 64 sessions with the
  /// most rows.
  package var scopeNameBytesOfOne = 4 << 20
  /// The same for all such holders together, in bytes: the rest is left to the owner's programs.
  package var scopeNameBytesOfOthers = 48 << 20
  /// The same for all sessions, in bytes.
  package var allScopeNameBytes = 64 << 20
  /// Entries of one join: a scope may occur twice, to see it and to send to it.
  package var scopesPerJoin: Int { 2 * scopesPerSession }
  /// Actions as which an entry of a join counts for a holder without all rights: finding, following
  /// and encoding a scope takes as long.
  package var actionsPerJoinEntry = 2
  /// Names of scopes in a status, in bytes; beyond that they are only counted.
  package var statusNameBytes = 64 << 10
  /// The bytes that an action with a condition costs beside its own: the daemon computes the digest
  /// of its scope.
  package var conditionCost = 64 << 10
  /// Names of running effects that outlive their senders, in a status; those of further names are
  /// counted together.
  package var workNames = 256
  /// Bytes of such a name; the rest is cut off.
  package var workNameBytes = 128
  /// Scopes of a join for which the nearest valid names are searched: this takes longer than the
  /// rest of a join.
  package var suggestionsPerJoin = 16
  /// Actions of one session whose effects run at once: each has a task.
  package var effectsPerSession = 4096
  /// Actions of one user without all rights whose effects run at once, also those of ended
  /// sessions: an effect may take time to end.
  package var effectsPerUser = 16_384
  /// Schedules of a daemon: each is in every snapshot.
  ///
  /// ``ScheduleTable/most`` is the greatest number of all.
  package var schedules = SharedLimit(all: 10_000, others: 7_500, holder: 1_000)
  /// The bytes of schedules, with the actions that they send.
  package var scheduleBytes = SharedLimit(all: 16 << 20, others: 12 << 20, holder: 2 << 20)
  /// Bytes of the schedules in one answer.
  package var scheduleAnswerBytes = 64 << 10
  /// Outcomes kept for a client that sends actions again: at least the window.
  package var outcomesPerClient = 1024
  /// Outcomes kept of all clients together, of each its newest.
  ///
  /// Those of 64 clients at the highest rate. There is one for each of ``clients``, also after an
  /// eighth is freed.
  package var outcomes = 65_536
  /// The part that others leave to the clients of the owner.
  package var outcomesOfOwner = 16_384
  /// Bytes of the outcomes that are kept of all clients together, in memory.
  ///
  /// There is room for a longest one of each of ``clients`` and ``sessions``, without its value,
  /// also after an eighth is freed. The values of replies and refusals are dropped first.
  package var outcomeBytes = 24 << 20
  /// The part that others leave to the clients of the owner.
  package var outcomeBytesOfOwner = 4 << 20
  /// Client ids whose sequence is remembered.
  package var clients = 16_384
  /// The part that others leave to the clients of the owner.
  package var clientsOfOwner = 4_096
  /// Revisions that a journal's end can have lost, according to a client: a daemon that makes a
  /// million a second needs nine years for them.
  package var mostLostRevisions: UInt64 = 1 << 48
  /// Root versions kept, so that a returning client receives deltas instead of a snapshot.
  package var versions = 1024
  /// Memory of the kept versions besides the newest one, in bytes: large changes displace old
  /// versions earlier than many small ones.
  package var versionBytes = 64 << 20
  /// A snapshot's piece, in bytes: small enough to send other peers' frames between the pieces.
  package var chunkBytes = 64 << 10
  /// Bytes of captures that were sent to one session without a credit in return.
  package var creditBytes = 1 << 20
  /// Deltas of a view between two bookmarks; if the view has more scopes, as many as scopes.
  package var deltasPerBookmark = 256
  /// Actions a client holds for a daemon that does not answer.
  package var queuedActions = 65_536
  /// Deltas that a client keeps during the rest of a join, in bytes: further ones are fetched by
  /// another join.
  package var keptBytes = 16 << 20
  /// The largest snapshot that a client accepts, in bytes: a daemon must not fill its memory.
  package var snapshotBytes = 256 << 20
  /// Queries of the past that wait for an answer: they are answered one by one.
  package var historyJobs = 64
  /// The part of one connection: others are answered in between.
  package var historyJobsPerPeer = 4
  /// The parts of one holder, and of all holders together except the owner.
  package var historyJobsPerHolder = 16
  package var historyJobsOfOthers = 48
  /// Bytes of history that are read in a second for one holder that is not the owner.
  ///
  /// A part of one thread's throughput. If one query reads more, later ones are refused meanwhile.
  package var historyBytesPerSecond = 16 << 20
  /// Joins of one session whose fence has not arrived yet.
  package var pendingJoins = 4
  /// Jobs that encode captures at once: the number of spare cores, because each may take as much
  /// memory as the state.
  package var captureJobs = 4
  /// The parts of one holder, and of all holders together except the owner: repeated fetches of one
  /// large state do not delay others.
  package var captureJobsPerHolder: Int { max(1, captureJobs / 2) }
  package var captureJobsOfOthers: Int { max(1, captureJobs - 1) }
  /// Bytes of encoded captures that sessions have not taken, of all together: two of the largest
  /// snapshots, each of which may be read slowly.
  ///
  /// Beyond it, the sessions with the most bytes end.
  package var capturedBytes = 512 << 20
  /// Rows that one job encodes: they are small, and a job's overhead equals that of several rows.
  package var rowsPerJob = 64
  /// Bytes of snapshots that a turn sends, to all joiners together: a part of a millisecond.
  package var pieceBytesPerTurn = 1 << 20
  /// Joins of listed sessions that a turn delivers to the reducer, besides those before departures
  /// and before the frames of their sessions.
  package var sessionEventsPerTurn = 64
  /// Frames taken from one socket in one turn, so that every socket is served.
  package var framesPerTurn = 256
  /// Bytes of control frames taken in one turn: a frame may hold a thousand actions, and their
  /// changes are published at the end of the turn.
  package var bytesPerTurn = 64 << 10

  /// Bytes of records after which a daemon keeps a snapshot: a restart reads as many.
  package var recordBytesPerSnapshot = 16 << 20
  /// Revisions after which a second snapshot is kept, if there is only one.
  package var recordsBeforeSecondSnapshot: UInt64 = 1_000
  /// Numbers of sessions that are recorded in advance: most sessions leave no record.
  package var reservedSessions: UInt64 = 256
  /// Goodbyes of clients that no record contains yet: after so many, a record is made.
  package var unrecordedFarewells = 1024
  /// Refused actions that no record contains yet; more are only counted.
  package var unrecordedRefusals = SharedLimit(all: 256, others: 192, holder: 128)
  /// The bytes of these actions and of their reasons.
  package var unrecordedRefusalBytes = SharedLimit(
    all: 16 << 10,
    others: 12 << 10,
    holder: 8 << 10,
  )
  /// Revisions that wait to become durable, shared equally by the holders that caused some of them.
  ///
  /// A holder with its share waits for ``Timing/backpressure``. Then its actions are refused, which
  /// bounds the memory, and the others continue.
  package var unreleasedRevisions: UInt64 = 1000
  /// The bytes of records that wait to become durable, with the same rule.
  package var unreleasedBytes = 8 << 20
  /// Revisions that wait to become durable, beyond which the daemon ends.
  ///
  /// Those of its own effects cannot be refused. A timer with ten actions a second reaches the
  /// limit in three hours of a full disk.
  package var mostUnreleasedRevisions: UInt64 = 100_000
  /// The bytes of records that wait to become durable, with the same rule.
  package var mostUnreleasedBytes = 128 << 20

  package init() {}
}

extension Limits {
  /// Queries of the past that wait for an answer.
  package var history: SharedLimit {
    SharedLimit(all: historyJobs, others: historyJobsOfOthers, holder: historyJobsPerHolder)
  }

  /// Jobs that encode captures at once.
  package var captures: SharedLimit {
    SharedLimit(all: captureJobs, others: captureJobsOfOthers, holder: captureJobsPerHolder)
  }
  /// The name of an exposure, in bytes: every name of its rows begins with it.
  package static let exposureNameBytes = 128

  /// The bytes of steps, or of outputs, that fit into one message besides its fixed part.
  package var roomInMessage: Int { messageBytes - 32 }

  /// An output's bytes: its message also has room for the fixed part of an output.
  package var outputBytes: Int { roomInMessage - 32 }
}
