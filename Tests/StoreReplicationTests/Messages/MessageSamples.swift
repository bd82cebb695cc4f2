import StoreState

@testable import StoreHistory
@testable import StoreProtocol

/// A sample of every message in each of its forms.
enum MessageSamples {
  static let client: [ClientMessage] = [
    .hello(
      ClientMessage.Hello(
        clientID: identifier(0),
        token: nil,
        firstSequence: 1,
        name: "demo",
        isListed: true,
      )
    ),
    .hello(
      ClientMessage.Hello(
        version: 7,
        lowestVersion: 2,
        clientID: identifier(0),
        token: identifier(16),
        firstSequence: .max,
        name: "",
        isListed: false,
        features: [.snapshotThenReplay],
      )
    ),
    .hello(
      ClientMessage.Hello(
        clientID: identifier(0),
        token: nil,
        firstSequence: 2,
        name: "lamp",
        isListed: false,
        newest: ClientMessage.Position(epoch: .max, revision: 300),
      )
    ),
    .join(nonce: 1, []),
    .join(
      nonce: 300,
      [
        ClientMessage.JoinRequest(
          scope: "counter",
          mode: .follow,
          stateHash: Digest(rawValue: 5),
          actionHash: Digest(rawValue: .max),
          position: nil,
        ),
        ClientMessage.JoinRequest(
          scope: "list/rows/7",
          mode: .keep,
          stateHash: nil,
          actionHash: nil,
          position: ClientMessage.Position(epoch: 1 << 63, revision: 70_000),
        ),
        ClientMessage.JoinRequest(
          scope: "ä",
          mode: ClientMessage.JoinMode(rawValue: 77),
          stateHash: nil,
          actionHash: nil,
          position: nil,
        ),
        ClientMessage.JoinRequest(
          scope: "é",
          mode: .sendOnly,
          stateHash: nil,
          actionHash: nil,
          position: nil,
        ),
      ],
    ),
    .actions(
      first: 9,
      [
        ClientMessage.ActionRequest(handle: 1, action: "up".encoded()[...], deadline: nil),
        ClientMessage.ActionRequest(
          handle: 2,
          action: [1, 2, 3].encoded()[...],
          deadline: 1_700_000_000_000,
        ),
        ClientMessage.ActionRequest(
          handle: 3,
          action: "up".encoded()[...],
          deadline: nil,
          trace: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ),
        ClientMessage.ActionRequest(
          handle: 4,
          action: "up".encoded()[...],
          deadline: 5,
          trace: "",
        ),
      ],
    ),
    .ping(number: 1, revision: 2),
    .cancel(sequence: 12),
    .credit(nonce: 1, bytes: 65_536),
    .describe(request: 0),
    .status(request: 24),
    .history(
      request: 25,
      .log(after: 3, count: 10, scope: "counter", client: MessageSamples.identifier(1)),
    ),
    .history(request: 26, .log(after: 0, count: 1, scope: nil, client: nil)),
    .history(request: 27, .state(revision: 300, scope: "todos/items/1")),
    .history(request: 28, .verify),
    .keys(request: 29, .list),
    .keys(request: 30, .invite(name: "laptop", grants: ["counter see", "* send"], seconds: 900)),
    .keys(request: 31, .revoke(name: "laptop")),
    .keys(request: 32, .enrol(key: [UInt8](repeating: 0xa5, count: KeyText.keyBytes))),
    .rows(request: 33, RowQuery(scope: "todos/items", prefix: "5F", start: 2048)),
    .bye,
    .unknown(kind: 3),
    .unknown(kind: .max),
  ]

  static let daemon: [DaemonMessage] = [
    .helloOK(
      DaemonMessage.HelloOK(
        session: 1,
        token: identifier(16),
        epoch: .max,
        revision: 3,
        privateTopic: Topic(.session, identifier(32)),
        lastSequence: 4,
        isResumed: true,
        leaseMilliseconds: 10_000,
        frameBytes: 1 << 20,
        window: 1024,
        scopes: 1024,
        actions: 128,
        running: [2, 4],
        features: [.snapshotThenReplay],
      )
    ),
    .refused(code: "version", message: "no"),
    .working(nonce: 300),
    .notUnderstood(kind: 3, message: "what?"),
    .unicast(
      .echo(PublishedMessage.Echo(nonce: 3, revision: 9, sequence: 2, previousSequence: 1))
    ),
    .needHello,
    .joined(
      nonce: 2,
      topic: Topic(.view, identifier(48)),
      [
        .accepted(handle: 1),
        .refused(
          JoinFailure(
            code: "unknownScope",
            message: "There is none.",
            details: ["counter", "list"],
          )
        ),
      ],
    ),
    .joined(nonce: 2, topic: nil, []),
    .snapshot(
      DaemonMessage.SnapshotPiece(
        nonce: 1,
        handle: 2,
        revision: 3,
        total: 10,
        offset: 4,
        bytes: [1, 2, 3],
      )
    ),
    .replay(DaemonMessage.Replay(nonce: 1, handle: 2, revision: 3, delta: nil)),
    .replay(DaemonMessage.Replay(nonce: 1, handle: 2, revision: 3, delta: [0xf6])),
    .acks(
      DaemonMessage.Acks(
        first: 5,
        outcomes: [
          .applied(revision: 1, hasEffects: false), .applied(revision: 2, hasEffects: true),
          .failed(Outcome.Failure(code: Outcome.absent, message: "gone")),
        ],
        watermark: DaemonMessage.Watermark(nonce: 1, sequence: 2),
      )
    ),
    .finished([1, 2], watermark: DaemonMessage.Watermark(nonce: 3, sequence: 4)),
    .pong(number: 1, revision: 2, watermark: DaemonMessage.Watermark(nonce: 3, sequence: 4)),
    .description(request: 1, item: [UInt8]().encodedArray[...]),
    .status(request: 2, item: "fine".encoded()[...]),
    .history(request: 3, item: "then".encoded()[...]),
    .keys(request: 4, item: "laptop".encoded()[...]),
    .rows(request: 5, item: [UInt8]().encodedArray[...]),
    .goodbye(code: "leaseEnded", message: "silence"),
    .gap(expected: 8),
  ]

  static let published: [PublishedMessage] = [
    .echo(PublishedMessage.Echo(nonce: 1, revision: 2, sequence: 3, previousSequence: 4)),
    .deltas(
      PublishedMessage.DeltaRun(
        sequence: 7,
        steps: [
          PublishedMessage.Step(
            revision: 8,
            changes: [PublishedMessage.Change(index: 0, delta: 5.encoded()[...])],
          ),
          PublishedMessage.Step(
            revision: 9,
            changes: [
              PublishedMessage.Change(index: 1, delta: [0xf6]),
              PublishedMessage.Change(index: 2, delta: "x".encoded()[...]),
            ],
          ),
        ],
      )
    ),
    .bookmark(
      PublishedMessage.Bookmark(
        revision: 1,
        sequence: 2,
        durableRevision: nil,
        digests: [Digest(rawValue: 3)],
      )
    ),
    .bookmark(
      PublishedMessage.Bookmark(revision: 1, sequence: 2, durableRevision: 1, digests: [])
    ),
    .outputs(
      PublishedMessage.Outputs(
        sequence: 7,
        outputs: [
          PublishedMessage.Output(
            revision: 8,
            index: 0,
            schema: Digest(rawValue: 5),
            value: "rang".encoded()[...],
          ),
          PublishedMessage.Output(
            revision: 300,
            index: 24,
            schema: Digest(rawValue: .max),
            value: [0x81, 0xf6],
          ),
        ],
      )
    ),
    .marker(PublishedMessage.Marker(sequence: 8, revision: 300)),
  ]

  /// The 16 consecutive bytes that begin with a number.
  static func identifier(_ first: UInt8) -> Identifier {
    Identifier(bytes: (0..<16).map { first + $0 }) ?? Identifier(high: 0, low: 0)
  }
}

extension [UInt8] {
  /// An empty array as a CBOR item.
  fileprivate var encodedArray: [UInt8] { [0x80] }
}
