import StoreActor
import StoreHistory
import StoreProtocol

/// The name of an authenticated peer: the daemon's own word for it, which libzmq attaches to each
/// of its frames.
///
/// The guard identifies a peer when it connects. Readers of its frames use that decision alone.
enum PeerName: Hashable, Sendable {
  /// A key that has a name, and grants.
  case key(String, [UInt8])
  /// A ticket for handing in a key.
  case ticket(KeyTicket)
  /// A process of this machine, as the kernel reports it.
  case process(user: UInt32, group: UInt32, number: UInt32)
  /// A peer at an address of the loopback interface that is open to all.
  case loopback

  /// The property with a connection's serial, followed by the name.
  static let property = "User-Id"

  /// The name of a peer without a key; nil for one that is not authenticated.
  init?(_ identity: ActionOrigin.Identity) {
    switch identity {
    case .user(let user, let group, let process):
      self = .process(user: user, group: group, number: process)
    case .loopback: self = .loopback
    case .process, .key, .unknown: return nil
    }
  }

  /// The text form, which ``init(property:)`` reads.
  var word: String {
    switch self {
    case .key(let name, let key): "key:\(name)=\(KeyText.text(key))"
    case .ticket(let ticket): ticket.identity
    case .process(let user, let group, let number): "process:\(user):\(group):\(number)"
    case .loopback: "loopback"
    }
  }

  /// Reads the property of a frame; nil for a peer that is not authenticated.
  init?(property: String) {
    guard let word = property.split(separator: " ").dropFirst().first else { return nil }
    if let ticket = KeyTicket(word: String(word)) {
      self = .ticket(ticket)
      return
    }
    if word == "loopback" {
      self = .loopback
      return
    }
    let numbers = word.split(separator: ":", omittingEmptySubsequences: false)
    if numbers.count == 4, numbers[0] == "process", let user = UInt32(numbers[1]),
      let group = UInt32(numbers[2]), let number = UInt32(numbers[3])
    {
      self = .process(user: user, group: group, number: number)
      return
    }
    guard word.hasPrefix("key:") else { return nil }
    let parts = word.dropFirst("key:".count).split(separator: "=")
    guard parts.count == 2, let key = KeyText.key(parts[1]) else { return nil }
    self = .key(String(parts[0]), key)
  }

  /// Whether a connection that was admitted by this name may stay: the name is still that key's.
  ///
  /// Not applicable to tickets: their connections end in any case.
  func isGood(under grants: Grants) -> Bool {
    if case .key(let name, let key) = self { grants.name(ofKey: key) == name } else { true }
  }

  /// The peer in the form that sessions use.
  ///
  /// - Parameters:
  ///   - name: Its name; nil for one that is not authenticated, which has no rights.
  ///   - place: The address that it is connected from.
  /// - Returns: The peer.
  static func caller(_ name: Self?, at place: String) -> Caller {
    switch name {
    case .key(let name, let key): Caller(key: key, called: name, at: place)
    case .ticket(let ticket): Caller(ticket: ticket, at: place)
    case .process(let user, let group, let number):
      Caller(.user(user, group: group, process: number), at: place)
    case .loopback: Caller(.loopback, at: place)
    case nil: Caller(.unknown, at: place)
    }
  }
}

extension ConnectionTable.Side {
  /// The domain that the library names in its requests for admission.
  var domain: String {
    switch self {
    case .control: "control"
    case .publishing: "publishing"
    }
  }
}
