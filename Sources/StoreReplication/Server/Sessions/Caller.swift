package import StoreActor

extension ActionOrigin.Identity {
  /// A local peer whose credentials could not be read: no user has this number.
  package static let nobody = Self.user(.max, group: .max, process: 0)

  /// Who is at an address, as the transport says it: over ipc the kernel's word, which is
  /// `localhost:uid:gid:pid`, without what that kernel does not say of group and process;
  /// `key:NAME@ADDRESS`, or `key:NAME=KEY@ADDRESS`, for who has shown to have a key; elsewhere
  /// nobody vouches for anything.
  package init(address: String) {
    if address.hasPrefix("key:") {
      self = .key(String(address.dropFirst("key:".count).prefix { $0 != "@" && $0 != "=" }))
      return
    }
    if let ticket = KeyTicket(address: address) {
      self = .key(ticket.identity)
      return
    }
    let parts = address.split(separator: ":", omittingEmptySubsequences: false)
    // An address of tcp is numbers. What else cannot be read gives nothing.
    guard address.isEmpty || parts[0] == "localhost" else {
      self = .unknown
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
}

/// The sender of a frame, as identified by the transport.
struct Caller: Hashable, Sendable {
  /// Where it is connected from, for people to read.
  let address: String
  let identity: ActionOrigin.Identity
  /// The public key by which it was let in; nil for one without.
  let key: [UInt8]?

  /// Who is at an address.
  ///
  /// That of a key names the key, too: its name may become another's.
  init(address: String) {
    identity = ActionOrigin.Identity(address: address)
    guard case .key = identity, let equals = address.firstIndex(of: "="),
      let place = address[equals...].firstIndex(of: "@"),
      let key = KeyText.key(address[equals..<place].dropFirst())
    else {
      self.address = address
      key = nil
      return
    }
    self.address = "\(address[..<equals])\(address[place...])"
    self.key = key
  }
}
