import StoreBytes
public import StoreState

/// A reducer's refusal of an action: the reason, and optionally a code and a value for programs.
///
/// A refused action has no consequence: the state, shared values and running effects are as if it
/// had not been sent. The sender receives the refusal from ``StoreTask/applied()``, in this process
/// or in another one.
///
/// ```swift
/// guard state.jobs.count < 50 else { return .refuse("At most 50 jobs.", code: "full") }
/// state.jobs.append(job)
/// ```
///
/// ```swift
/// do {
///   try await store.send(.add(job)).applied()
/// } catch let failure as ActionFailure where failure.refusal?.code == "full" {
///   show(failure.message)
/// }
/// ```
public struct Refusal: Error, Hashable, Sendable {
  /// One reference, because effects, tasks and failures pass a refusal on.
  @Boxed private var parts: Parts

  private struct Parts: Hashable, Sendable {
    var reason: String
    var code: String?
    var encodedValue: EncodedValue?
  }

  /// The reason, for people: at most 512 bytes of UTF-8.
  public var reason: String { parts.reason }
  /// The kind of refusal, for programs: at most 64 bytes of UTF-8.
  public var code: String? { parts.code }
  /// The value in its wire form: at most 4 KiB.
  package var encodedValue: EncodedValue? { parts.encodedValue }

  /// The greatest number of bytes of a reason, of a code, and of a value.
  package static let (reasonBytes, codeBytes, valueBytes) = (512, 64, 4096)

  /// Creates a refusal from its parts, which are within the limits.
  package init(reason: String, code: String?, encodedValue: EncodedValue?) {
    _parts = Boxed(Parts(reason: reason, code: code, encodedValue: encodedValue))
  }

  /// Creates a refusal without a value; reports and cuts parts that exceed a limit.
  @usableFromInline
  init(_ reason: String, code: String?, at location: IssueLocation) {
    self.init(reason, code: code, encodedValue: nil, at: location)
  }

  /// Creates a refusal; reports and cuts parts that exceed a limit.
  init(
    _ reason: String,
    code: String?,
    value: Result<EncodedValue, CodecError>,
    at location: IssueLocation,
  ) {
    self.init(reason, code: code, encodedValue: Self.bounded(value, at: location), at: location)
  }

  /// Creates a refusal whose value is within its limit; reports and cuts texts that are too long.
  private init(
    _ reason: String,
    code: String?,
    encodedValue: EncodedValue?,
    at location: IssueLocation,
  ) {
    func bounded(_ text: String, _ limit: Int, _ name: String) -> String {
      guard text.utf8.count > limit else { return text }
      location.report(
        """
        The \(name) of a refusal has \(text.utf8.count) bytes, and may have \(limit). The rest \
        was cut off.

        To fix, shorten it, or put the details into the refusal's value.
        """
      )
      return text.bounded(toBytes: limit)
    }
    self.init(
      reason: bounded(reason, Self.reasonBytes, "reason"),
      code: code.map { bounded($0, Self.codeBytes, "code") },
      encodedValue: encodedValue,
    )
  }

  /// The value; nil, which is reported, if it exceeds its limit.
  private static func bounded(
    _ value: Result<EncodedValue, CodecError>,
    at location: IssueLocation,
  ) -> EncodedValue? {
    switch value {
    case .success(let value) where value.bytes.count <= valueBytes && value.isShallow:
      return value
    case .success(let value):
      location.report(
        """
        The value of a refusal has \(value.bytes.count) bytes in its wire form, and may have \
        \(valueBytes), in at most \(EncodedValue.mostLevels) levels. It was omitted.

        To fix, refuse with a smaller value, such as an id.
        """
      )
    case .failure(let error):
      location.report("The value of a refusal was omitted, as it has no wire form: \(error)")
    }
    return nil
  }

  /// The value of the refusal.
  ///
  /// - Parameter type: The type with which the reducer refused.
  /// - Returns: The value; nil if the refusal has none, or if its type has another schema, as in a
  ///   daemon of another build.
  public func value<Value: WirePayload>(as type: Value.Type = Value.self) -> Value? {
    encodedValue?.decoded(as: type)
  }
}

extension EncodedValue {
  /// The greatest number of levels of a value: messages, records and snapshots that contain it have
  /// further levels around it.
  package static let mostLevels = 64

  /// Whether it has at most ``mostLevels`` levels.
  package var isShallow: Bool {
    var decoder = CBORDecoder(bytes)
    decoder.surrounding = CBOR.maximumDepth - Self.mostLevels
    do throws(CodecError) {
      try decoder.skipItem()
      return true
    } catch {
      return false
    }
  }

  /// Encodes a value.
  package static func encoding<Value: WirePayload>(
    _ value: Value
  ) -> Result<EncodedValue, CodecError> {
    Result { () throws(CodecError) in
      var encoder = CBOREncoder()
      try value.encode(to: &encoder)
      return EncodedValue(
        schema: SchemaRegistry.document(for: Value.self).hash,
        bytes: encoder.bytes,
      )
    }
  }

  /// The value; nil if its type has another schema, or if it cannot be decoded.
  package func decoded<Value: WirePayload>(as type: Value.Type) -> Value? {
    OutputReader(type).read(EncodedOutput(bytes: bytes[...], schema: schema))
  }
}

extension Refusal: CustomStringConvertible {
  /// The reason, with the code in parentheses.
  public var description: String {
    code.map { "\(reason) (\($0))" } ?? reason
  }
}

extension Effect {
  /// Refuses the action: it has no consequence, and its sender is notified of the reason.
  ///
  /// The step is abandoned. The state, shared values and running effects are as before the action;
  /// no revision is made, and observers are not notified. Effects that are combined with the
  /// refusal do not run. Reducers that follow in a list do not run either, nor do the parents of a
  /// refusing child, unless a parent changes the refusal with ``Reducer/onRefusal(_:)``.
  ///
  /// If an action that another one sends with ``Effect/send(_:)`` is refused, the other one is
  /// refused, too: both belong to one revision. An effect whose action is refused continues.
  ///
  /// - `reason`: The reason, for people: one or two sentences of at most 512 bytes.
  /// - `code`: The kind of refusal, for programs: at most 64 bytes.
  ///
  /// Returns the refusal, as an effect.
  @inlinable
  public static func refuse(
    _ reason: String,
    code: String? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Self {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    return Self(refusal: Refusal(reason, code: code, at: location))
  }

  /// Refuses the action with a value for its sender.
  ///
  /// See ``refuse(_:code:fileID:filePath:line:column:)``.
  ///
  /// - `reason`: The reason, for people: one or two sentences of at most 512 bytes.
  /// - `code`: The kind of refusal, for programs: at most 64 bytes.
  /// - `value`: The value: at most 4 KiB in its wire form. ``Refusal/value(as:)`` reads it.
  ///
  /// Returns the refusal, as an effect.
  public static func refuse<Value: WirePayload>(
    _ reason: String,
    code: String? = nil,
    value: Value,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Self {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let value = EncodedValue.encoding(value)
    return .refuse(Refusal(reason, code: code, value: value, at: location))
  }

  /// Refuses the action with another reducer's refusal.
  ///
  /// - Parameter refusal: The refusal, as received by ``Reducer/onRefusal(_:)``.
  /// - Returns: The refusal, as an effect.
  public static func refuse(_ refusal: Refusal) -> Self {
    Self(refusal: refusal)
  }
}
