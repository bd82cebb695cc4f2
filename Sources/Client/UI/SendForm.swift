import GenericState
import Observation
import StoreProtocol
import StoreState
import TerminalViews

/// The form for one action of a scope: a field for each part of its payload.
@MainActor
@Observable
final class SendForm {
  let scope: WatchedScope
  let action: Definition.Case
  var texts: [String]
  /// The fields that still contain their initial example.
  var examples: Set<Int>
  /// The reason why the input is not a valid action.
  var failure: String?

  /// Creates the form of an action.
  ///
  /// - Parameters:
  ///   - scope: The scope that receives the action.
  ///   - action: The action.
  ///   - row: The selected row, whose id is proposed for a part of the same type.
  init(_ scope: WatchedScope, _ action: Definition.Case, row: StateNode.RowID? = nil) {
    self.scope = scope
    self.action = action
    var texts = ActionExample(document: scope.description.action).texts(of: action)
    for (place, part) in action.payload.enumerated() where texts.indices.contains(place) {
      guard let row, part.schema == row.schema else { continue }
      if part.name == row.field || part.schema == .uuid { texts[place] = row.text }
    }
    self.texts = texts
    examples = Set(texts.indices.filter { !texts[$0].isEmpty })
  }

  /// A part's name with its cases, if their names are short, otherwise with its type.
  func label(of part: Definition.Field) -> String {
    let definition = scope.description.action.definition(of: part.schema)
    if case .choice(let cases) = definition, cases.allSatisfy(\.payload.isEmpty) {
      let names = cases.map(\.name).joined(separator: ", ")
      if names.count <= Self.mostOfNames { return "\(part.name) (\(names))" }
    }
    return "\(part.name) (\(part.schema))"
  }

  private static let mostOfNames = 40

  /// Returns the encoded action of the input.
  func encoded() throws(CommandError) -> [UInt8] {
    var members: [JSONValue.Member] = []
    for (part, text) in zip(action.payload, texts) {
      members.append(.init(part.name, try value(text, part)))
    }
    let tree: JSONValue =
      members.isEmpty
      ? .string(action.name) : .object([.init(action.name, .object(members))])
    return try ActionParser(description: scope.description).action(tree.text())
  }

  /// Returns a part's value: a text is taken verbatim, any other value is parsed as JSON.
  private func value(
    _ text: String,
    _ part: Definition.Field,
  ) throws(CommandError) -> JSONValue {
    if Self.isText(part.schema) { return .string(text) }
    do throws(JSONProjectionError) {
      return try JSONValue(parsing: text)
    } catch {
      // A bare word is usually an id or the name of a case.
      guard !text.isEmpty, !text.contains(where: { "{}[]\",: ".contains($0) }) else {
        throw CommandError(.badData, "\(part.name): \(error)")
      }
      return .string(text)
    }
  }

  private static func isText(_ schema: Schema) -> Bool {
    switch schema {
    case .text, .uuid, .url, .date: true
    default: false
    }
  }
}

/// The view of a form, over the screen.
struct SendFormView: View {
  let form: SendForm
  let onSend: @MainActor () -> Void
  let onClose: @MainActor () -> Void

  var body: some View {
    VStack {
      ForEach(Array(form.action.payload.indices), id: \.self) { place in
        let part = form.action.payload[place]
        TextField(
          form.label(of: part),
          text: Binding {
            form.texts[place]
          } set: {
            form.texts[place] = $0
          },
          isSelected: Binding {
            form.examples.contains(place)
          } set: {
            if !$0 { form.examples.remove(place) }
          },
          onSubmit: onSend,
        )
        .frame(width: 64)
      }
      if let failure = form.failure { Paragraph(failure, Style(.red)) }
      HStack {
        Button("Send", action: onSend)
        Button("Cancel", action: onClose)
      }
    }
    .border("\(form.scope.name) \(form.action.name)")
    .onKey(.escape, perform: onClose)
  }
}
