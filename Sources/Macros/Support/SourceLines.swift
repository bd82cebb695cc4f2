import SwiftSyntax
import SwiftSyntaxMacros

/// The places of declarations, to which the compiler's messages about their code refer.
struct SourceLines {
  private let location: (Syntax) -> AbstractSourceLocation?

  init(_ context: some MacroExpansionContext) {
    location = { context.location(of: $0, at: .afterLeadingTrivia, filePathMode: .filePath) }
  }

  /// Generates a line of code for a part of the author's source.
  ///
  /// - Parameters:
  ///   - code: The line.
  ///   - node: The part of the source.
  /// - Returns: The line with its place; without a known place, as in code of other macros, the
  ///   line alone.
  func place(_ code: String, at node: some SyntaxProtocol) -> [String] {
    guard let place = location(Syntax(node)) else { return [code] }
    let indentation = code.prefix { $0 == " " }
    let start = "#sourceLocation(file: \(place.file), line: \(place.line))"
    return [indentation + start, code, indentation + "#sourceLocation()"]
  }
}
