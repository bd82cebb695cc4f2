package import StoreActor
package import StoreProtocol

extension ActionOrigin.Identity {
  /// A local peer whose credentials could not be read: no user has this number.
  package static let nobody = Self.user(.max, group: .max, process: 0)

  /// Who is at a place without a key, as the transport says where a peer is connected from: over
  /// ipc the kernel's word, which is `localhost:uid:gid:pid`, without what that kernel does not say
  /// of group and process; over tcp an address in numbers, which is somebody only on the loopback
  /// interface.
  ///
  /// This is the one place where an identity is read from a text; from here on it is a value.
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

  /// Whether an address in numbers, without a port, is one of the loopback interface.
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
  /// Where it is connected from, for people to read.
  package let address: String
  package let identity: ActionOrigin.Identity
  /// The public key by which it was let in; nil for one without.
  package let key: [UInt8]?
  /// The ticket by which it was let in, which is for handing in a key.
  package let ticket: KeyTicket?

  /// A peer without a key.
  ///
  /// - Parameters:
  ///   - identity: Who it is.
  ///   - place: Where it is connected from.
  package init(_ identity: ActionOrigin.Identity, at place: String) {
    self.identity = identity
    address = place
    key = nil
    ticket = nil
  }

  /// A peer that was let in by a key.
  ///
  /// - Parameters:
  ///   - key: The public key: its name may become another's.
  ///   - name: What the key is called.
  ///   - place: Where the peer is connected from.
  package init(key: [UInt8], called name: String, at place: String) {
    identity = .key(name)
    address = "key:\(name)@\(place)"
    self.key = key
    ticket = nil
  }

  /// A peer that was let in by a ticket.
  package init(ticket: KeyTicket, at place: String) {
    // No key has such a name, so nothing is granted to it.
    identity = .key(ticket.identity)
    address = "\(ticket.identity)@\(place)"
    key = nil
    self.ticket = ticket
  }
}
