import StoreState

extension CBOREncoder {
  mutating func failure(_ kind: UInt64, _ code: String, _ message: String) {
    self.message(kind, 2)
    encode(text: code)
    encode(text: message)
  }
}

extension DaemonMessage.HelloOK {
  func encode(to encoder: inout CBOREncoder, kind: UInt64) {
    encoder.message(kind, 12)
    encoder.encode(unsigned: version)
    encoder.encode(unsigned: session)
    encoder.encode(token)
    encoder.encode(unsigned: epoch)
    encoder.encode(unsigned: revision)
    encoder.encode(bytes: privateTopic.bytes)
    encoder.encode(unsigned: lastSequence)
    encoder.encode(bool: isResumed)
    encoder.encode(unsigned: leaseMilliseconds)
    encoder.arrayHeader(4)
    encoder.encode(unsigned: frameBytes)
    encoder.encode(unsigned: window)
    encoder.encode(unsigned: scopes)
    encoder.encode(unsigned: actions)
    encoder.arrayHeader(running.count)
    for sequence in running { encoder.encode(unsigned: sequence) }
    encoder.encode(unsigned: features.rawValue)
  }

  /// Reads a hello ok with `rest` elements, of which the last one may be missing.
  init(from decoder: inout CBORDecoder, _ rest: Int) throws(CodecError) {
    try decoder.require(11, of: rest, "hello ok")
    version = try decoder.unsigned()
    guard protocolVersions.contains(version) else {
      throw decoder.error(
        .typeMismatch,
        "expected protocol version \(protocolVersion), found \(version)",
      )
    }
    session = try decoder.unsigned()
    token = try decoder.identifier()
    epoch = try decoder.unsigned()
    revision = try decoder.unsigned()
    privateTopic = try decoder.topic()
    lastSequence = try decoder.unsigned()
    isResumed = try decoder.bool()
    leaseMilliseconds = try decoder.unsigned()
    let count = try decoder.arrayHeader()
    try decoder.require(4, of: count, "limits")
    frameBytes = try decoder.unsigned()
    window = try decoder.unsigned()
    scopes = try decoder.unsigned()
    actions = try decoder.unsigned()
    try decoder.skipItems(count - 4)
    running = try decoder.list { (d) throws(CodecError) in try d.unsigned() }
    features = ProtocolFeatures(rawValue: rest > 11 ? try decoder.unsigned() : 0)
  }
}

extension DaemonMessage.JoinAnswer {
  func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .accepted(let handle): encoder.message(0, handle)
    case .refused(let failure):
      encoder.message(1, 3)
      encoder.encode(text: failure.code)
      encoder.encode(text: failure.message)
      encoder.encode(texts: failure.details)
    }
  }

  init(from decoder: inout CBORDecoder) throws(CodecError) {
    let (kind, rest) = try decoder.message()
    let taken: Int
    switch kind {
    case 0:
      taken = try decoder.require(1, of: rest, "a join's answer")
      self = .accepted(handle: try decoder.unsigned())
    case 1:
      taken = try decoder.require(3, of: rest, "a join's answer")
      self = .refused(
        JoinFailure(
          code: try decoder.text(),
          message: try decoder.text(),
          details: try decoder.texts(),
        )
      )
    default: throw decoder.error(.typeMismatch, "expected a join's answer, found kind \(kind)")
    }
    try decoder.skipItems(rest - taken)
  }
}

extension DaemonMessage.SnapshotPiece {
  func encode(to encoder: inout CBOREncoder, kind: UInt64) {
    encoder.message(kind, 6)
    for value in [nonce, handle, revision, total, offset] {
      encoder.encode(unsigned: value)
    }
    encoder.encode(bytes: bytes)
  }

  init(from decoder: inout CBORDecoder) throws(CodecError) {
    nonce = try decoder.unsigned()
    handle = try decoder.unsigned()
    revision = try decoder.unsigned()
    total = try decoder.unsigned()
    offset = try decoder.unsigned()
    bytes = try decoder.byteString()[...]
  }
}

extension DaemonMessage.Replay {
  func encode(to encoder: inout CBOREncoder, kind: UInt64) {
    encoder.message(kind, 4)
    for value in [nonce, handle, revision] { encoder.encode(unsigned: value) }
    if let delta { encodeReplayed(delta, to: &encoder) } else { encoder.encodeNull() }
  }

  /// A delta of an optional is null if the scope became absent.
  ///
  /// To distinguish it from "unchanged", a delta is sent in an array of one.
  private func encodeReplayed(_ delta: ArraySlice<UInt8>, to encoder: inout CBOREncoder) {
    encoder.arrayHeader(1)
    encoder.append(raw: delta)
  }

  init(from decoder: inout CBORDecoder) throws(CodecError) {
    nonce = try decoder.unsigned()
    handle = try decoder.unsigned()
    revision = try decoder.unsigned()
    delta = nil
    if try !decoder.nullIfPresent() {
      let count = try decoder.arrayHeader()
      try decoder.require(1, of: count, "a replayed delta")
      delta = try decoder.rawItem()
      try decoder.skipItems(count - 1)
    }
  }
}

extension DaemonMessage.Acks {
  func encode(to encoder: inout CBOREncoder, kind: UInt64) {
    encoder.message(kind, 4)
    encoder.encode(unsigned: first)
    encoder.arrayHeader(outcomes.count)
    for outcome in outcomes { outcome.encode(to: &encoder) }
    encoder.encode(unsigned: watermark.nonce)
    encoder.encode(unsigned: watermark.sequence)
  }

  init(from decoder: inout CBORDecoder) throws(CodecError) {
    first = try decoder.unsigned()
    outcomes = try decoder.list { (d) throws(CodecError) in try Outcome(from: &d) }
    watermark = DaemonMessage.Watermark(
      nonce: try decoder.unsigned(),
      sequence: try decoder.unsigned(),
    )
  }
}
