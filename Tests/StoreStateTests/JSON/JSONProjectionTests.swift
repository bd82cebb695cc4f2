import Foundation
import StoreActor
import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// A value of a type as JSON.
func json<Value: WirePayload>(_ value: Value) throws -> String {
  let document = SchemaRegistry.document(for: Value.self)
  var encoder = CBOREncoder()
  try value.encode(to: &encoder)
  return JSONProjection.json(try GenericValue(encoded: encoder.bytes), in: document)
}

/// The value of a type from a JSON text.
func fromJSON<Value: WirePayload>(_ type: Value.Type, _ text: String) throws -> Value {
  let document = SchemaRegistry.document(for: type)
  let value = try JSONProjection.value(fromJSON: text, in: document)
  try value.validate(against: document)
  var decoder = CBORDecoder(value.encoded())
  let result = try Value(from: &decoder)
  try decoder.finish()
  return result
}

@Suite("JSON projection", .timeLimit(.minutes(1)))
struct JSONProjectionTests {
  @Test("Every kind keeps its bits", arguments: 0..<80 as Range<UInt64>)
  func roundTrip(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let value = try GenericValue(encoded: AllKinds.random(&random).encoded())
    for pretty in [false, true] {
      let text = JSONProjection.json(value, in: AllKinds.document, pretty: pretty)
      let back = try JSONProjection.value(fromJSON: text, in: AllKinds.document)
      #expect(back.encoded() == value.encoded(), "\(text)")
    }
  }

  @Test("Each kind has its form")
  func forms() throws {
    #expect(try json(true) == "true")
    #expect(try json(UInt64.max) == "18446744073709551615")
    #expect(try json(Int.min) == "-9223372036854775808")
    #expect(try json(1.0) == "1.0")
    #expect(try json(-0.0) == "-0.0")
    #expect(try json(Float(0.1)) == "0.1")
    #expect(try json([Double.nan, .infinity, -.infinity]) == #"["nan","inf","-inf"]"#)
    #expect(try json(Data([1, 2, 3])) == #""AQID""#)
    #expect(try json(Date(timeIntervalSinceReferenceDate: 0)) == #""2001-01-01T00:00:00Z""#)
    #expect(try json(Date(timeIntervalSinceReferenceDate: 1.0 / 3)) == "0.3333333333333333")
    #expect(try json(Duration.milliseconds(1_500)) == "[1,500000000000000000]")
    #expect(try json(UUID?.none) == "null")
    #expect(try json(Int??.some(nil)) == "[null]")
    #expect(try json(Int??.some(5)) == "[5]")
    #expect(try json(["b": 1]) == #"{"b":1}"#)
    #expect(try json([-3: "x"]) == #"{"-3":"x"}"#)
    #expect(try json([Filter.active: 1]) == #"{"active":1}"#)
    #expect(try json([1.5: true]) == "[[1.5,true]]")
    #expect(try json(Set(["b", "a"])) == #"["a","b"]"#)
    #expect(try json(Filter.completed) == #""completed""#)
    #expect(try json(Destination.home) == #""home""#)
    #expect(try json(Destination.move(from: 1, to: 2)) == #"{"move":{"from":1,"to":2}}"#)
    let rows: Rows = [Row(2, "b")]
    #expect(try json(rows) == #"[{"id":2,"title":"b","isCompleted":false}]"#)
    let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
    #expect(try json(uuid) == "\"\(uuid.uuidString)\"")
    #expect(try json([uuid: 1]) == "{\"\(uuid.uuidString)\":1}")
    #expect(try json(try #require(URL(string: "https://a.b/c"))) == #""https://a.b/c""#)
  }

  @Test("Other spellings of the same value are read too")
  func leniency() throws {
    #expect(try fromJSON(Double.self, "3") == 3)
    #expect(try fromJSON(Double.self, "-0").sign == .minus)
    #expect(try fromJSON(Double.self, "2.5E1") == 25)
    #expect(try fromJSON(Int.self, "-0") == 0)
    #expect(try fromJSON(Float.self, "0.1") == 0.1)
    #expect(try fromJSON(Date.self, "86400").timeIntervalSinceReferenceDate == 86_400)
    #expect(try fromJSON(Date.self, "\"inf\"").timeIntervalSinceReferenceDate == .infinity)
    #expect(try fromJSON(Duration.self, "0.25") == .milliseconds(250))
    #expect(try fromJSON(Set<Int>.self, "[3,1,3]") == [1, 3])
    #expect(try fromJSON(Destination.self, #"{"home":{}}"#) == .home)
    let text = "00112233-4455-6677-8899-aabbccddeeff"
    #expect(try fromJSON(UUID.self, "\"\(text)\"").uuidString == text.uppercased())
    let todo = try fromJSON(Todo.self, #"{"tags":[],"id":1,"title":"a","isCompleted":true}"#)
    #expect(todo == Todo(title: "a", id: 1, isCompleted: true))
  }

  @Test("An action's payload without a label may omit _0")
  func actions() throws {
    func bytes(_ text: String) throws -> [UInt8] {
      try fromJSON(TodosAction.self, text).encoded()
    }
    #expect(
      try bytes(#"{"addButtonTapped":{"title":"Milk"}}"#)
        == TodosAction.addButtonTapped(title: "Milk").encoded()
    )
    #expect(
      try bytes(#""clearCompletedButtonTapped""#)
        == TodosAction.clearCompletedButtonTapped.encoded()
    )
    let toggle = TodosAction.items(.element(id: 3, action: .toggleButtonTapped))
    let short = #"{"items":{"element":{"id":3,"action":"toggleButtonTapped"}}}"#
    let long = #"{"items":{"_0":{"element":{"id":3,"action":"toggleButtonTapped"}}}}"#
    #expect(try bytes(short) == toggle.encoded())
    #expect(try bytes(long) == toggle.encoded())
    #expect(try json(toggle) == long)
    let focused = TodosAction.focused(.titleChanged(title: "x"))
    #expect(try bytes(#"{"focused":{"titleChanged":{"title":"x"}}}"#) == focused.encoded())
    #expect(try bytes(#"{"focused":{"_0":{"titleChanged":{"title":"x"}}}}"#) == focused.encoded())
    #expect(try json(focused) == #"{"focused":{"_0":{"titleChanged":{"title":"x"}}}}"#)
    #expect(try fromJSON(Destination.self, #"{"edit":{"_0":\#(json(Todo()))}}"#) == .edit(Todo()))
    #expect(try fromJSON(Destination.self, #"{"edit":\#(json(Todo()))}"#) == .edit(Todo()))
  }

  @Test("A value that does not match its schema is written without it")
  func wrongValue() {
    let value = GenericValue.map([.init(.unsigned(1), .bytes([1, 2, 3]))])
    let schemas: [Schema] = [
      .text, .named("Todo"), .named("Destination"), .named("nobody"), .optional(.uuid), .any,
      .array(.text), .dictionary(key: .text, value: .text),
    ]
    for schema in schemas {
      #expect(
        JSONProjection.json(value, schema: schema, in: AllKinds.document) == #"{"1":"AQID"}"#
      )
    }
  }
}

@Suite("JSON projection: errors")
struct JSONProjectionErrorTests {
  private func error<Value: WirePayload>(_ type: Value.Type, _ text: String) throws -> String {
    let document = SchemaRegistry.document(for: type)
    let error = #expect(throws: JSONProjectionError.self) {
      try JSONProjection.value(fromJSON: text, in: document)
    }
    return "\(try #require(error))"
  }

  @Test(
    "An action that does not match is rejected with its path",
    arguments: [
      (#"{"addButtonTapped":{"title":3}}"#, "$.addButtonTapped.title: expected text, found 3"),
      (
        #""addButonTapped""#,
        #"Todos.Action has no case "addButonTapped"; did you mean "addButtonTapped"?"#,
      ),
      (
        #"{"addButtonTapped":{"titel":"x"}}"#,
        #"$.addButtonTapped: addButtonTapped has no label "titel"; did you mean "title"?"#,
      ),
      (#"{"addButtonTapped":{}}"#, "$.addButtonTapped.title: expected text, found nothing"),
      (
        #""addButtonTapped""#,
        "$.addButtonTapped: expected a payload; "
          + #"write the case as {"addButtonTapped": {"title": …}}"#,
      ),
      (
        #"{"clearCompletedButtonTapped":{"a":1}}"#,
        "$.clearCompletedButtonTapped: expected no payload; "
          + #"write the case as "clearCompletedButtonTapped""#,
      ),
      (
        #"{"items":{"element":{"id":"a","action":"toggleButtonTapped"}}}"#,
        "$.items.element.id: expected an integer from -9223372036854775808 to "
          + #"9223372036854775807, found "a""#,
      ),
      (
        #"{"items":{"_0":{"element":{"id":1,"action":"togleButtonTapped"}}}}"#,
        #"$.items._0.element.action: Todo.Action has no case "togleButtonTapped"; "#
          + #"did you mean "toggleButtonTapped"?"#,
      ),
      (
        #"{"filterPicked":{"filter":"activ"}}"#,
        #"$.filterPicked.filter: Filter has no case "activ"; did you mean "active"?"#,
      ),
      (#"{"response":{"_0":1}}"#, #"Todos.Action has no case "response"; there are "#),
      ("3", "expected Todos.Action as a case's name or an object with it, found 3"),
      (
        #"{"a":1,"b":2}"#,
        "expected Todos.Action as a case's name or an object with it, found an",
      ),
      ("{", "not JSON: line 1, column 2: "),
    ],
  )
  func actions(text: String, expected: String) throws {
    #expect(try error(TodosAction.self, text).hasPrefix(expected))
  }

  @Test("Values that do not match are rejected with their path")
  func values() throws {
    #expect(try error(Int8.self, "128") == "expected an integer from -128 to 127, found 128")
    #expect(try error(UInt8.self, "-1").hasSuffix("from 0 to 255, found -1"))
    #expect(try error(Int.self, "1.0").hasSuffix("found 1.0"))
    #expect(try error(Int.self, "1e3").hasSuffix("found 1e3"))
    #expect(try error(Int.self, "\"1\"").hasSuffix("found \"1\""))
    #expect(try error(UInt64.self, "18446744073709551616").hasSuffix("found 18446744073709551616"))
    #expect(try error(Bool.self, "1") == "expected true or false, found 1")
    #expect(try error(Double.self, "1e999").hasSuffix("found 1e999"))
    #expect(try error(Float.self, "1e39").hasSuffix("found 1e39"))
    #expect(try error(Double.self, "\"NaN\"").hasSuffix("found \"NaN\""))
    #expect(try error(Data.self, "\"A\"") == "expected base64 in a string, found \"A\"")
    #expect(try error(UUID.self, "\"x\"") == "expected a UUID in a string, found \"x\"")
    #expect(try error(Date.self, "\"today\"").hasSuffix("seconds since 2001, found \"today\""))
    #expect(try error(Duration.self, "[1,-1]").hasSuffix("attoseconds, found an array"))
    #expect(try error([Int].self, "{}") == "expected an array, found an object")
    #expect(try error([[Int]].self, "[[],[1,true]]").hasPrefix("$[1][1]: expected an integer"))
    #expect(try error(Int??.self, "3") == "expected null or an array of one, found 3")
    #expect(try error([String: Int].self, "[]") == "expected an object, found an array")
    #expect(try error([String: Int].self, #"{"a":null}"#).hasPrefix("$[a]: expected an integer"))
    #expect(try error([String: Int].self, #"{"a":1,"a":1}"#).contains("each key once"))
    #expect(try error([Int: Int].self, #"{"05":1}"#).hasPrefix("$[05]: expected an integer"))
    #expect(try error([Int: Int].self, #"{"-0":1}"#).hasPrefix("$[-0]: expected an integer"))
    #expect(try error([Double: Int].self, "{}").contains("[key, value] pairs, found an object"))
    #expect(try error([Double: Int].self, "[[1]]").hasPrefix("$[0]: expected an array of a key"))
    #expect(try error([Double: Int].self, "[[1,2],[2,true]]").hasPrefix("$[1][1]: expected"))
    #expect(
      try error(GenericValue.self, "[18446744073709551616]").hasPrefix("$[0]: expected a num")
    )
    #expect(try error(GenericValue.self, #"{"a":1,"a":2}"#).contains(#"found "a" twice"#))
  }

  @Test("Records are rejected with the field's name")
  func records() throws {
    #expect(try error(Row.self, "[]") == "expected Row as an object, found an array")
    #expect(try error(Row.self, #"{"id":1}"#) == "$.title: expected text, found nothing")
    #expect(
      try error(Row.self, #"{"id":1,"titel":"a"}"#)
        == #"Row has no field "titel"; did you mean "title"?"#
    )
    #expect(
      try error(Row.self, #"{"id":1,"id":1}"#) == #"expected each name once, found "id" twice"#
    )
    let row = #"{"id":1,"title":"","isCompleted":false}"#
    #expect(
      try error(Rows.self, "[\(row),\(row)]")
        == "$[1].id: expected a new id, found one that stands there before"
    )
  }
}
