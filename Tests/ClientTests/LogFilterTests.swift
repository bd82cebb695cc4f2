import GenericState
import StoreState
import Testing

@testable import StorectlMain

@Suite("The filters of a log")
struct LogFilterTests {
  private let sent: GenericValue = .map(named: [
    ("by", .text("client")), ("user", .unsigned(1000)), ("key", .text("phone")),
    ("scope", .text("todos")),
    ("action", Self.choice("items", Self.choice("addTapped", .text("Milk")))),
    ("changed", .array([.text("todos/items/7"), .text("summary")])),
  ])
  private let effect: GenericValue = .map(named: [
    ("by", .text("internal")), ("name", .text("jobs.element[3].began")), ("cause", .unsigned(4)),
    ("effect", .text("print")),
  ])
  private let joined: GenericValue = .map(named: [
    ("by", .text("joined")), ("name", .text("jobs viewer")), ("peer", .text("localhost")),
  ])

  /// The form of a case with one payload.
  private static func choice(_ name: String, _ payload: GenericValue) -> GenericValue {
    .map(named: [(name, .map(named: [("_0", payload)]))])
  }

  private func matching(_ filter: LogFilter) -> [Bool] {
    [sent, effect, joined].map(filter.matches)
  }

  @Test("Without a condition, all entries match")
  func none() {
    #expect(matching(LogFilter()) == [true, true, true])
    #expect(!LogFilter(isNegated: true).isActive)
    #expect(matching(LogFilter(isNegated: true)) == [true, true, true])
  }

  @Test("An action is found by a part of its name, and not by a session's name")
  func actions() {
    #expect(matching(LogFilter(action: "items.addTapped")) == [true, false, false])
    #expect(matching(LogFilter(action: "jobs")) == [false, true, false])
    #expect(matching(LogFilter(action: "absent")) == [false, false, false])
    #expect(LogFilter(action: "jobs.element").matches(effect))
  }

  @Test(
    "A row is found by its id, as a record's name has it",
    arguments: [
      (.unsigned(3), "3"), (.text("a b"), "a b"),
      (.bytes([UInt8](repeating: 0xAB, count: 16)), "ABABABAB-ABAB-ABAB-ABAB-ABABABABABAB"),
    ] as [(GenericValue, String)],
  )
  func rows(id: GenericValue, text: String) {
    let element: GenericValue = .map(named: [("id", id), ("action", .text("toggled"))])
    let row: GenericValue = .map(named: [
      ("by", .text("client")),
      ("action", Self.choice("rows", .map(named: [("element", element)]))),
    ])
    #expect(LogFilter(action: "rows.element[\(text)].toggled").matches(row))
  }

  @Test("An origin is a kind, an effect, a key or a user")
  func origins() {
    #expect(matching(LogFilter(origin: "client")) == [true, false, false])
    #expect(matching(LogFilter(origin: "print")) == [false, true, false])
    #expect(matching(LogFilter(origin: "phone")) == [true, false, false])
    #expect(matching(LogFilter(origin: "1000")) == [true, false, false])
    #expect(matching(LogFilter(origin: "joined")) == [false, false, true])
    let restart: GenericValue = .map(named: [("by", .text("restart")), ("left", .array([]))])
    #expect(LogFilter(origin: "left").matches(restart))
    #expect(LogFilter(origin: "restart").matches(restart))
  }

  @Test("A changed scope includes its rows, and no scope whose name only begins alike")
  func changes() {
    #expect(matching(LogFilter(changed: "todos")) == [true, false, false])
    #expect(matching(LogFilter(changed: "todos/items/7")) == [true, false, false])
    #expect(matching(LogFilter(changed: "sum")) == [false, false, false])
  }

  @Test("Conditions combine, and can be negated together")
  func combined() {
    var filter = LogFilter(action: "addTapped", origin: "client", changed: "summary")
    #expect(matching(filter) == [true, false, false])
    filter.isNegated = true
    #expect(matching(filter) == [false, true, true])
    filter.origin = "print"
    #expect(matching(filter) == [true, true, true])
  }
}
