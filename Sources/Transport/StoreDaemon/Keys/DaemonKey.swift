import StoreProtocol
import ZeroMQ

/// The file of a daemon's secret key: its 64 hexadecimal digits in a line.
enum DaemonKey {
  /// Reads the pair of a file, or creates both if the file does not exist.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - trusted: A further allowed owner of the file, besides the daemon's user and root.
  /// - Returns: The pair.
  /// - Throws: `TrustedFile.Problem`, or `ZeroMQError` if the library does not support keys.
  static func pair(in path: String, trusting trusted: UInt32? = nil) throws -> CurvePair {
    if let secret = try secret(in: path, trusted) { return try CurvePair(secretKey: secret) }
    let pair = try CurvePair()
    try SecretFile.create(
      path,
      Array("\(KeyText.text(pair.secretKey))\n".utf8),
      trusting: trusted,
    )
    return pair
  }

  /// The secret key of a file; nil if the file does not exist.
  private static func secret(
    in path: String,
    _ trusted: UInt32?,
  ) throws(TrustedFile.Problem) -> [UInt8]? {
    let bytes: [UInt8]
    do throws(TrustedFile.Problem) {
      bytes = try SecretFile.read(path, trusting: trusted)
    } catch .missing {
      return nil
    }
    guard let secret = KeyText.key(String(decoding: bytes, as: UTF8.self).prefix { $0 != "\n" })
    else { throw .malformed(path) }
    return secret
  }
}
