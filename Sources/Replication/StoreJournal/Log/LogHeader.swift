import StoreBytes
import StoreHistory

/// The header of a segment: its writer, and the entry that it follows.
///
/// On the disk: an eight-byte magic; the seal, which is the term of the daemon that has taken over,
/// or zero; the format and the number of bytes of the fields, four bytes each; the checksum of
/// these two and of the fields; then the fields in CBOR, and zeros up to a multiple of
/// ``pageBytes``. Every format has these first 32 bytes, so that a program can distinguish a later
/// format from damage.
///
/// The header's pages contain only the header. The daemon that writes entries never rewrites them,
/// so it cannot replace a new seal with an old one, even through caches between two machines.
struct LogHeader: Hashable {
  static let magic = Array("storelog".utf8)
  static let sealRange = 8..<16
  private static let fixedBytes = 32
  /// The size of a header is a multiple of this: no disk writes less at once.
  static let pageBytes = 4 << 10

  /// The format in which the header was read, and in which its entries are.
  private(set) var format = JournalDirectory.format
  var root: String
  var epoch: UInt64
  var term: UInt64
  /// The first revision of its entries.
  var first: UInt64
  /// The checksum of the last entry of the segment before.
  var before: UInt64
  /// The bytes of all records in earlier segments.
  var total: UInt64
  /// The time at which the segment was begun, in milliseconds since 1970.
  var wallMilliseconds: UInt64
  /// The promise for its entries.
  var durability: Durability
  /// The id of the machine's boot in which it was written.
  var boot: String
  /// The identity of the file: a copy has another one.
  var file: String
  /// A random number that keys the checksums of its entries.
  var key: UInt64
  /// The schema of the program that writes, encoded.
  var schema: [UInt8]
  /// A random number, drawn once for a history and kept in all its epochs; 0 if it is unknown.
  ///
  /// A copy from which a daemon may start has another history.
  var history: UInt64
  /// The checksum of the root's initial state in its durable form, in the first segment of a
  /// history that begins with that state; 0 otherwise.
  var initial: UInt64 = 0
  /// The number of bytes of the encoded header.
  private(set) var bytes = 0

  static let copied = "copy"

  init(
    root: String,
    epoch: UInt64,
    term: UInt64,
    durability: Durability,
    boot: String,
    schema: [UInt8],
    history: UInt64,
  ) {
    self.root = root
    self.history = history
    self.epoch = epoch
    self.term = term
    self.durability = durability
    self.boot = boot
    self.schema = schema
    key = .random(in: 0 ... .max)
    (first, before, total, wallMilliseconds, file) = (1, 0, 0, 0, Self.copied)
  }

  /// Encodes the header.
  mutating func encode() -> [UInt8] {
    var encoder = CBOREncoder()
    encoder.mapHeader(Field.allCases.count)
    for field in Field.allCases {
      encoder.encode(unsigned: field.rawValue)
      switch field {
      case .root: encoder.encode(text: root)
      case .epoch: encoder.encode(unsigned: epoch)
      case .term: encoder.encode(unsigned: term)
      case .first: encoder.encode(unsigned: first)
      case .before: encoder.encode(unsigned: before)
      case .total: encoder.encode(unsigned: total)
      case .wallMilliseconds: encoder.encode(unsigned: wallMilliseconds)
      case .key: encoder.encode(unsigned: key)
      case .durability: encoder.encode(text: durability.rawValue)
      case .boot: encoder.encode(text: boot)
      case .file: encoder.encode(text: file)
      case .schema: encoder.encode(bytes: schema)
      case .history: encoder.encode(unsigned: history)
      case .initial: encoder.encode(unsigned: initial)
      }
    }
    let fields = encoder.bytes
    var encoded = Self.magic + Array(repeating: 0, count: 8)
    encoded += Self.littleEndian(JournalDirectory.format, 4) + Self.littleEndian(fields.count, 4)
    encoded += Self.littleEndian(Self.sum(encoded[16..<24], fields[...]), 8) + fields
    encoded += Array(repeating: 0, count: -encoded.count & (Self.pageBytes - 1))
    (format, bytes) = (JournalDirectory.format, encoded.count)
    return encoded
  }

  /// The numbers of the fields on the disk; a reader skips unknown fields.
  private enum Field: UInt64, CaseIterable {
    case root, epoch, term, first, before, total, wallMilliseconds, key, durability, boot, file
    case schema, history, initial
  }

  /// Reads the header of a segment.
  ///
  /// - Throws: ``JournalError`` if the bytes are not a header, are damaged, or have another format.
  init(_ bytes: [UInt8], path: String) throws(JournalError) {
    guard bytes.starts(with: Self.magic), bytes.count >= Self.fixedBytes else {
      throw Self.damage(path)
    }
    let count = Int(Self.number(bytes[20..<24]))
    guard bytes.count - Self.fixedBytes >= count else { throw Self.damage(path) }
    let fields = bytes[Self.fixedBytes..<Self.fixedBytes + count]
    guard Self.number(bytes[24..<32]) == Self.sum(bytes[16..<24], fields) else {
      throw Self.damage(path)
    }
    // The checksum is verified first: a flipped bit in the format is damage, not another format.
    let format = Int(Self.number(bytes[16..<20]))
    try JournalDirectory.check(
      format: format,
      of: "The journal in \(Self.directory(of: path))",
      from: JournalDirectory.oldest,
    )
    do throws(CodecError) {
      var decoder = CBORDecoder(fields)
      self = try format == 3 ? Self(listed: &decoder) : Self(numbered: &decoder)
      try decoder.finish()
    } catch {
      throw Self.damage(path)
    }
    self.format = format
    let unit = format == 3 ? 8 : Self.pageBytes
    self.bytes = (Self.fixedBytes + count + unit - 1) / unit * unit
    guard self.bytes <= bytes.count || bytes.count == Self.usualBytes else {
      throw Self.damage(path)
    }
  }

  /// Reads the header of a segment, without the rest of the file.
  init(of segment: LogSegment, in directory: String) throws(JournalError) {
    try self.init(at: segment.path(in: directory))
  }

  /// Reads the header of a segment's file.
  init(at path: String) throws(JournalError) {
    guard var bytes = try DurableFile.read(path, atMost: Self.usualBytes) else {
      throw Self.missing(path)
    }
    if bytes.count == Self.usualBytes, Self.number(bytes[20..<24]) > UInt64(Self.usualBytes / 2) {
      guard let all = try DurableFile.read(path) else { throw Self.missing(path) }
      bytes = all
    }
    try self.init(bytes, path: path)
  }

  private static let usualBytes = 64 << 10

  static func missing(_ path: String) -> JournalError {
    JournalError(.missing, "\(path) is not there any more.")
  }

  /// Reads the fields of format 3, which are ordered instead of numbered.
  private init(listed decoder: inout CBORDecoder) throws(CodecError) {
    try decoder.expectArray(of: 12, "the header of a segment")
    self.init()
    for field in Field.allCases.prefix(12) { try read(field, &decoder) }
  }

  private init(numbered decoder: inout CBORDecoder) throws(CodecError) {
    self.init()
    var missing = Set(Field.allCases)
    for _ in 0..<(try decoder.mapHeader()) {
      guard let field = Field(rawValue: try decoder.unsigned()) else {
        try decoder.skipItem()
        continue
      }
      missing.remove(field)
      try read(field, &decoder)
    }
    guard missing.isEmpty else {
      throw decoder.error(.typeMismatch, "the header of a segment")
    }
  }

  /// Creates an empty header, for a reader to fill.
  private init() {
    self.init(
      root: "",
      epoch: 0,
      term: 0,
      durability: .full,
      boot: "",
      schema: [],
      history: 0,
    )
  }

  private mutating func read(
    _ field: Field,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) {
    switch field {
    case .root: root = try decoder.text()
    case .epoch: epoch = try decoder.unsigned()
    case .term: term = try decoder.unsigned()
    case .first: first = try decoder.unsigned()
    case .before: before = try decoder.unsigned()
    case .total:
      total = try decoder.unsigned()
      guard total <= KeptHistory.greatestNumber else {
        throw decoder.error(.typeMismatch, "the bytes of a log")
      }
    case .wallMilliseconds: wallMilliseconds = try decoder.unsigned()
    case .key: key = try decoder.unsigned()
    case .durability:
      guard let durability = Durability(rawValue: try decoder.text()) else {
        throw decoder.error(.typeMismatch, "a durability")
      }
      self.durability = durability
    case .boot: boot = try decoder.text()
    case .file: file = try decoder.text()
    case .schema: schema = try decoder.byteString()
    case .history: history = try decoder.unsigned()
    case .initial: initial = try decoder.unsigned()
    }
  }

  private static func damage(_ path: String) -> JournalError {
    JournalError(in: directory(of: path), "the header of \(path) cannot be read")
  }

  static func directory(of path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
  }

  static func sum(_ numbers: ArraySlice<UInt8>, _ fields: ArraySlice<UInt8>) -> UInt64 {
    SipHash24.hash((Array(numbers) + fields)[...])
  }

  static func littleEndian(_ number: some BinaryInteger, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  static func number(_ bytes: some Collection<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
