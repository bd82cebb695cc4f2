/// Answers the library's question whether a connection may come in, and as whom (ZeroMQ RFC 27).
///
/// Asked for each connection to a socket with the option `admissionDomain`, after the peer has
/// introduced itself and before anything that it sends is taken. There is one in a context; it may
/// move to another thread than the one that has created it.
package final class Admission {
  /// Who asks to come in.
  package struct Request {
    fileprivate let id: [UInt8]
    /// The domain of the socket that it wants to come in at.
    package let domain: String
    /// Where the peer is: `localhost:uid:gid:pid` over ipc, an address over tcp.
    package let address: String
    /// The public key whose secret one it has shown to have; nil where the connection is not
    /// encrypted.
    package let key: [UInt8]?
  }

  /// What to poll.
  package let socket: Socket

  private var frame = Message()

  /// Begins to answer for the sockets of a context; to be created before they are bound.
  package init(_ context: Context) throws(ZeroMQError) {
    socket = try Socket(context, kind: .reply)
    try socket.bind("inproc://zeromq.zap.01")
  }

  /// The next request, which must be answered before the one after it is asked for.
  package func next() throws(ZeroMQError) -> Request? {
    var frames: [[UInt8]] = []
    repeat {
      guard try socket.receive(into: &frame) else { return nil }
      frames.append(frame.bytes)
    } while frame.more
    // Version, request, domain, address, identity, mechanism, key: the library's own words.
    guard frames.count >= 6 else {
      return Request(id: frames.last ?? [], domain: "", address: "", key: nil)
    }
    let isEncrypted = frames[5] == Array("CURVE".utf8)
    return Request(
      id: frames[1],
      domain: String(decoding: frames[2], as: UTF8.self),
      address: String(decoding: frames[3], as: UTF8.self),
      // One without a key would be nobody's.
      key: isEncrypted ? frames.dropFirst(6).first ?? [] : nil,
    )
  }

  /// Lets the connection in; the name is the property `User-Id` of each frame that comes from it.
  package func accept(_ request: Request, as name: String) throws(ZeroMQError) {
    try answer(request, status: "200", name: name)
  }

  /// Refuses the connection, for good: a peer that knows the library does not try again.
  package func refuse(_ request: Request) throws(ZeroMQError) {
    try answer(request, status: "400", name: "")
  }

  private func answer(
    _ request: Request,
    status: String,
    name: String,
  ) throws(ZeroMQError) {
    // Whoever has asked may have gone; then the library drops the answer.
    _ = try socket.send(Array("1.0".utf8), more: true)
    _ = try socket.send(request.id, more: true)
    _ = try socket.send(Array(status.utf8), more: true)
    _ = try socket.send([], more: true)
    _ = try socket.send(Array(name.utf8), more: true)
    _ = try socket.send([])
  }
}
