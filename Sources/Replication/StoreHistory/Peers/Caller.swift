package import StoreActor
package import StoreProtocol

extension ActionOrigin.Identity {
  /// A local peer whose credentials could not be read: no user has this number.
  package static let nobody = Self.user(.max, group: .max, process: 0)

  /// The identity of a peer without a key, from the transport's address.
  ///
  /// Over ipc the kernel reports `localhost:uid:gid:pid`; group and process are empty if it does
  /// not report them. Over tcp the address is numeric. It identifies a peer only on the loopback
  /// interface of the machine.
  ///
  /// Only this function reads an identity from a text. All other code uses the value.
  package init(place: String) {
    let parts = place.split(separator: ":", omittingEmptySubsequences: false)
    guard place.isEmpty || parts[0] == "localhost" else {
      self = Self.isLoopback(place) ? .loopback : .unknown
      return
    }
    guard parts.count == 4, let user = UInt32(parts[1]),
      let group = parts[2].isEmpty ? .max : UInt32(parts[2]),
      let process = parts[3].isEmpty ? 0 : UInt32(parts[3])
    else {
      self = .nobody
      return
    }
    self = .user(user, group: group, process: process)
  }

  /// Whether a numeric address, without a port, belongs to the loopback interface.
  private static func isLoopback(_ address: String) -> Bool {
    if address == "::1" { return true }
    let mapped = "::ffff:"
    let plain = address.hasPrefix(mapped) ? address.dropFirst(mapped.count) : address[...]
    let numbers = plain.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
  }
}

/// The sender of a frame, as identified by the transport.
///
/// An object, because each frame has one.
package final class Caller: Sendable {
  /// The address that it is connected from, for people to read.
  package let address: String
  package let identity: ActionOrigin.Identity
  /// The public key that authenticated it; nil for a peer without a key.
  package let key: [UInt8]?
  /// The ticket that admitted it, with which it may submit a key.
  package let ticket: KeyTicket?

  /// A peer without a key.
  ///
  /// - Parameters:
  ///   - identity: The peer's identity.
  ///   - place: The address that it is connected from.
  package init(_ identity: ActionOrigin.Identity, at place: String) {
    self.identity = identity
    address = place
    key = nil
    ticket = nil
  }

  /// A peer that a key authenticated.
  ///
  /// - Parameters:
  ///   - key: The public key: another key may receive its name later.
  ///   - name: The key's name.
  ///   - place: The address that the peer is connected from.
  package init(key: [UInt8], called name: String, at place: String) {
    identity = .key(name)
    address = "key:\(name)@\(place)"
    self.key = key
    ticket = nil
  }

  /// A peer that a ticket admitted.
  package init(ticket: KeyTicket, at place: String) {
    // No key can have this name, so no grant applies to it.
    identity = .key(ticket.identity)
    address = "\(ticket.identity)@\(place)"
    key = nil
    self.ticket = ticket
  }
}
