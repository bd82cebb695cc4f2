import CZMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A CurveZMQ key pair: the public key identifies the owner of the secret key.
package struct CurvePair: Hashable, Sendable {
  /// The size of a key, in bytes.
  package static let keyBytes = 32
  /// The size of libzmq's text form of a key: 40 characters and a zero.
  private static let textBytes = 41

  /// The key that peers know.
  package let publicKey: [UInt8]
  /// The key that only its owner has.
  package let secretKey: [UInt8]

  /// Makes a new pair.
  package init() throws(ZeroMQError) {
    var publicText = [CChar](repeating: 0, count: Self.textBytes)
    var secretText = publicText
    guard zmq_curve_keypair(&publicText, &secretText) == 0 else {
      throw .last("make", "a pair of keys")
    }
    publicKey = Self.bytes(publicText)
    secretKey = Self.bytes(secretText)
  }

  /// Completes the pair of a secret key, which must have ``keyBytes`` bytes.
  package init(secretKey: [UInt8]) throws(ZeroMQError) {
    precondition(
      secretKey.count == Self.keyBytes,
      "a key has \(Self.keyBytes) bytes, not \(secretKey.count)",
    )
    self.secretKey = secretKey
    var secretText = [CChar](repeating: 0, count: Self.textBytes)
    zmq_z85_encode(&secretText, secretKey, secretKey.count)
    var publicText = [CChar](repeating: 0, count: Self.textBytes)
    guard zmq_curve_public(&publicText, secretText) == 0 else {
      throw .last("complete", "a pair of keys")
    }
    publicKey = Self.bytes(publicText)
  }

  private static func bytes(_ text: [CChar]) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: keyBytes)
    // libzmq wrote this text, so decoding cannot fail.
    zmq_z85_decode(&bytes, text)
    return bytes
  }
}

extension CurvePair {
  /// Whether a public key is a point of low order: the shared secret is then zero, so a peer can
  /// compute it without a secret key.
  ///
  /// libzmq ignores the highest bit of a key's last byte.
  package static func isOfLowOrder(_ key: [UInt8]) -> Bool {
    guard let last = key.last else { return true }
    return pointsOfLowOrder.contains(key.dropLast() + [last & 0x7f])
  }

  /// 0, 1, the two points of order 8, and p − 1, p and p + 1, for the prime p = 2^255 − 19.
  private static let pointsOfLowOrder: Set<[UInt8]> = {
    let ends: [[UInt8]] = [[0xec], [0xed], [0xee]].map { first in
      first + [UInt8](repeating: 0xff, count: 30) + [0x7f]
    }
    let small: [[UInt8]] = [0, 1].map { [$0] + [UInt8](repeating: 0, count: 31) }
    let ofOrder8: [[UInt8]] = [
      [
        0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4,
        0x6a, 0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49,
        0xb8, 0x00,
      ],
      [
        0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83, 0xef,
        0x5b, 0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f,
        0x11, 0x57,
      ],
    ]
    return Set(small + ofOrder8 + ends)
  }()
}

extension CurvePair: CustomStringConvertible {
  /// A text for logs, without the secret key.
  package var description: String { "the pair of a public key" }
}

/// The keys of a client's encrypted connections: the daemon's public key and its own pair.
package struct CurveClient: Hashable, Sendable {
  /// The daemon's public key: a daemon with another key does not answer.
  package var server: [UInt8]
  /// The client's own pair.
  package var pair: CurvePair

  package init(server: [UInt8], pair: CurvePair) {
    self.server = server
    self.pair = pair
  }
}

extension Socket {
  /// Encrypts the connections to endpoints that are bound from now on, and asks ``Admission`` about
  /// each connection's key.
  ///
  /// Endpoints that were bound before do not change.
  ///
  /// - Parameters:
  ///   - pair: The server's pair.
  ///   - size: The longest frame that is accepted there: encryption adds 33 bytes to each, and the
  ///     frames of the handshake have up to ``curveHandshakeBytes``.
  /// - Throws: ``ZeroMQError`` when the library was built without CurveZMQ.
  package func encrypt(as pair: CurvePair, maxMessageSize size: Int) throws(ZeroMQError) {
    try checkCurve()
    try setValue(ZMQ_MAXMSGSIZE, "maxMessageSize", Int64(size))
    try setValue(ZMQ_CURVE_SERVER, "curveServer", 1 as Int32)
    try set(ZMQ_CURVE_SECRETKEY, "curveSecretKey", key: pair.secretKey)
  }

  /// The longest frame of an encrypted connection's handshake, with a reserve, in bytes.
  package static var curveHandshakeBytes: Int { 512 }
  /// The bytes that encryption adds to a frame.
  package static var curveOverhead: Int { 33 }

  func connect(as client: CurveClient) throws(ZeroMQError) {
    try checkCurve()
    try set(ZMQ_CURVE_SERVERKEY, "curveServerKey", key: client.server)
    try set(ZMQ_CURVE_PUBLICKEY, "curvePublicKey", key: client.pair.publicKey)
    try set(ZMQ_CURVE_SECRETKEY, "curveSecretKey", key: client.pair.secretKey)
  }

  private func checkCurve() throws(ZeroMQError) {
    guard !ZeroMQLibrary.has("curve") else { return }
    throw ZeroMQError(
      code: EPROTONOSUPPORT,
      operation: "encrypt",
      subject: "a \(kind) socket",
      remedy: "Install a libzmq that was built with curve, or use ipc, ssh or a tunnel.",
    )
  }

  private func set(_ option: Int32, _ name: String, key: [UInt8]) throws(ZeroMQError) {
    guard zmq_setsockopt(opened(), option, key, key.count) == 0 else {
      throw .last("set option", "\(name) of a \(kind) socket")
    }
  }
}
