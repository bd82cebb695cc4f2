import CWidth
import StoreBytes

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The text of one cell: a scalar with a width, and the scalars without width that belong to it.
///
/// A picture such as joined emoji may consist of several glyphs. Its width is unknown, and
/// `wcwidth` is the measure on which terminals agree.
struct Glyph: Hashable {
  /// The greatest number of scalars that a terminal's cell takes.
  static let mostScalars = 5

  var text: String
  /// The columns: 1 or 2.
  var width: Int

  /// Returns the glyphs of a text; characters that could control a terminal become U+FFFD.
  static func glyphs(of text: some StringProtocol) -> [Glyph] {
    var glyphs: [Glyph] = []
    glyphs.reserveCapacity(text.utf8.count)
    var scalars = 0
    for scalar in text.unicodeScalars {
      let width = width(of: scalar)
      if width == 0, !glyphs.isEmpty {
        guard scalars < mostScalars else { continue }
        glyphs[glyphs.count - 1].text.unicodeScalars.append(scalar)
        scalars += 1
      } else if width > 0 {
        glyphs.append(Glyph(text: String(scalar), width: width))
        scalars = 1
      } else if width < 0 {
        glyphs.append(Glyph(text: "\u{FFFD}", width: 1))
        scalars = 1
      }
    }
    return glyphs
  }

  /// Returns the columns of a text.
  static func columns(of text: some StringProtocol) -> Int {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return text.utf8.count }
    return glyphs(of: text).reduce(0) { $0 + $1.width }
  }

  /// Returns the columns of a text.
  ///
  /// Counting stops above a limit, so the result may be less than all.
  static func columns(of scalars: some Sequence<Unicode.Scalar>, upTo limit: Int) -> Int {
    var columns = 0
    for scalar in scalars {
      let width = width(of: scalar)
      columns += width < 0 ? 1 : width
      if columns > limit { break }
    }
    return columns
  }

  /// Returns the columns of a scalar; negative for one that must not reach a terminal.
  private static func width(of scalar: Unicode.Scalar) -> Int {
    if (0x20..<0x7f).contains(scalar.value) { return 1 }
    guard !scalar.disturbsDisplay, isPrepared else { return -1 }
    return Int(wcwidth(wchar_t(bitPattern: scalar.value)))
  }

  /// The C library knows widths only in a UTF-8 locale: the user's, or otherwise `C.UTF-8`.
  private static let isPrepared: Bool = {
    setlocale(LC_CTYPE, "")
    if String(cString: nl_langinfo(Int32(CODESET))).uppercased() != "UTF-8" {
      setlocale(LC_CTYPE, "C.UTF-8")
    }
    return true
  }()
}

extension wchar_t {
  /// Creates a character from a scalar's value, which fits signed and unsigned character types.
  fileprivate init(bitPattern value: UInt32) { self = wchar_t(truncatingIfNeeded: value) }
}
