import Testing

@Suite("The checks of lengths detect their breaches")
struct LengthsTests {
  @Test("A line of 101 columns is found, one of 100 is not")
  func lines() {
    let text = String(repeating: "é", count: 100) + "\n" + String(repeating: "a", count: 101)
    #expect(Lengths.checkLines(swift(text)).map(\.line) == [2])
  }

  @Test("Only a comment that is one link may be longer")
  func links() {
    let link = "https://example.org/" + String(repeating: "a", count: 100)
    #expect(Lengths.checkLines(swift("  // \(link)\n  /// - \(link)")).isEmpty)
    #expect(Lengths.checkLines(swift("let a = 1 // \(link)")).count == 1)
  }

  @Test("A product file of 801 lines is found, and a test file of 1,201")
  func files() {
    func file(_ count: Int, _ path: String) -> SourceFile {
      SourceFile(path: path, text: String(repeating: "\n", count: count))
    }
    #expect(Lengths.checkFile(file(800, "Sources/A/B.swift")).isEmpty)
    #expect(Lengths.checkFile(file(801, "Sources/A/B.swift")).count == 1)
    #expect(Lengths.checkFile(file(1_200, "Tests/A/B.swift")).isEmpty)
    #expect(Lengths.checkFile(file(1_201, "Tests/A/B.swift")).count == 1)
  }

  @Test(
    "A function of 61 lines is found, one of 60 is not",
    arguments: [
      "func f()", "init(a: Int = { 1 }())", "init?<A>(_ a: A) where A: B",
      "func == (a: Self, b: Self) -> @Sendable () -> [Int]", "static func f<A>() throws(E) -> A",
      "private func f(\n  if: String = \"}\"  // }\n)".split(separator: "\n").joined(),
    ],
  )
  func functionLengths(head: String) {
    func type(_ lines: Int) -> SourceFile {
      let body = String(repeating: "  let s = \"}\" // }\n", count: lines - 2)
      let head = head.replacing("// }", with: "")
      return swift("struct S {\n  \(head) {\n\(body)  }\n}\n")
    }
    #expect(Lengths.checkFunctions(type(60)).isEmpty)
    #expect(Lengths.checkFunctions(type(61)).map(\.line) == [2])
  }

  @Test("A nested function is also measured separately")
  func nested() {
    let found = functions(in: swift("func a() {\n  func b() {\n  }\n}").words)
    #expect(
      found == [
        Function(name: "func a", line: 1, lines: 4), Function(name: "func b", line: 2, lines: 2),
      ]
    )
  }

  @Test("Requirements and calls are not functions")
  func notFunctions() {
    let text = """
      protocol P {
        init(a: Int)
        func f() async throws -> @Sendable () -> Void
        var a: Int { get }
        mutating func g()
      }
      let a = S.init(b: 1), b = T { .init() }, c = E.`init`
      extension S { init() { self.init(b: 1) } }
      """
    #expect(functions(in: swift(text).words) == [Function(name: "init", line: 8, lines: 1)])
  }

  @Test("A function without an end is found")
  func endless() {
    let breaches = Lengths.checkFunctions(swift("func f() {\n  if a {\n}\n"))
    #expect(breaches.map(\.what) == ["the end of func f was not found"])
  }
}
