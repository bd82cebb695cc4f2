/// SQLite's write-ahead log, looked at before SQLite reads it.
///
/// SQLite takes the first frame that is not as it was written for the end of the log, and says
/// nothing of what is behind it. Where every commit is synced before the next one begins, an end of
/// the machine leaves at most one commit behind such a frame: its own. More were lost by the disk.
enum WriteAheadLog {
  private static let headerBytes = 32
  private static let frameHeaderBytes = 24
  /// What a frame of a page of SQLite's usual size is assumed to have where the header is damaged.
  private static let usualPageBytes = 4096

  /// How many commits a log has from the first frame on that is not as it was written.
  ///
  /// - Parameter path: The log, which may not be there.
  /// - Returns: Their number, with that of the frame itself.
  static func commitsBehindDamage(_ path: String) -> Int {
    guard let bytes = DurableFile.read(path), bytes.count >= headerBytes + frameHeaderBytes
    else { return 0 }
    return bytes.withUnsafeBytes { Log($0).commitsBehindDamage }
  }

  private struct Log {
    let bytes: UnsafeRawBufferPointer
    private let isBigEndian: Bool
    private let frameBytes: Int

    init(_ bytes: UnsafeRawBufferPointer) {
      self.bytes = bytes
      isBigEndian = bytes[3] & 1 == 1
      let page = Int(Self.word(bytes, 8))
      let isPage = page >= 512 && page <= 65_536 && page & (page - 1) == 0
      frameBytes = frameHeaderBytes + (isPage ? page : usualPageBytes)
    }

    var commitsBehindDamage: Int {
      var sum = Checksum(isBigEndian: isBigEndian)
      sum.append(bytes, 0..<24)
      var isIntact = sum.first == word(24) && sum.second == word(28)
      // Frames of earlier rounds, which the log still has behind its end, have other salts.
      let salts = isIntact ? 16..<24 : headerBytes + 8..<headerBytes + 16
      var (commits, place) = (0, headerBytes)
      while place + frameBytes <= bytes.count {
        let fits = [0, 4].filter { half in
          (0..<4).allSatisfy { bytes[place + 8 + half + $0] == bytes[salts.lowerBound + half + $0] }
        }
        // One that is damaged in a salt has the other; one that was never written has neither.
        let isOfRound = isIntact ? !fits.isEmpty : fits.count == 2
        if isIntact {
          sum.append(bytes, place..<place + 8)
          sum.append(bytes, place + frameHeaderBytes..<place + frameBytes)
          isIntact =
            fits.count == 2 && sum.first == word(place + 16) && sum.second == word(place + 20)
        }
        // The second word of a frame that ends a commit is the file's size in pages.
        if !isIntact, isOfRound, word(place + 4) != 0 { commits += 1 }
        place += frameBytes
      }
      return commits
    }

    private func word(_ place: Int) -> UInt32 { Self.word(bytes, place) }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt32 {
      UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }
  }

  /// SQLite's checksum of the log, which goes on from frame to frame.
  private struct Checksum {
    let isBigEndian: Bool
    var first: UInt32 = 0
    var second: UInt32 = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    mutating func append(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
      for place in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
        first &+= word(bytes, place) &+ second
        second &+= word(bytes, place + 4) &+ first
      }
    }

    private func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt32 {
      let raw = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
      return isBigEndian ? UInt32(bigEndian: raw) : UInt32(littleEndian: raw)
    }
  }
}
