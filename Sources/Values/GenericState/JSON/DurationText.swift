import StoreState

/// Durations as `[seconds, attoseconds]` or as a number of seconds.
enum DurationText {
  private static let attosecondsPerSecond: Int128 = 1_000_000_000_000_000_000

  /// Returns `nil` if a JSON tree is not a duration, or has no exact representation.
  static func parts(of json: JSONValue) -> (seconds: Int64, attoseconds: Int64)? {
    switch json {
    case .number(let text):
      return attoseconds(of: text).flatMap(parts)
    case .array(let items):
      guard items.count == 2, case .number(let first) = items[0],
        case .number(let second) = items[1], let seconds = Int64(first),
        let attoseconds = Int64(second), Int128(attoseconds.magnitude) < attosecondsPerSecond,
        seconds.signum() * attoseconds.signum() >= 0
      else { return nil }
      return (seconds, attoseconds)
    default:
      return nil
    }
  }

  private static func parts(_ attoseconds: Int128) -> (seconds: Int64, attoseconds: Int64)? {
    let (quotient, remainder) = attoseconds.quotientAndRemainder(dividingBy: attosecondsPerSecond)
    guard let seconds = Int64(exactly: quotient) else { return nil }
    return (seconds, Int64(remainder))
  }

  /// The attoseconds of a decimal number of seconds, if their number is whole.
  private static func attoseconds(of text: String) -> Int128? {
    let parts = text.lowercased().split(separator: "e")
    guard let mantissa = parts.first, let exponent = parts.count > 1 ? Int(parts[1]) : 0,
      exponent.magnitude <= 100
    else { return nil }
    let isNegative = mantissa.hasPrefix("-")
    let pieces = mantissa.drop { $0 == "-" }.split(separator: ".")
    var digits = pieces.joined()
    let shift = 18 + exponent - (pieces.count > 1 ? pieces[1].count : 0)
    if shift >= 0 {
      digits += String(repeating: "0", count: shift)
    } else {
      guard digits.suffix(-shift).allSatisfy({ $0 == "0" }) else { return nil }
      digits.removeLast(min(-shift, digits.count))
    }
    guard !digits.isEmpty else { return 0 }
    return Int128((isNegative ? "-" : "") + digits)
  }
}
