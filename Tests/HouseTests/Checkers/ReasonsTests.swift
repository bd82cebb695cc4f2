import Testing

@Suite("The checks of reasons and names detect their breaches")
struct ReasonsTests {
  @Test(
    "An escape from the compiler's checks without a comment above is found",
    arguments: [
      "final class A: @unchecked Sendable {}",
      "let a = 1\nnonisolated(unsafe) var b = 1",
      "// Guarded by the lock.\n\nnonisolated(unsafe) var b = 1",
      "// A counter.\nvar a = 1\nnonisolated(unsafe) var b = 1  // stated too late",
      "struct S {\n  nonisolated(unsafe) var b = 1\n}",
    ],
  )
  func unexplained(text: String) {
    #expect(Reasons.checkEscapes(swift(text)).count == 1)
  }

  @Test(
    "With a comment on the line above it is allowed",
    arguments: [
      "// Guarded by the lock.\nnonisolated(unsafe) var b = 1",
      "/// A box.\n///\n/// Immutable.\n@usableFromInline\nfinal class A: @unchecked Sendable {}",
      "// Immutable.\nfinal class A<B>:\n  C,\n  @unchecked Sendable\n{}",
      "struct S {\n  // Only the main thread writes it.\n  nonisolated(unsafe) var b = 1\n}",
      "let a = \"@unchecked Sendable\"",
    ],
  )
  func explained(text: String) {
    #expect(Reasons.checkEscapes(swift(text)).isEmpty)
  }

  @Test("A comment that marks unfinished work is found", arguments: Reasons.marks)
  func marks(mark: String) {
    #expect(Reasons.checkMarks(swift("let a = 1 // \(mark): later")).map(\.line) == [1])
    #expect(Reasons.checkMarks(swift("\n/// \(mark)")).map(\.line) == [2])
    #expect(Reasons.checkMarks(swift("let a = \"\(mark)\"; let \(mark)Count = 1")).isEmpty)
    #expect(Reasons.checkMarks(swift("// \(mark)S and \(mark.lowercased())")).isEmpty)
  }

  @Test(
    "A type with its module's name is found",
    arguments: ["struct", "public final class", "enum", "actor", "protocol", "typealias"],
  )
  func types(kind: String) {
    #expect(Names.checkTypes(swift("\(kind) StoreDaemon {}")).count == 1)
    #expect(Names.checkTypes(swift("\(kind) StoreDaemonError {}")).isEmpty)
    #expect(Names.checkTypes(swift("\(kind) StoreDaemon {}", in: "StorectlMain")).isEmpty)
  }

  @Test("An import of one of its types is not a type")
  func typeImports() {
    #expect(Names.checkTypes(swift("import struct StoreDaemon.A")).isEmpty)
  }

  @Test("A module with a name of the ecosystem is found, and a C file in a target")
  func modules() {
    let rooms = ["StoreState", "Clocks"].map { Room(name: $0, folder: "Sources/Wing/\($0)") }
    let found = Names.checkRooms(rooms).map(\.what)
    #expect(found.count == 1 && found[0].contains("the module Clocks"))
    let files = ["Sources/CZMQ/a.c", "Sources/CZMQ/shim.h", "Benchmarks/Floor/raw.c"]
      .map { SourceFile(path: $0, text: "") }
    #expect(Names.checkCFiles(files).map(\.path) == ["Sources/CZMQ/a.c"])
  }
}
