import StoreState

/// Dates as `2026-01-31T09:30:00.123Z`, in the proleptic Gregorian calendar and UTC.
enum DateText {
  /// Seconds since 2001-01-01T00:00:00Z as text; `nil` if no text has the exact bits.
  static func text(of seconds: Double) -> String? {
    // The years 1 to 9999; other years do not have four digits.
    guard (-63_113_904_000..<252_423_993_600).contains(seconds) else { return nil }
    let whole = seconds.rounded(.down)
    let fraction = seconds - whole
    for (digits, scale) in [(0, 1.0), (3, 1e3), (6, 1e6), (9, 1e9)] {
      let text = text(Int(whole), Int((fraction * scale).rounded()), digits)
      if let back = Self.seconds(of: text), back.bitPattern == seconds.bitPattern { return text }
    }
    return nil
  }

  private static func text(_ seconds: Int, _ fraction: Int, _ digits: Int) -> String {
    let day = Int((Double(seconds) / 86_400).rounded(.down))
    let time = seconds - day * 86_400
    let (year, month, dayOfMonth) = date(day: day)
    let clock = [time / 3_600, time / 60 % 60, time % 60].map { padded($0, 2) }
    let date = [padded(year, 4), padded(month, 2), padded(dayOfMonth, 2)]
    let tail = digits == 0 ? "" : "." + padded(fraction, digits)
    return date.joined(separator: "-") + "T" + clock.joined(separator: ":") + tail + "Z"
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// Seconds since 2001-01-01T00:00:00Z; `nil` if the text is not a date.
  static func seconds(of text: String) -> Double? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
    let marks: [(Int, Unicode.Scalar)] = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")]
    guard marks.allSatisfy({ bytes[$0.0] == UInt8(ascii: $0.1) }),
      let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
      let day = number(bytes[8..<10]), let hour = number(bytes[11..<13]),
      let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
      year >= 1, (1...12).contains(month), (1...length(month: month, year: year)).contains(day),
      hour < 24, minute < 60, second < 60
    else { return nil }
    let whole = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second
    return seconds(whole, fraction: bytes[19..<(bytes.count - 1)])
  }

  /// Adds a fraction such as `.123`; the sum is rounded once, to the nearest float.
  private static func seconds(_ whole: Int, fraction: ArraySlice<UInt8>) -> Double? {
    guard let mark = fraction.first else { return Double(whole) }
    let digits = fraction.dropFirst()
    guard mark == UInt8(ascii: "."), digits.count <= 18, let part = number(digits) else {
      return nil
    }
    let scale = digits.reduce(Int128(1)) { scale, _ in scale * 10 }
    return Double("\(Int128(whole) * scale + Int128(part))e-\(digits.count)")
  }

  /// A number of at most 18 digits.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  // MARK: - Calendar

  private static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  private static func length(month: Int, year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The days from 2001-01-01 to the first day of a year.
  private static func days(toYear year: Int) -> Int {
    let past = year - 1
    return past * 365 + past / 4 - past / 100 + past / 400 - 730_485
  }

  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    (1..<month).reduce(days(toYear: year) + day - 1) { $0 + length(month: $1, year: year) }
  }

  private static func date(day: Int) -> (year: Int, month: Int, day: Int) {
    // A year has 365.2425 days on average, so the estimate is off by one at most.
    var year = 2001 + Int((Double(day) / 365.2425).rounded(.down))
    while days(toYear: year) > day { year -= 1 }
    while days(toYear: year + 1) <= day { year += 1 }
    var rest = day - days(toYear: year)
    var month = 1
    while rest >= length(month: month, year: year) {
      rest -= length(month: month, year: year)
      month += 1
    }
    return (year, month, rest + 1)
  }
}
