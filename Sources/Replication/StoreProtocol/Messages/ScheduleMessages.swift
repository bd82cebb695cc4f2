package import GenericState
package import StoreState

/// A request of an operator about schedules (`docs/PROTOCOL.md` §8.6).
package enum ScheduleQuery: Hashable, Sendable {
  /// Lists them, from a number on.
  case list(from: UInt64)
  /// Cancels one.
  case cancel(UInt64)
}

extension ScheduleQuery {
  func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(2)
    switch self {
    case .list(let start):
      encoder.encode(unsigned: 0)
      encoder.encode(unsigned: start)
    case .cancel(let number):
      encoder.encode(unsigned: 1)
      encoder.encode(unsigned: number)
    }
  }

  init(from decoder: inout CBORDecoder) throws(CodecError) {
    let count = try decoder.arrayHeader()
    try decoder.require(2, of: count, "a request about schedules")
    let kind = try decoder.unsigned()
    let number = try decoder.unsigned()
    switch kind {
    case 0: self = .list(from: number)
    case 1: self = .cancel(number)
    default: throw decoder.error(.typeMismatch, "no request about schedules has kind \(kind)")
    }
    try decoder.skipItems(count - 2)
  }
}

/// The daemon's answer to a request about schedules.
package enum ScheduleAnswer: Hashable, Sendable {
  /// Some schedules, and the number to continue with; nil after the last one.
  case list([GenericValue], next: UInt64?)
  /// Whether there was a schedule to cancel.
  case cancelled(Bool)
  case failed(code: String, message: String)
}

extension ScheduleAnswer {
  /// Writes `[0, [entry, …], next / null]`, `[1, bool]` or `[2, code, message]`.
  package func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .list(let entries, let next):
      encoder.arrayHeader(3)
      encoder.encode(unsigned: 0)
      encoder.arrayHeader(entries.count)
      for entry in entries { entry.encode(to: &encoder) }
      encoder.encode(optional: next)
    case .cancelled(let isFound):
      encoder.arrayHeader(2)
      encoder.encode(unsigned: 1)
      encoder.encode(bool: isFound)
    case .failed(let code, let message):
      encoder.arrayHeader(3)
      encoder.encode(unsigned: 2)
      encoder.encode(text: code)
      encoder.encode(text: message)
    }
  }

  package init(from decoder: inout CBORDecoder) throws(CodecError) {
    let count = try decoder.arrayHeader()
    try decoder.require(2, of: count, "an answer about schedules")
    let taken: Int
    switch try decoder.unsigned() {
    case 0:
      taken = try decoder.require(3, of: count, "schedules")
      let entries = try decoder.list { (d) throws(CodecError) in try GenericValue(from: &d) }
      self = .list(entries, next: try decoder.optionalUnsigned())
    case 1:
      taken = 2
      self = .cancelled(try decoder.bool())
    case 2:
      taken = try decoder.require(3, of: count, "a failure")
      self = .failed(code: try decoder.text(), message: try decoder.text())
    case let kind:
      throw decoder.error(.typeMismatch, "no answer about schedules has kind \(kind)")
    }
    try decoder.skipItems(count - taken)
  }
}
