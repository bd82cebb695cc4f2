import StoreActor
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreJournal
@testable import StoreProtocol

/// The form on disk, byte for byte.
///
/// A change of the form that readers notice needs another number, `JournalDirectory.format`, and a
/// list of the older formats that are still read.
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
    #expect(JournalDirectory.format == 4)
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

  @Test func `Segments have the form of their number`() throws {
    var header = LogHeader(
      root: "Test",
      epoch: 7,
      term: 2,
      durability: .full,
      boot: "boot",
      schema: [1, 2],
      history: 11,
    )
    (header.first, header.before, header.total) = (5, 6, 9)
    (header.wallMilliseconds, header.key) = (1000, 3)
    let bytes = header.encode()
    #expect(bytes.count == LogHeader.pageBytes)
    #expect(Self.hex(Array(bytes.prefix(84))) == Self.header)
    #expect(bytes.dropFirst(84).allSatisfy { $0 == 0 })
    #expect(try LogHeader(bytes, path: "log") == header)
    var head = LogEntry.Head(
      kind: .records,
      count: 3,
      first: 5,
      last: 6,
      sessionNumbers: 4,
      before: 6,
    )
    #expect(Self.hex(LogEntry.encode(&head, [7, 8, 9], key: 3)) == Self.entry)
    #expect(Self.hex(LogEntry.end(behind: 6, head.sum, key: 3)) == Self.end)
    let fields = SnapshotFile.Fields(schema: [1, 2], history: 8, sum: 9)
    #expect(Self.hex(SnapshotFile.trailer(of: [7], 5, fields)) == Self.trailer)
    #expect(try SnapshotFile.Fields(fields.encoded[...]) == fields)
    let unknown = SnapshotFile.Fields(schema: [1, 2])
    #expect(try SnapshotFile.Fields(unknown.encoded[...]) == unknown)
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
  func `Snapshots contain the holder of a client, and are read without it`(
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

  @Test func `Snapshots and effects of format 3, which were arrays, are read`() throws {
    var history = KeptHistory()
    history.sessions = [6: SessionInfo(id: 6, name: "one", address: "here")]
    history.sessionNumbers = 9
    history.effects = [5: InterruptedEffect(name: "save", path: ["saved"])]
    let bytes = Self.bytes(
      "860809818406636f6e656468657265f68081830564736176658165736176656401"
    )
    let parts = try SnapshotBytes.decode(bytes[...])
    #expect(parts.revision == 8 && parts.history == history && Array(parts.root) == [1])
    let record = Self.bytes("85081903e8f6f6a10081830564736176658265616c657274657361766564")
    var decoder = CBORDecoder(record)
    #expect(try JournalRecord(from: &decoder).details.began == Self.details.began)
  }

  @Test func `Fields that are not known are passed by`() throws {
    // After the root as well, and in an effect.
    let snapshot = Self.bytes("a7000801000280038004800501188183f6f5f4")
    let parts = try SnapshotBytes.decode(snapshot[...])
    #expect(parts.revision == 8 && Array(parts.root) == [1])
    #expect(try SnapshotBytes.revision(of: snapshot[...]) == 8)
    var effect = CBORDecoder(Self.bytes("a400050164736176650281657361766564185082f6f5"))
    #expect(
      try JournalRecord.RunningEffect(from: &effect)
        == JournalRecord.RunningEffect(
          number: 5,
          effect: InterruptedEffect(name: "save", path: ["saved"]),
        )
    )
    let fields = Self.bytes("a40042010201080209186480")
    #expect(try SnapshotFile.Fields(fields[...]).sum == 9)
  }

  @Test(arguments: [
    "a600080100028003800480", "a5000801000280038005 01", "a6000801000280048003800501",
    "a600080100028003800480050101", "a7000801000280038004800501188180ff", "a0",
    "a70008000801000280038004800501",
  ])
  func `A snapshot that has no field, or has one twice, is refused`(hex: String) {
    #expect(throws: CodecError.self) {
      try SnapshotBytes.revision(of: Self.bytes(hex.filter { $0 != " " })[...])
    }
  }

  private static func bytes(_ hex: String) -> [UInt8] {
    var (bytes, rest) = ([UInt8](), hex[...])
    while let byte = UInt8(rest.prefix(2), radix: 16) {
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static let records = [
    "85081903e8f6f6a60081a30005016473617665028265616c657274657361766564018104021b3ff8000000"
      + "0000000309040705815000000000000000010000000000000002",
    "85081903e882056b67616d652e7469636b6564a10001a0",
    "85081903e884056b636f756e7465722e73657467636f756e746572426161a10001a0",
    "85081903e887015000000000000000010000000000000002030467636f756e746572426161830a0b0ca10001a0",
    "85081903e8850206636f6e656468657265f6a10001a0",
    "85081903e8850306636f6e656468657265f6a10001a0",
    "85081903e88304018182647361766581657361766564a10001a0",
  ]

  private static let header =
    "73746f72656c6f6700000000000000000400000031000000bb8c04509ea70f95"
    + "ae00645465737401070202030504060509061903e80703086466756c6c0964626f6f740a64636f7079"
    + "0b4201020c0b0d00000000"
  private static let entry =
    "6e747279010000000300000000000000050000000000000006000000000000000400000000000000"
    + "0600000000000000b1ccbbd60a08c045d36675e703a679f40708090000000000"
  private static let end =
    "6e747279020000000000000000000000070000000000000006000000000000000000000000000000"
    + "b1ccbbd60a08c04569d9bbd3193c2c858592554ade8ccd66"
  private static let trailer =
    "a3004201020108020905000000000000000400000009000000d7210d85055ede04736e617073686f74"

  private static let snapshot =
    "a60008010902818406636f6e656468657265f60381845000000000000000010000000000000002028201830266"
    + "616273656e7464676f6e650a0481a3000501647361766502816573617665640501"
}
