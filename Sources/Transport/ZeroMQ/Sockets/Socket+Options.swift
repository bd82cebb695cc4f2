import CZMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension Socket {
  func apply(_ options: SocketOptions) throws(ZeroMQError) {
    try set(ZMQ_LINGER, "linger", options.linger)
    try set(ZMQ_SNDHWM, "sendHighWater", options.sendHighWater)
    try set(ZMQ_RCVHWM, "receiveHighWater", options.receiveHighWater)
    try set(ZMQ_IMMEDIATE, "immediate", options.immediate)
    try set(ZMQ_ROUTER_MANDATORY, "routerMandatory", options.routerMandatory)
    try set(ZMQ_PROBE_ROUTER, "probeRouter", options.probeRouter)
    if let size = options.maxMessageSize {
      try setValue(ZMQ_MAXMSGSIZE, "maxMessageSize", Int64(size))
    }
    try applyPublishing(options)
    try applyConnections(options)
  }

  private func applyPublishing(_ options: SocketOptions) throws(ZeroMQError) {
    try set(ZMQ_XPUB_VERBOSER, "xpubVerboser", options.xpubVerboser)
    if let message = options.welcomeMessage { try setWelcome(message) }
    do {
      try set(ZMQ_ONLY_FIRST_SUBSCRIBE, "onlyFirstSubscribe", options.onlyFirstSubscribe)
    } catch {
      // Some builds of libzmq lack this option, and it is only a second line of defense.
      guard error.code == EINVAL else { throw error }
    }
  }

  /// Changes the first message that an XPUB sends on each new connection.
  package func setWelcome(_ message: [UInt8]) throws(ZeroMQError) {
    let status = zmq_setsockopt(opened(), ZMQ_XPUB_WELCOME_MSG, message, message.count)
    try check(status, "welcomeMessage", "\(message.count) bytes")
  }

  private func applyConnections(_ options: SocketOptions) throws(ZeroMQError) {
    try set(ZMQ_HANDSHAKE_IVL, "handshakeInterval", options.handshakeInterval)
    try set(ZMQ_RECONNECT_IVL, "reconnectInterval", options.reconnectInterval)
    try set(ZMQ_RECONNECT_IVL_MAX, "reconnectIntervalMaximum", options.reconnectIntervalMaximum)
    try set(ZMQ_BACKLOG, "backlog", options.backlog)
    try set(ZMQ_TCP_KEEPALIVE, "tcpKeepalive", options.tcpKeepalive)
    if let domain = options.admissionDomain {
      let status = zmq_setsockopt(opened(), ZMQ_ZAP_DOMAIN, domain, domain.utf8.count)
      try check(status, "admissionDomain", domain)
      try setValue(ZMQ_ZAP_ENFORCE_DOMAIN, "admissionDomain", 1 as Int32)
    }
    if let client = options.curve { try connect(as: client) }
  }

  // MARK: - One option

  private func set(_ option: Int32, _ name: String, _ value: Duration?) throws(ZeroMQError) {
    guard let value else { return }
    try setValue(option, name, value.millisecondsRoundedUp)
  }

  private func set(_ option: Int32, _ name: String, _ value: Int?) throws(ZeroMQError) {
    guard let value else { return }
    try setValue(option, name, Int32(clamping: value))
  }

  private func set(_ option: Int32, _ name: String, _ value: Bool?) throws(ZeroMQError) {
    guard let value else { return }
    try setValue(option, name, value ? 1 : 0 as Int32)
  }

  func setValue<Value: BitwiseCopyable>(
    _ option: Int32,
    _ name: String,
    _ value: Value,
  ) throws(ZeroMQError) {
    let status = withUnsafeBytes(of: value) { bytes in
      zmq_setsockopt(opened(), option, bytes.baseAddress, bytes.count)
    }
    try check(status, name, "\(value)")
  }

  private func check(_ status: Int32, _ name: String, _ value: String) throws(ZeroMQError) {
    guard status == 0 else { throw .last("set option", "\(name) of a \(kind) socket to \(value)") }
  }
}
