/// The shortest form of a float that keeps every bit of its value.
package enum FloatPattern {
  case half(UInt16)
  case single(UInt32)
  case double(UInt64)

  init(_ value: Double) {
    let single = Float(value)
    if value.isNaN {
      self = .half(CBOR.nan)
    } else if Double(single).bitPattern != value.bitPattern {
      self = .double(value.bitPattern)
    } else if let half = HalfFloat.pattern(exactly: single) {
      self = .half(half)
    } else {
      self = .single(single.bitPattern)
    }
  }
}

extension FloatPattern {
  /// Returns the value of a pattern, and whether the pattern is its shortest form.
  ///
  /// - Parameters:
  ///   - pattern: The pattern.
  ///   - width: The form of the pattern: 25, 26 or 27 for half, single and double precision.
  /// - Returns: The value, and whether fewer bits could not hold it.
  package static func value(of pattern: UInt64, width: UInt8) -> (value: Double, isShortest: Bool) {
    switch width {
    case 25:
      let half = UInt16(truncatingIfNeeded: pattern)
      let value = Double(HalfFloat.value(of: half))
      return (value, !value.isNaN || half == CBOR.nan)
    case 26:
      let single = Float(bitPattern: UInt32(truncatingIfNeeded: pattern))
      let value = Double(single)
      return (value, !value.isNaN && HalfFloat.pattern(exactly: single) == nil)
    default:
      let value = Double(bitPattern: pattern)
      return (value, !value.isNaN && Double(Float(value)).bitPattern != value.bitPattern)
    }
  }
}

/// Half precision floats as bit patterns: `Float16` does not exist on every platform.
package enum HalfFloat {
  /// The half precision pattern with exactly the given value, or nil if there is no such pattern.
  ///
  /// NaN has no exact value and gives nil.
  package static func pattern(exactly value: Float) -> UInt16? {
    let bits = value.bitPattern
    let sign = UInt16(truncatingIfNeeded: bits >> 16) & 0x8000
    let biased = Int((bits >> 23) & 0xff)
    let fraction = bits & 0x7f_ffff
    if biased == 0xff { return fraction == 0 ? sign | 0x7c00 : nil }
    if biased == 0 { return fraction == 0 ? sign : nil }
    let exponent = biased - 127
    if (-14...15).contains(exponent) {
      guard fraction & 0x1fff == 0 else { return nil }
      return sign | UInt16((exponent + 15) << 10) | UInt16(fraction >> 13)
    }
    guard (-24 ..< -14).contains(exponent) else { return nil }
    let significand = fraction | 0x80_0000
    let shift = UInt32(-1 - exponent)
    guard significand & ((1 << shift) - 1) == 0 else { return nil }
    return sign | UInt16(significand >> shift)
  }

  /// The half precision pattern whose value is nearest to a number, with ties to even; nil if the
  /// number is not finite or outside of the range of half precision.
  package static func rounded(_ value: Float) -> UInt16? {
    guard value.isFinite else { return nil }
    // The unit in the last place: 11 bits of significand, and below 2^-14 steps of 2^-24.
    let exponent = max(value == 0 ? -14 : Int(value.exponent), -14)
    let unit = Float(sign: .plus, exponent: exponent - 10, significand: 1)
    return pattern(exactly: (value / unit).rounded(.toNearestOrEven) * unit)
  }

  /// The value of a half precision pattern; any NaN gives the default NaN.
  package static func value(of pattern: UInt16) -> Float {
    let sign = UInt32(pattern & 0x8000) << 16
    let biased = UInt32(pattern >> 10) & 0x1f
    let fraction = UInt32(pattern & 0x3ff)
    if biased == 0x1f {
      return fraction == 0 ? Float(bitPattern: sign | 0x7f80_0000) : Float.nan
    }
    if biased == 0 {
      let magnitude = Float(fraction) * 0x1p-24
      return sign == 0 ? magnitude : -magnitude
    }
    return Float(bitPattern: sign | (biased + 112) << 23 | fraction << 13)
  }
}
