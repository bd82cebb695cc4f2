/// The limits of a line, a function and a file.
enum Lengths {
  static let columns = 100
  static let functionLines = 60
  static let productLines = 800
  static let testLines = 1_200

  static func checkLines(_ file: SourceFile) -> [Breach] {
    file.lines.enumerated().compactMap { index, line in
      // A count of bytes is fast and never too low.
      guard line.utf8.count > columns, line.count > columns, !isOneLink(line),
        !isExpectedText(file, at: index)
      else { return nil }
      return Breach(
        rule: "line-length",
        path: file.path,
        line: index + 1,
        what: "\(line.count) columns, \(columns) are allowed",
        remedy: "Break the line; `make format` breaks code.",
      )
    }
  }

  static func checkFile(_ file: SourceFile) -> [Breach] {
    let allowed = file.isTest ? testLines : productLines
    guard file.lines.count > allowed else { return [] }
    return [
      Breach(
        rule: "file-length",
        path: file.path,
        line: 1,
        what: "\(file.lines.count) lines, \(allowed) are allowed",
        remedy: "Split it: one main type per file, Type+Aspect.swift for extensions.",
      )
    ]
  }

  static func checkFunctions(_ file: SourceFile) -> [Breach] {
    functions(in: file.words).compactMap { function in
      guard let lines = function.lines else {
        return Breach(
          rule: "function-length",
          path: file.path,
          line: function.line,
          what: "the end of \(function.name) was not found",
          remedy: "Balance its braces within one branch of #if.",
        )
      }
      guard lines > functionLines else { return nil }
      return Breach(
        rule: "function-length",
        path: file.path,
        line: function.line,
        what: "\(function.name) has \(lines) lines, \(functionLines) are allowed",
        remedy: "Take a step with a name out of it; aim at 20.",
      )
    }
  }

  /// A line of a test within a string literal is an expected text, which cannot be wrapped.
  private static func isExpectedText(_ file: SourceFile, at index: Int) -> Bool {
    file.isTest && file.isSwift
      && file.code[index].allSatisfy(\.isWhitespace)
      && file.comments[index].allSatisfy(\.isWhitespace)
  }

  /// A comment that is only a link cannot be wrapped.
  private static func isOneLink(_ line: String) -> Bool {
    let words = line.split(separator: " ")
    guard let last = words.last, last.contains("://") else { return false }
    return words.dropLast().allSatisfy { $0 == "//" || $0 == "///" || $0 == "-" }
  }
}

/// A function with a body.
struct Function: Equatable {
  var name: String
  /// The line of its `func` or `init`.
  var line: Int
  /// The number of lines up to its closing brace; nil if the brace was not found.
  var lines: Int?
}

/// The functions and initializers with a body, in order.
func functions(in words: [Word]) -> [Function] {
  words.indices.compactMap { index in
    guard isDeclaration(words, at: index), let brace = bodyStart(words, from: index + 1) else {
      return nil
    }
    let name = words[index].text == "func" ? "func \(words[index + 1].text)" : "init"
    let line = words[index].line
    let end = closingBrace(words, from: brace)
    return Function(name: name, line: line, lines: end.map { words[$0].line - line + 1 })
  }
}

/// Whether the word opens a declaration: `func`, or an `init` that is not a call.
private func isDeclaration(_ words: [Word], at index: Int) -> Bool {
  let before = index > 0 ? words[index - 1].text : ""
  guard before != ".", before != "`", index + 1 < words.count else { return false }
  switch words[index].text {
  case "func": return true
  case "init": return ["(", "<", "?", "!"].contains(words[index + 1].text)
  default: return false
  }
}

/// The `{` of the body, or nil for a requirement without one.
private func bodyStart(_ words: [Word], from start: Int) -> Int? {
  let next: Set = [
    "func", "init", "var", "let", "case", "associatedtype", "subscript", "typealias", "static",
    "mutating", "struct", "class", "enum", "actor", "protocol", "extension", "import", "}",
  ]
  var depth = 0
  for index in start..<words.count {
    switch words[index].text {
    case "(", "[": depth += 1
    case ")", "]": depth -= 1
    case "{" where depth == 0: return index
    case let text where depth == 0 && next.contains(text): return nil
    default: break
    }
  }
  return nil
}

private func closingBrace(_ words: [Word], from start: Int) -> Int? {
  var depth = 0
  for index in start..<words.count {
    switch words[index].text {
    case "{": depth += 1
    case "}": depth -= 1
    default: continue
    }
    if depth == 0 { return index }
  }
  return nil
}
