/// Answers libzmq's requests to admit a connection, with a user id for it (ZeroMQ RFC 27).
///
/// libzmq sends a request for each connection to a socket with the option `admissionDomain`, after
/// the handshake and before it takes the peer's messages. A context has one of these. It may move
/// to a thread other than its creator's.
package final class Admission {
  /// A connection's request to be admitted.
  package struct Request {
    fileprivate let id: [UInt8]
    /// The domain of the socket that it connects to.
    package let domain: String
    /// The peer's address: `localhost:uid:gid:pid` over ipc, a network address over tcp.
    package let address: String
    /// The public key for which the peer has proved that it has the secret key; nil if the
    /// connection is not encrypted.
    package let key: [UInt8]?
  }

  /// The socket to poll for requests.
  package let socket: Socket

  private var frame = Message()

  /// Begins to answer for the sockets of a context; must be created before they are bound.
  package init(_ context: Context) throws(ZeroMQError) {
    socket = try Socket(context, kind: .reply)
    try socket.bind("inproc://zeromq.zap.01")
  }

  /// The next request; answer it before this function is called again.
  package func next() throws(ZeroMQError) -> Request? {
    var frames: [[UInt8]] = []
    repeat {
      guard try socket.receive(into: &frame) else { return nil }
      frames.append(frame.bytes)
    } while frame.more
    // The frames by RFC 27: version, request, domain, address, identity, mechanism, key.
    guard frames.count >= 6 else {
      return Request(id: frames.last ?? [], domain: "", address: "", key: nil)
    }
    let isEncrypted = frames[5] == Array("CURVE".utf8)
    return Request(
      id: frames[1],
      domain: String(decoding: frames[2], as: UTF8.self),
      address: String(decoding: frames[3], as: UTF8.self),
      // A missing key becomes an empty one, which belongs to no user.
      key: isEncrypted ? frames.dropFirst(6).first ?? [] : nil,
    )
  }

  /// Admits the connection; the name becomes the property `User-Id` of each frame from it.
  package func accept(_ request: Request, as name: String) throws(ZeroMQError) {
    try answer(request, status: "200", name: name)
  }

  /// Refuses the connection for good: a peer that uses libzmq does not retry.
  package func refuse(_ request: Request) throws(ZeroMQError) {
    try answer(request, status: "400", name: "")
  }

  private func answer(
    _ request: Request,
    status: String,
    name: String,
  ) throws(ZeroMQError) {
    // If the peer has disconnected, libzmq drops the answer.
    _ = try socket.send(Array("1.0".utf8), more: true)
    _ = try socket.send(request.id, more: true)
    _ = try socket.send(Array(status.utf8), more: true)
    _ = try socket.send([], more: true)
    _ = try socket.send(Array(name.utf8), more: true)
    _ = try socket.send([])
  }
}
