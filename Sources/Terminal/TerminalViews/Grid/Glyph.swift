import CWidth
import StoreBytes

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What stands in one cell: a scalar that has a width, and those without one that belong to it.
///
/// What a terminal shows as one picture, such as joined emoji, may be several: how wide it will be
/// is not known, and `wcwidth` is what terminals agree on.
struct Glyph: Hashable {
  /// The most scalars that a terminal's cell takes.
  static let mostScalars = 5

  var text: String
  /// The columns: 1 or 2.
  var width: Int

  /// The glyphs of a text; whatever could control a terminal becomes U+FFFD.
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

  /// The columns of a text.
  static func columns(of text: some StringProtocol) -> Int {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return text.utf8.count }
    return glyphs(of: text).reduce(0) { $0 + $1.width }
  }

  /// The columns of a text, or somewhat more than a limit where it has more: then no more of it is
  /// looked at.
  static func columns(of scalars: some Sequence<Unicode.Scalar>, upTo limit: Int) -> Int {
    var columns = 0
    for scalar in scalars {
      let width = width(of: scalar)
      columns += width < 0 ? 1 : width
      if columns > limit { break }
    }
    return columns
  }

  /// The columns of a scalar; less than 0 for one that must not reach a terminal.
  private static func width(of scalar: Unicode.Scalar) -> Int {
    if (0x20..<0x7f).contains(scalar.value) { return 1 }
    guard !scalar.disturbsDisplay, isPrepared else { return -1 }
    return Int(wcwidth(wchar_t(bitPattern: scalar.value)))
  }

  /// The C library knows widths only in a locale of UTF-8: the user's, or else one without
  /// language.
  private static let isPrepared: Bool = {
    setlocale(LC_CTYPE, "")
    if String(cString: nl_langinfo(Int32(CODESET))).uppercased() != "UTF-8" {
      setlocale(LC_CTYPE, "C.UTF-8")
    }
    return true
  }()
}

extension wchar_t {
  /// A scalar's value, which fits whether or not the platform's characters have a sign.
  fileprivate init(bitPattern value: UInt32) { self = wchar_t(truncatingIfNeeded: value) }
}
