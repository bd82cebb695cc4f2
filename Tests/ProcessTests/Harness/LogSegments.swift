import Foundation
import StoreBytes

/// The segments of a journal's log, oldest first, to be changed without the journal's knowledge.
struct LogSegments {
  let paths: [String]

  init(in directory: String) throws {
    let folder = "\(directory)/log"
    paths = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".log") }.sorted().map { "\(folder)/\($0)" }
  }

  /// Changes the newest one.
  func changeNewest(_ body: (inout Data) throws -> Void) throws {
    guard let path = paths.last else { throw ProcessFailure("There is no segment") }
    try Self.change(path, body)
  }

  /// Replaces each occurrence of a text.
  func replace(_ text: String, with other: String) throws {
    var count = 0
    for path in paths {
      try Self.change(path) { bytes in
        while let place = bytes.range(of: Data(text.utf8)) {
          bytes.replaceSubrange(place, with: Data(other.utf8))
          count += 1
        }
      }
    }
    guard count > 0 else { throw ProcessFailure("\(text) is in no segment") }
  }

  /// Changes a bit of the records of one of the newest entries: the last is number 1.
  func damage(entryFromEnd number: Int) throws {
    try changeNewest { bytes in
      let start = Data("ntry\u{1}\0\0\0".utf8)
      var places: [Int] = []
      while let place = bytes.range(of: start, in: (places.last.map { $0 + 1 } ?? 0)..<bytes.count)
      {
        places.append(place.lowerBound)
      }
      guard places.count >= number else {
        throw ProcessFailure("There are \(places.count) entries")
      }
      bytes[places[places.count - number] + 64] ^= 1
    }
  }

  /// Changes the newest segment as if the machine had restarted since.
  func changeBoot() throws {
    let id = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    let boot = Data(id.filter { !$0.isWhitespace }.utf8)
    try changeNewest { bytes in
      guard let place = bytes.range(of: boot, in: 0..<4_096) else {
        throw ProcessFailure("The header does not have \(id)")
      }
      bytes.replaceSubrange(place, with: Data(repeating: UInt8(ascii: "x"), count: boot.count))
      let count = bytes[20..<24].reversed().reduce(0) { $0 << 8 | Int($1) }
      let sum = SipHash24.hash(([UInt8](bytes[16..<24]) + bytes[32..<32 + count])[...])
      let digits = (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
      bytes.replaceSubrange(24..<32, with: Data(digits))
    }
  }

  /// Writes in place, so that the file keeps its identity.
  private static func change(_ path: String, _ body: (inout Data) throws -> Void) throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let before = bytes
    try body(&bytes)
    guard bytes != before else { return }
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: bytes)
    try handle.close()
  }
}
