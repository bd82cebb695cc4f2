import StoreActor
import StoreState
import Testing

@testable import StoreJournal
@testable import StoreReplication

/// The form on disk, byte for byte: whoever changes what is read of it gives it another number,
/// `JournalFile.format`, and says which of the older ones are still read.
@Suite struct JournalFormTests {
  private static let client = Identifier(high: 1, low: 2)

  private static let details: JournalRecord.Details = {
    let effect = InterruptedEffect(name: "save", path: ["alert", "saved"])
    var details = JournalRecord.Details()
    details.began = [JournalRecord.RunningEffect(number: 5, effect: effect)]
    details.ended = [4]
    details.inputs = JournalRecord.Inputs(date: 1.5, seed: 9)
    details.microseconds = 7
    details.forgotten = [client]
    return details
  }()

  private static let origins: [JournalRecord.Origin] = [
    .daemon,
    .internal(JournalRecord.InternalAction(name: "game.ticked")),
    .internal(
      JournalRecord.InternalAction(
        name: "counter.set",
        form: JournalRecord.InternalAction.Form(scope: "counter", action: [0x61, 0x61]),
      )
    ),
    .client(
      JournalRecord.ClientAction(
        client: client,
        session: 3,
        sequence: 4,
        scope: "counter",
        action: [0x61, 0x61],
        identity: .user(10, group: 11, process: 12),
      )
    ),
    .session(.joined(SessionInfo(id: 6, name: "one", address: "here"))),
    .session(.left(SessionInfo(id: 6, name: "one", address: "here"))),
    .restored(
      Restoration(
        wasStopped: true,
        interrupted: [InterruptedEffect(name: "save", path: ["saved"])],
      )
    ),
  ]

  @Test func `Records have the form of their number`() throws {
    #expect(JournalFile.format == 2)
    for (origin, expected) in zip(Self.origins, Self.records) {
      let record = JournalRecord(
        revision: 8,
        wallMilliseconds: 1000,
        origin: origin,
        delta: origin == .daemon ? nil : [0xa1, 0x00, 0x01],
        details: origin == .daemon ? Self.details : JournalRecord.Details(),
      )
      var encoder = CBOREncoder.durable
      record.encode(to: &encoder)
      #expect(Self.hex(encoder.bytes) == expected)
      var decoder = CBORDecoder(encoder.bytes)
      #expect(try JournalRecord(from: &decoder) == record)
    }
    #expect(Self.origins.count == Self.records.count)
  }

  @Test func `Snapshots have the form of their number`() throws {
    var history = KeptHistory()
    let failure = Outcome.Failure(code: Outcome.absent, message: "gone")
    history.clients = [
      KeptHistory.Client(
        id: Self.client,
        last: 2,
        outcomes: [.applied(revision: 1, hasEffects: false), .failed(failure)],
        holder: .user(10),
      )
    ]
    history.sessions = [6: SessionInfo(id: 6, name: "one", address: "here")]
    history.sessionNumbers = 9
    history.effects = [5: InterruptedEffect(name: "save", path: ["saved"])]
    let bytes = SnapshotBytes.encode(revision: 8, history) { $0.encode(unsigned: 1) }
    #expect(Self.hex(bytes) == Self.snapshot)
    #expect(try SnapshotBytes.decode(bytes[...]).history == history)
  }

  @Test(arguments: [ClientHolder.user(.max), .key("laptop"), .unknown])
  func `Snapshots say who answers for a client, and are read where they do not`(
    _ holder: ClientHolder
  ) throws {
    var history = KeptHistory()
    history.clients = [KeptHistory.Client(id: Self.client, last: 2, outcomes: [], holder: holder)]
    let bytes = SnapshotBytes.encode(revision: 8, history) { $0.encode(unsigned: 1) }
    #expect(try SnapshotBytes.decode(bytes[...]).history == history)
    history.clients[0].holder = .unknown
    history.clients[0].outcomes = [.applied(revision: 1, hasEffects: false)]
    var earlier: [UInt8] = [0x86, 0x08, 0x00, 0x80, 0x81, 0x83, 0x50]
    earlier += [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2]
    earlier += [0x02, 0x81, 0x01, 0x80, 0x01]
    #expect(try SnapshotBytes.decode(earlier[...]).history == history)
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static let records = [
    "85081903e8f6f6a60081830564736176658265616c657274657361766564018104021b3ff8000000000000"
      + "0309040705815000000000000000010000000000000002",
    "85081903e882056b67616d652e7469636b6564a10001a0",
    "85081903e884056b636f756e7465722e73657467636f756e746572426161a10001a0",
    "85081903e887015000000000000000010000000000000002030467636f756e746572426161830a0b0ca10001a0",
    "85081903e8840206636f6e656468657265a10001a0",
    "85081903e8840306636f6e656468657265a10001a0",
    "85081903e88304018182647361766581657361766564a10001a0",
  ]

  private static let snapshot =
    "860809818306636f6e65646865726581845000000000000000010000000000000002028201830266616273656e74"
    + "64676f6e650a81830564736176658165736176656401"
}
