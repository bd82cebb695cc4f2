/// How a socket behaves; set before it is bound or connected.
///
/// What is `nil` is left as the library has it, which for several of these is a trap: the comments
/// say which. Durations are rounded up to milliseconds.
package struct SocketOptions: Sendable {
  // MARK: - Queues

  /// How long a closed socket goes on delivering what was sent; 0 unless set.
  package var linger: Duration?

  /// How many messages may wait for each peer; 0 is without limit.
  ///
  /// A publisher drops what is beyond it, in silence, until half of the queue was read. For XSUB
  /// set 0: subscriptions are messages, and those beyond the limit would be lost.
  package var sendHighWater: Int?

  /// How many messages from each peer may wait to be read; 0 is without limit.
  package var receiveHighWater: Int?

  /// The longest frame that is accepted, in bytes; a peer that sends a longer one is cut off.
  ///
  /// Without limit unless set. It is per frame: a message may have any number of them.
  package var maxMessageSize: Int?

  /// Whether to send only over established connections.
  ///
  /// Otherwise messages for a peer that is away are queued, and delivered whenever it comes.
  package var immediate: Bool?

  // MARK: - Routers

  /// Whether a router reports messages for unknown or slow peers instead of dropping them.
  package var routerMandatory: Bool?

  /// Whether each new connection begins with an empty message to the peer, which so notices it.
  package var probeRouter: Bool?

  // MARK: - Publishers

  /// Whether an XPUB reports every subscription and every leaving, not only first and last.
  package var xpubVerboser: Bool?

  /// What an XPUB sends first on each new connection, whatever is subscribed to.
  package var welcomeMessage: [UInt8]?

  /// Whether only the first frame of a message sent upstream can be a subscription.
  ///
  /// A library that does not know the option ignores it; therefore keep such messages to one frame.
  package var onlyFirstSubscribe: Bool?

  // MARK: - Connections

  // The library's heartbeats are not offered: a peer that closes while its queue is full, with an
  // answer to one on its way, ends the process by an assertion (libzmq issue 4364).

  /// How long a new connection may take to introduce itself; 30 seconds unless set.
  package var handshakeInterval: Duration?

  /// How long to wait before connecting again; up to as much again is added at random.
  package var reconnectInterval: Duration?

  /// Up to how long that wait grows, doubling each time; it does not grow unless set.
  package var reconnectIntervalMaximum: Duration?

  /// How many connections may wait to be accepted.
  package var backlog: Int?

  /// Asks ``Admission`` about every connection, naming this domain, and shuts out what cannot be
  /// asked about: the protocol's first versions, which a web page can speak.
  ///
  /// A socket with this option lets nobody in when there is no ``Admission`` in its context.
  package var admissionDomain: String?

  /// The keys of a client whose connections are encrypted; nil for connections that are not.
  package var curve: CurveClient?

  /// Whether the system probes idle tcp connections.
  package var tcpKeepalive: Bool?

  /// Creates options that leave everything as the library has it.
  package init() {}
}
