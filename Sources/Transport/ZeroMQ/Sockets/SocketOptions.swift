/// The options of a socket; set before it is bound or connected.
///
/// `nil` keeps libzmq's default, which is a trap for several options; their comments state it.
/// Durations are rounded up to milliseconds.
package struct SocketOptions: Sendable {
  // MARK: - Queues

  /// The time for which a closed socket continues to deliver sent messages; 0 unless set.
  package var linger: Duration?

  /// The maximum number of messages that wait for each peer; 0 is without limit.
  ///
  /// Beyond it, a publisher silently drops messages until half of the queue was read. For XSUB set
  /// 0: subscriptions are messages, and those beyond the limit would be lost.
  package var sendHighWater: Int?

  /// The maximum number of unread messages from each peer; 0 is without limit.
  package var receiveHighWater: Int?

  /// The longest frame that is accepted, in bytes; a peer that sends a longer one is disconnected.
  ///
  /// Without limit unless set. It applies to each frame: a message may have any number of frames.
  package var maxMessageSize: Int?

  /// Whether to send only over established connections.
  ///
  /// Otherwise messages for an absent peer are queued, and delivered when it connects.
  package var immediate: Bool?

  // MARK: - Routers

  /// Whether a router reports messages for unknown or slow peers instead of dropping them.
  package var routerMandatory: Bool?

  /// Whether each new connection begins with an empty message, which announces it to the peer.
  package var probeRouter: Bool?

  // MARK: - Publishers

  /// Whether an XPUB reports every subscription and unsubscription, not only first and last ones.
  package var xpubVerboser: Bool?

  /// The first message of an XPUB on each new connection, regardless of subscriptions.
  package var welcomeMessage: [UInt8]?

  /// Whether only the first frame of a message sent upstream can be a subscription.
  ///
  /// A libzmq that lacks the option ignores it; therefore keep such messages to one frame.
  package var onlyFirstSubscribe: Bool?

  // MARK: - Connections

  // This type omits libzmq's heartbeats: a peer that disconnects while its queue is full and an
  // answer to a heartbeat is under way ends the process by an assertion (libzmq issue 4364).

  /// The time limit of a new connection's handshake; 30 seconds unless set.
  package var handshakeInterval: Duration?

  /// The wait before a reconnect; up to the same time is added at random.
  package var reconnectInterval: Duration?

  /// The maximum of that wait, which doubles each time; it does not grow unless set.
  package var reconnectIntervalMaximum: Duration?

  /// The maximum number of connections that wait to be accepted.
  package var backlog: Int?

  /// The domain of this socket's requests to ``Admission``, one for each connection.
  ///
  /// Peers that cannot be asked about are refused: the protocol's first versions, which a web page
  /// can speak.
  ///
  /// Without an ``Admission`` in its context, a socket with this option refuses every connection.
  package var admissionDomain: String?

  /// The keys of a client's encrypted connections; nil for unencrypted connections.
  package var curve: CurveClient?

  /// Whether the system probes idle tcp connections.
  package var tcpKeepalive: Bool?

  /// Creates options that keep all of libzmq's defaults.
  package init() {}
}
