import StoreBytes
import StoreReplication

/// What a segment says before its first entry: who writes it, and what it follows.
///
/// On the disk: eight bytes that say what it is; the seal, which is the term of the daemon that has
/// taken over, or zero; the format and the number of bytes that follow, four bytes each; their
/// checksum; then the fields in CBOR, and zeros up to a multiple of eight. Every format has these
/// first 32 bytes, so that a program can tell a later format from damage.
struct LogHeader: Hashable {
  static let magic = Array("storelog".utf8)
  static let sealRange = 8..<16
  private static let fixedBytes = 32

  var root: String
  var epoch: UInt64
  var term: UInt64
  /// The first revision of its entries.
  var first: UInt64
  /// The checksum of the entry before, in another segment.
  var before: UInt64
  /// The bytes of all records before.
  var total: UInt64
  /// When it was begun, in milliseconds since 1970.
  var wallMilliseconds: UInt64
  /// What is promised of its entries.
  var durability: Durability
  /// The start of the machine in which it was written.
  var boot: String
  /// Which file it is: a copy of it is another one.
  var file: String
  /// A random number, with which its entries' checksums are made.
  var key: UInt64
  /// The schema of the program that writes, in its form.
  var schema: [UInt8]
  /// How many bytes it takes.
  private(set) var bytes = 0

  static let copied = "copy"

  init(
    root: String,
    epoch: UInt64,
    term: UInt64,
    durability: Durability,
    boot: String,
    schema: [UInt8],
  ) {
    self.root = root
    self.epoch = epoch
    self.term = term
    self.durability = durability
    self.boot = boot
    self.schema = schema
    key = .random(in: 0 ... .max)
    (first, before, total, wallMilliseconds, file) = (1, 0, 0, 0, Self.copied)
  }

  /// What is written of it.
  mutating func encode() -> [UInt8] {
    var encoder = CBOREncoder()
    encoder.arrayHeader(12)
    encoder.encode(text: root)
    for number in [epoch, term, first, before, total, wallMilliseconds, key] {
      encoder.encode(unsigned: number)
    }
    for text in [durability.rawValue, boot, file] { encoder.encode(text: text) }
    encoder.encode(bytes: schema)
    let fields = encoder.bytes
    var encoded = Self.magic + Array(repeating: 0, count: 8)
    encoded += Self.littleEndian(JournalDirectory.format, 4) + Self.littleEndian(fields.count, 4)
    encoded += Self.littleEndian(Self.sum(encoded[16..<24], fields[...]), 8) + fields
    encoded += Array(repeating: 0, count: -encoded.count & 7)
    bytes = encoded.count
    return encoded
  }

  /// Reads what a segment begins with.
  ///
  /// - Throws: ``JournalError``: it is none, or damaged, or of another format.
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
    // What a flipped bit has made of the number is damage, and not another format.
    try JournalDirectory.check(
      format: Int(Self.number(bytes[16..<20])),
      of: "The journal in \(Self.directory(of: path))",
      from: JournalDirectory.format,
    )
    do throws(CodecError) {
      try self.init(fields: fields)
    } catch {
      throw Self.damage(path)
    }
    self.bytes = (Self.fixedBytes + count + 7) & ~7
  }

  /// Reads what a segment begins with, and not all of it.
  init(of segment: LogSegment, in directory: String) throws(JournalError) {
    let path = segment.path(in: directory)
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

  private init(fields: ArraySlice<UInt8>) throws(CodecError) {
    var decoder = CBORDecoder(fields)
    try decoder.expectArray(of: 12, "what a segment begins with")
    root = try decoder.text()
    epoch = try decoder.unsigned()
    term = try decoder.unsigned()
    first = try decoder.unsigned()
    before = try decoder.unsigned()
    total = try decoder.unsigned()
    guard total <= KeptHistory.greatestNumber else {
      throw decoder.error(.typeMismatch, "the bytes of a log")
    }
    wallMilliseconds = try decoder.unsigned()
    key = try decoder.unsigned()
    guard let durability = Durability(rawValue: try decoder.text()) else {
      throw decoder.error(.typeMismatch, "a durability")
    }
    self.durability = durability
    boot = try decoder.text()
    file = try decoder.text()
    schema = try decoder.byteString()
    try decoder.finish()
  }

  private static func damage(_ path: String) -> JournalError {
    let first = LogSegment(name: path.split(separator: "/").last.map(String.init) ?? "")?.first
    return JournalDirectory.corrupt(
      directory(of: path),
      "what \(path) begins with cannot be read",
      before: first,
    )
  }

  private static func directory(of path: String) -> String {
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
