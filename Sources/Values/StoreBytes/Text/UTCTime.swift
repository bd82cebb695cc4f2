/// A moment in readable form.
package enum UTCTime {
  /// `2026-11-22T11:37:55.123Z`, for milliseconds since 1970.
  package static func text(milliseconds: UInt64) -> String {
    // Limited to the year 9999: this program writes no later time.
    let milliseconds = min(milliseconds, 253_402_300_799_999)
    let (days, time) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
    let (year, month, day) = date(daysSince1970: Int(days))
    return "\(two(year / 100))\(two(year % 100))-\(two(month))-\(two(day))T"
      + "\(two(Int(time / 3_600_000))):\(two(Int(time / 60_000 % 60))):"
      + "\(two(Int(time / 1_000 % 60))).\(String(Int(time % 1_000) + 1_000).dropFirst())Z"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// The date in the Gregorian calendar, by eras of 400 years that begin in March.
  private static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let place = (5 * dayOfYear + 2) / 153
    let month = place < 10 ? place + 3 : place - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * place + 2) / 5 + 1)
  }
}
