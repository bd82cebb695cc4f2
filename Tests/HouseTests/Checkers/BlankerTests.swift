import Testing

@Suite("Code and comments are separated")
struct BlankerTests {
  @Test("Comments are blank in the code, nested ones too")
  func comments() {
    let file = swift("let a = 1  // try! x\n/* try! /* y */ try! */let b = 2\n")
    #expect(file.code == ["let a = 1           ", "                       let b = 2"])
    #expect(file.comments[0].hasSuffix("// try! x"))
    #expect(file.comments[1].trimmingSpaces == "/* try! /* y */ try! */")
  }

  @Test("A comment over several lines keeps the lines")
  func longComment() {
    let file = swift("/*\n{\n*/\nlet a = 1\n")
    #expect(file.code.map(\.trimmingSpaces) == ["", "", "", "let a = 1"])
  }

  @Test(
    "The insides of literals are blank",
    arguments: [
      #"f("try! { // ")"#,
      ##"f(#"a " try! { "b"#)"##,
      #"f("a \" try! {")"#,
      "f(\"\"\"\n  \"try!\" { // \\\"\"\"\n  \"\"\")",
      "f(/try! [{\"]/)",
      ##"f(#/a / try! {"/#)"##,
    ],
  )
  func literals(text: String) {
    let code = swift(text).code.joined()
    #expect(code.hasPrefix("f("))
    #expect(code.hasSuffix(")"))
    #expect(!code.contains("try!"))
    #expect(!code.contains("{"))
    #expect(swift(text).comments.allSatisfy { $0.trimmingSpaces.isEmpty })
  }

  @Test("The content of an interpolation is code, strings in it are not")
  func interpolation() {
    let code = swift(#"let a = "try! \(f(try! g("x )", (1)))) try! {"; h()"#).code.joined()
    #expect(finds(of: "try!", in: code).count == 1)
    #expect(code.hasSuffix("\"; h()"))
  }

  @Test("In a raw string only an escape with its hashes is an interpolation")
  func rawInterpolation() {
    let code = swift(##"let a = #"\(try! f()) \#(g()) "#; h()"##).code.joined()
    #expect(!code.contains("try!"))
    #expect(code.contains("(g())"))
    #expect(code.hasSuffix("; h()"))
  }

  @Test("A division is not a regex")
  func division() {
    #expect(swift("let a = (b / c) / d(e) /* / */ / f").code.joined().contains("/ d(e)"))
    #expect(swift("let a = b/c + {d}/e").code == ["let a = b/c + {d}/e"])
  }

  @Test("An unterminated string affects only its line")
  func unfinishedString() {
    #expect(swift("let a = \"abc\nlet b = 1").code.last == "let b = 1")
  }

  @Test("Words are identifiers and single signs, with their lines")
  func words() {
    let words = swift("func é_1(\n a: Int)").words
    #expect(words.map(\.text) == ["func", "é_1", "(", "a", ":", "Int", ")"])
    #expect(words.map(\.line) == [1, 1, 1, 2, 2, 2, 2])
  }
}

/// A Swift file of a target of the product; StoreDaemon has no rules of its own.
func swift(
  _ text: String,
  in name: String = "StoreDaemon",
  at path: String = "File.swift",
) -> SourceFile {
  let room = Room(name: name, folder: "Sources/Wing/\(name)")
  return SourceFile(path: "\(room.folder)/\(path)", text: text, room: room)
}

/// A Swift file of a target of tests.
func test(_ text: String, in name: String = "ATests") -> SourceFile {
  let room = Room(name: name, folder: "Tests/\(name)")
  return SourceFile(path: "\(room.folder)/A.swift", text: text, room: room)
}

/// A page at the repository's root.
func page(_ text: String, path: String = "PAGE.md") -> SourceFile {
  SourceFile(path: path, text: text)
}
