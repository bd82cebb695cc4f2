/// The transport's id of a peer: of a connection to the control socket, or to the publishing one.
package struct PeerID: Hashable, Sendable, CustomStringConvertible {
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  package var description: String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
