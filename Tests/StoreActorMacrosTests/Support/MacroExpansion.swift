import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Expects a source to expand to another one, with the given diagnostics and fixes.
///
/// - Parameters:
///   - source: The source with the macro.
///   - expanded: What the source becomes.
///   - macros: The macros by their names, with the conformances that they declare.
///   - diagnostics: What the macro says of the source.
///   - fixIts: The titles of the fixes to apply; nil for all.
///   - fixed: The source with the fixes applied.
///   - location: Where the expectation stands.
func expectExpansion(
  _ source: String,
  _ expanded: String,
  macros: [String: MacroSpec],
  diagnostics: [DiagnosticSpec] = [],
  applying fixIts: [String]? = nil,
  fixed: String? = nil,
  location: Testing.SourceLocation = #_sourceLocation,
) {
  assertMacroExpansion(
    source,
    expandedSource: expanded.replacing("StoreActor::", with: module),
    diagnostics: diagnostics,
    macroSpecs: macros,
    applyFixIts: fixIts,
    fixedSource: fixed,
    indentationWidth: .spaces(2),
    failureHandler: { failure in
      Issue.record("\(failure.message)", sourceLocation: location)
    },
    fileID: #fileID,
    filePath: #filePath,
    line: UInt(location.line),
    column: UInt(location.column),
  )
}
