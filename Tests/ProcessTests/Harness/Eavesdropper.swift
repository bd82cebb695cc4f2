import StoreProtocol
import StoreState
import ZeroMQ

/// A client of two sockets that follows one scope, and also subscribes to topics of other clients
/// that it has learnt.
struct Eavesdropper {
  /// The topic of its view.
  let topic: Topic
  private let control: RawSocket
  private let publishing: RawSocket

  /// Opens a session, joins the scope and subscribes.
  ///
  /// - Parameters:
  ///   - scope: The scope.
  ///   - location: The daemon's sockets.
  ///   - key: The key with which it is admitted over tcp.
  ///   - learnt: Topics of other clients, of any kind.
  /// - Throws: Errors of sockets, and a failure if the daemon does not answer.
  init(
    of scope: String,
    at location: (control: String, publishing: String),
    as key: CurveClient? = nil,
    listeningTo learnt: [Topic],
  ) throws {
    let context = try Context()
    control = try RawSocket(context, .dealer, to: location.control, as: key)
    let (token, topic) = try control.join(scope, as: 70)
    self.topic = topic
    publishing = try RawSocket(context, .xsub, to: location.publishing, as: key)
    // Messages on the control socket have a topic of a kind without subscriptions.
    let others = learnt.map { Topic(.view, $0.identifier) }
    for topic in [topic] + others { try publishing.send([1] + topic.bytes) }
    try publishing.send(Fence(token: token, nonce: 1).encoded())
  }

  /// Returns all frames on both sockets, until a delta of its view contains a text, and the control
  /// socket is empty.
  func frames(until text: String) throws -> [[UInt8]] {
    var frames: [[UInt8]] = []
    try publishing.firstFrame { frame -> Bool? in
      defer { frames.append(frame) }
      let last = frames.last ?? []
      return Self.isDelta(frame[...], behind: last[...], topic, text) ? true : nil
    }
    try control.send(.ping(number: 1, revision: 0))
    try control.firstFrame { frame -> Bool? in
      frames.append(frame)
      guard !frame.isEmpty, case .pong = try DaemonMessage(frame: frame[...]) else { return nil }
      return true
    }
    return frames
  }

  /// Whether a frame has deltas that contain a text, and the frame before it is a topic.
  static func isDelta(
    _ frame: ArraySlice<UInt8>,
    behind previous: ArraySlice<UInt8>,
    _ topic: Topic,
    _ text: String,
  ) -> Bool {
    guard previous.elementsEqual(topic.bytes),
      case .deltas? = try? PublishedMessage(frame: frame)
    else { return false }
    return frame.contains(Array(text.utf8))
  }
}

extension RawSocket {
  /// Opens the session of the client with a number, and follows a scope.
  ///
  /// - Returns: The session's token, and the topic of the view.
  func join(_ scope: String, as number: UInt64) throws -> (token: Identifier, topic: Topic) {
    try send(.rawHello(number, isListed: false, features: .unicastViews))
    try send(.rawJoin([scope]))
    let token = try firstMessage { message -> Identifier? in
      if case .helloOK(let ok) = message { ok.token } else { nil }
    }
    let topic = try firstMessage { message -> Topic? in
      if case .joined(_, let topic?, _) = message { topic } else { nil }
    }
    return (token, topic)
  }
}
