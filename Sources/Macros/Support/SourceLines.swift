import SwiftSyntax
import SwiftSyntaxMacros

/// Where declarations stand, so that what the compiler says of the code for one is said there.
struct SourceLines {
  private let location: (Syntax) -> AbstractSourceLocation?

  init(_ context: some MacroExpansionContext) {
    location = { context.location(of: $0, at: .afterLeadingTrivia, filePathMode: .filePath) }
  }

  /// A line of code about something that the author has written.
  ///
  /// - Parameters:
  ///   - code: The line.
  ///   - node: What it is about.
  /// - Returns: The line, placed; as it is where nobody knows a place, as in code of other macros.
  func place(_ code: String, at node: some SyntaxProtocol) -> [String] {
    guard let place = location(Syntax(node)) else { return [code] }
    let indentation = code.prefix { $0 == " " }
    let start = "#sourceLocation(file: \(place.file), line: \(place.line))"
    return [indentation + start, code, indentation + "#sourceLocation()"]
  }
}
