import GenericState
import StoreState
import Tracing

/// A span as a line of OpenTelemetry's JSON for files, which its collector reads (`otlpjsonfile`).
struct SpanLine {
  /// The name of the program.
  let service: String
  let record: FileSpan.Record

  var text: String { tree.text() }

  private var tree: JSONValue {
    [
      "resourceSpans": [
        [
          "resource": ["attributes": [Self.attribute("service.name", .string(service))]],
          "scopeSpans": [["scope": ["name": "storeactor"], "spans": [span]]],
        ]
      ]
    ]
  }

  private var span: JSONValue {
    var members: [JSONValue.Member] = [
      .init("traceId", .string(record.identity.trace)),
      .init("spanId", .string(record.identity.span)),
    ]
    if let parent = record.parent { members.append(.init("parentSpanId", .string(parent.span))) }
    members += [
      .init("name", .string(record.name)), .init("kind", .integer(kind)),
      .init("startTimeUnixNano", .string("\(record.start)")),
      .init("endTimeUnixNano", .string("\(record.end ?? record.start)")),
    ]
    let lists = [
      ("attributes", Self.attributes(record.attributes)),
      ("events", record.events.map(Self.event)),
      ("links", record.links.map(Self.link)),
    ]
    members += lists.filter { !$0.1.isEmpty }.map { .init($0.0, .array($0.1)) }
    if let status = record.status { members.append(.init("status", Self.status(status))) }
    return .object(members)
  }

  private var kind: Int {
    switch record.kind {
    case .internal: 1
    case .server: 2
    case .client: 3
    case .producer: 4
    case .consumer: 5
    }
  }

  private static func event(_ event: SpanEvent) -> JSONValue {
    [
      "timeUnixNano": .string("\(event.nanosecondsSinceEpoch)"), "name": .string(event.name),
      "attributes": .array(attributes(event.attributes)),
    ]
  }

  private static func link(_ identity: TraceIdentity) -> JSONValue {
    ["traceId": .string(identity.trace), "spanId": .string(identity.span)]
  }

  private static func status(_ status: SpanStatus) -> JSONValue {
    let code = JSONValue.integer(status.code == .ok ? 1 : 2)
    guard let message = status.message else { return ["code": code] }
    return ["code": code, "message": .string(message)]
  }

  private static func attributes(_ attributes: SpanAttributes) -> [JSONValue] {
    var pairs: [(name: String, value: SpanAttribute)] = []
    let add: (String, SpanAttribute) -> Void = { pairs.append(($0, $1)) }
    attributes.forEach(add)
    return pairs.sorted { $0.name < $1.name }.map { attribute($0.name, $0.value) }
  }

  private static func attribute(_ name: String, _ value: SpanAttribute) -> JSONValue {
    ["key": .string(name), "value": tree(value)]
  }

  private static func tree(_ value: SpanAttribute) -> JSONValue {
    switch value {
    case .int32(let number): tree(number)
    case .int64(let number): tree(number)
    case .double(let number): ["doubleValue": double(number)]
    case .bool(let flag): ["boolValue": .bool(flag)]
    case .string(let text): ["stringValue": .string(text)]
    case .int32Array(let numbers): list(numbers.map { tree($0) })
    case .int64Array(let numbers): list(numbers.map { tree($0) })
    case .doubleArray(let numbers): list(numbers.map { tree(.double($0)) })
    case .boolArray(let flags): list(flags.map { tree(.bool($0)) })
    case .stringArray(let texts): list(texts.map { tree(.string($0)) })
    case .stringConvertible(let value): tree(.string("\(value)"))
    case .stringConvertibleArray(let values): list(values.map { tree(.string("\($0)")) })
    // A later version of the library may have more cases.
    default: ["stringValue": .string("\(value)")]
    }
  }

  // Integers of 64 bits are strings in this JSON.
  private static func tree(_ number: some BinaryInteger) -> JSONValue {
    ["intValue": .string("\(number)")]
  }

  private static func double(_ number: Double) -> JSONValue {
    if number.isFinite { return .float(number) }
    return .string(number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
  }

  private static func list(_ values: [JSONValue]) -> JSONValue {
    ["arrayValue": ["values": .array(values)]]
  }
}
