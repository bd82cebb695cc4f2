package import StoreState

/// The messages that the daemon publishes (`docs/PROTOCOL.md` §8), without their topics.
package enum PublishedMessage: Hashable, Sendable {
  case echo(Echo)
  case deltas(DeltaRun)
  case bookmark(Bookmark)
  case outputs(Outputs)
  case marker(Marker)

  package struct Echo: Hashable, Sendable {
    package var nonce: UInt64
    package var revision: UInt64
    package var sequence: UInt64
    /// The sequence of the view that the session followed until now; 0 if there was no view.
    package var previousSequence: UInt64

    package init(nonce: UInt64, revision: UInt64, sequence: UInt64, previousSequence: UInt64) {
      self.nonce = nonce
      self.revision = revision
      self.sequence = sequence
      self.previousSequence = previousSequence
    }
  }

  package struct Bookmark: Hashable, Sendable {
    package var revision: UInt64
    package var sequence: UInt64
    package var durableRevision: UInt64?
    package var digests: [Digest]

    package init(
      revision: UInt64,
      sequence: UInt64,
      durableRevision: UInt64?,
      digests: [Digest],
    ) {
      self.revision = revision
      self.sequence = sequence
      self.durableRevision = durableRevision
      self.digests = digests
    }
  }

  /// A revision whose changes are too large to be published: followers join again to receive them.
  package struct Marker: Hashable, Sendable {
    package var sequence: UInt64
    package var revision: UInt64

    package init(sequence: UInt64, revision: UInt64) {
      self.sequence = sequence
      self.revision = revision
    }
  }

  enum Kind {
    static let echo: UInt64 = 1
    static let deltas: UInt64 = 2
    static let bookmark: UInt64 = 3
    static let outputs: UInt64 = 4
    static let marker: UInt64 = 5
    static let all = echo...marker
  }

  /// The message's frame.
  package func encoded() -> [UInt8] {
    var encoder = CBOREncoder()
    switch self {
    case .echo(let echo):
      encoder.message(
        Kind.echo,
        echo.nonce,
        echo.revision,
        echo.sequence,
        echo.previousSequence,
      )
    case .deltas(let run):
      encoder.message(Kind.deltas, 1 + 2 * run.steps.count)
      encoder.encode(unsigned: run.sequence)
      for step in run.steps { step.encode(to: &encoder) }
    case .bookmark(let bookmark):
      encoder.message(Kind.bookmark, 4)
      encoder.encode(unsigned: bookmark.revision)
      encoder.encode(unsigned: bookmark.sequence)
      encoder.encode(optional: bookmark.durableRevision)
      encoder.arrayHeader(bookmark.digests.count)
      for digest in bookmark.digests { encoder.encode(unsigned: digest.rawValue) }
    case .outputs(let outputs): outputs.encode(to: &encoder)
    case .marker(let marker):
      encoder.message(Kind.marker, marker.sequence, marker.revision)
    }
    return encoder.bytes
  }

  /// A run whose steps are already encoded.
  package static func encodedRun(sequence: UInt64, count: Int, steps: [UInt8]) -> [UInt8] {
    var encoder = CBOREncoder(reserving: steps.count + 16)
    encoder.message(Kind.deltas, 1 + 2 * count)
    encoder.encode(unsigned: sequence)
    encoder.append(raw: steps)
    return encoder.bytes
  }

  /// Decodes a frame.
  ///
  /// - Throws: if the frame is not a message; never traps.
  package init(frame: ArraySlice<UInt8>) throws(MessageError) {
    var decoder = CBORDecoder(frame)
    let (kind, rest) = try decoder.message()
    let taken: Int
    switch kind {
    case Kind.echo:
      taken = try decoder.require(4, of: rest, "echo")
      self = .echo(
        Echo(
          nonce: try decoder.unsigned(),
          revision: try decoder.unsigned(),
          sequence: try decoder.unsigned(),
          previousSequence: try decoder.unsigned(),
        )
      )
    case Kind.deltas:
      taken = rest
      self = .deltas(try DeltaRun(from: &decoder, rest, of: frame))
    case Kind.bookmark:
      taken = try decoder.require(4, of: rest, "bookmark")
      self = .bookmark(
        Bookmark(
          revision: try decoder.unsigned(),
          sequence: try decoder.unsigned(),
          durableRevision: try decoder.optionalUnsigned(),
          digests: try decoder.list { (d) throws(CodecError) in
            Digest(rawValue: try d.unsigned())
          },
        )
      )
    case Kind.outputs:
      taken = try decoder.require(2, of: rest, "outputs")
      self = .outputs(try Outputs(from: &decoder))
    case Kind.marker:
      taken = try decoder.require(2, of: rest, "marker")
      self = .marker(
        Marker(sequence: try decoder.unsigned(), revision: try decoder.unsigned())
      )
    default: throw decoder.error(.typeMismatch, "expected a published message, found kind \(kind)")
    }
    try decoder.skipItems(rest - taken)
    try decoder.finish()
  }
}

/// The welcome, the first message on every new connection of the publishing socket.
package struct Welcome: Hashable, Sendable {
  package var epoch: UInt64

  package init(epoch: UInt64) { self.epoch = epoch }

  package func encoded() -> [UInt8] {
    var encoder = CBOREncoder()
    encoder.arrayHeader(2)
    encoder.encode(unsigned: protocolVersion)
    encoder.encode(unsigned: epoch)
    return [Topic.welcome] + encoder.bytes
  }

  package init(frame: ArraySlice<UInt8>) throws(MessageError) {
    var decoder = CBORDecoder(frame.dropFirst())
    guard frame.first == Topic.welcome else {
      throw decoder.error(.typeMismatch, "expected a welcome")
    }
    let count = try decoder.arrayHeader()
    try decoder.require(2, of: count, "a welcome")
    let version = try decoder.unsigned()
    guard version == protocolVersion else {
      throw decoder.error(
        .typeMismatch,
        "expected protocol version \(protocolVersion), found \(version)",
      )
    }
    epoch = try decoder.unsigned()
    try decoder.skipItems(count - 2)
    try decoder.finish()
  }
}

/// A client's barrier upstream: the daemon processes all earlier frames first.
package struct Fence: Hashable, Sendable {
  /// The first byte, which no subscription has.
  package static let mark: UInt8 = 0x02

  package var token: Identifier
  package var nonce: UInt64

  package init(token: Identifier, nonce: UInt64) {
    self.token = token
    self.nonce = nonce
  }

  package func encoded() -> [UInt8] {
    var encoder = CBOREncoder()
    encoder.arrayHeader(2)
    encoder.encode(token)
    encoder.encode(unsigned: nonce)
    return [Self.mark] + encoder.bytes
  }

  package init(frame: ArraySlice<UInt8>) throws(MessageError) {
    var decoder = CBORDecoder(frame.dropFirst())
    guard frame.first == Self.mark else { throw decoder.error(.typeMismatch, "expected a fence") }
    let count = try decoder.arrayHeader()
    try decoder.require(2, of: count, "a fence")
    token = try decoder.identifier()
    nonce = try decoder.unsigned()
    try decoder.skipItems(count - 2)
    try decoder.finish()
  }
}
