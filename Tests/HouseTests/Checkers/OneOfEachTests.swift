import Testing

@Suite("The rule of one turn and one copy")
struct OneOfEachTests {
  private func rules(_ text: String, at path: String = "B.swift") -> [String] {
    OneOfEach.check(swift(text, in: "StoreServer", at: path)).map(\.rule)
  }

  @Test("Another turn is found, and the product's turn is not")
  func turn() {
    let text = "while let frame = server.nextFrame() { send(frame) }\n"
    #expect(rules(text) == [OneOfEach.turn])
    #expect(rules(text, at: "DaemonTurn.swift") == [])
    #expect(rules("func nextFrame() -> Frame? { parts.nextFrame() }\n") == [])
    #expect(rules("// server.nextFrame()\n") == [])
  }

  @Test("Another copy is found, and a type that contains one is not")
  func replica() {
    #expect(rules("final class Copy<State>: Replica {\n") == [OneOfEach.replica])
    #expect(rules("final class Copy: Other, Replica {\n") == [OneOfEach.replica])
    #expect(rules("final class Copy: CountingReplica {\n") == [])
    #expect(rules("final class Log: Replica {\n  private let copy: any Replica\n") == [])
  }
}
