import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import Testing

/// Expects what the macros of states say of a source, whatever it expands to.
///
/// - Parameters:
///   - source: The source with the macros.
///   - problems: The lines and the messages, in any order.
///   - location: Where the expectation stands.
func expectProblems(
  _ source: String,
  _ problems: [(line: Int, message: String)],
  location: Testing.SourceLocation = #_sourceLocation,
) {
  let file = Parser.parse(source: source)
  let context = BasicMacroExpansionContext(
    sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")]
  )
  _ = file.expand(
    macroSpecs: stateMacros,
    contextGenerator: { node in
      BasicMacroExpansionContext(
        sharingWith: context,
        lexicalContext: node.allMacroLexicalContexts(),
      )
    },
  )
  let found = context.diagnostics.map { diagnostic in
    let place = context.location(
      for: diagnostic.position,
      anchoredAt: diagnostic.node,
      fileName: "Test.swift",
    )
    return "\(place.line): \(diagnostic.message)"
  }
  let expected = problems.map { "\($0.line): \($0.message)" }
  #expect(found.sorted() == expected.sorted(), sourceLocation: location)
}
