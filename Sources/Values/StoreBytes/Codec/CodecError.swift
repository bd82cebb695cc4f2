/// An error while a value was encoded or decoded: the place, the found item and the expectation.
///
/// Bytes arrive from sockets, files and other programs, so no content may trap: every decoder of
/// this module throws this error, and no other.
public struct CodecError: Error, Hashable, Sendable {
  /// The kind of failure, for programs; `message` is for people.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name.
    public let description: String

    private init(_ description: String) { self.description = description }

    /// The bytes end inside an item.
    public static let truncated = Code("truncated")
    /// Bytes follow the item.
    public static let trailingBytes = Code("trailingBytes")
    /// The item is not in the deterministic form, the only accepted one.
    public static let notCanonical = Code("notCanonical")
    /// An item that the protocol does not use: indefinite lengths, other tags or simple values.
    public static let unsupported = Code("unsupported")
    /// Items are nested deeper than the protocol allows.
    public static let tooDeep = Code("tooDeep")
    /// A text is not UTF-8.
    public static let invalidText = Code("invalidText")
    /// The item is of another kind than expected.
    public static let typeMismatch = Code("typeMismatch")
    /// The kind is right; the value is outside of its type's range.
    public static let outOfRange = Code("outOfRange")
    /// The type has no field, case or label of this name.
    public static let unknownName = Code("unknownName")
    /// A required field is missing.
    public static let missingField = Code("missingField")
    /// An action that is private to the process that owns the state.
    public static let privateAction = Code("privateAction")
    /// A delta does not fit the value that it is applied to.
    public static let deltaMismatch = Code("deltaMismatch")
    /// A schema document contradicts itself.
    public static let malformedSchema = Code("malformedSchema")
  }

  /// One step from a value to a part of it.
  public enum PathElement: Hashable, Sendable {
    /// A field of a record, a case of a choice or a label of its payload.
    case name(String)
    /// A place in an array.
    case index(Int)
    /// A key of a dictionary or the id of an element.
    case key(String)
  }

  /// The kind of failure.
  public let code: Code

  /// The place in the decoded bytes, relative to the decoder's first one; nil when encoding.
  public let offset: Int?

  /// The fault, the expectation and the remedy.
  public let message: String

  /// The steps in reverse order, because `inside` adds them from the innermost outwards.
  private var reversedPath: [PathElement] = []

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: The fault, the expectation and the remedy.
  ///   - offset: The place in the decoded bytes, if there is one.
  public init(_ code: Code, _ message: String, offset: Int? = nil) {
    self.code = code
    self.message = message
    self.offset = offset
  }

  /// The path from the decoded value to the part that failed.
  public var path: [PathElement] { reversedPath.reversed() }

  /// The same error with one more step in front of its path.
  public func inside(_ element: PathElement) -> CodecError {
    var error = self
    error.reversedPath.append(element)
    return error
  }
}

extension CodecError: CustomStringConvertible {
  /// The path, the message and the offset: `$.items[3].title: expected text, found 3 (at byte 17)`.
  public var description: String {
    let place = offset.map { " (at byte \($0))" } ?? ""
    return "\(Self.text(of: path)): \(message)\(place)"
  }

  /// A path in readable form: `$.items[3].title`.
  package static func text(of path: [PathElement]) -> String {
    var text = "$"
    for element in path {
      switch element {
      case .name(let name): text += ".\(name)"
      case .index(let index): text += "[\(index)]"
      case .key(let key): text += "[\(key)]"
      }
    }
    return text
  }
}
