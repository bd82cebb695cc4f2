import GenericState
import StoreProtocol
import StoreState

/// Translates this program's actions for a daemon of another build, or reports why it cannot.
struct ActionTranslation {
  private let scope: String
  private let daemon: SchemaDocument
  private let resolution: SchemaResolution

  /// Compares the actions of a scope.
  ///
  /// - Parameters:
  ///   - scope: The scope's name.
  ///   - own: This program's actions.
  ///   - daemon: The daemon's actions.
  init(scope: String, from own: SchemaDocument, to daemon: SchemaDocument) {
    self.scope = scope
    self.daemon = daemon
    resolution = SchemaResolution(
      writer: own,
      reader: ReaderSchema(daemon),
      here: .writer,
      allowsUnknownCases: true,
    )
  }

  /// The fields that the daemon could not read, one line each.
  var differences: [String] { resolution.differences }

  /// The daemon's form of an action.
  func translate(_ action: [UInt8]) -> Result<[UInt8], Outcome.Failure> {
    do throws(CodecError) {
      return .success(try resolution.translate(value: action))
    } catch {
      let message = "The daemon is of another build and \(text(error, action))"
      return .failure(Outcome.Failure(code: Outcome.rejected, message: message))
    }
  }

  private func text(_ error: CodecError, _ action: [UInt8]) -> String {
    guard let unknown = resolution.unknownCase(in: action, error),
      let known = daemon.cases(at: error.path)
    else { return "cannot read this action of \"\(scope)\": \(error)" }
    return "does not know the action \"\(unknown)\" of \"\(scope)\"; "
      + "it knows \(Self.list(known)). Update the daemon."
  }

  private static let mostListed = 12

  private static func list(_ names: [String]) -> String {
    guard !names.isEmpty else { return "none there" }
    let more = names.count > mostListed ? " and \(names.count - mostListed) more" : ""
    return names.prefix(mostListed).map { "\"\($0)\"" }.joined(separator: ", ") + more
  }
}

extension SchemaDocument {
  /// The cases of the choice at the end of a path; nil without a choice there.
  fileprivate func cases(at path: [CodecError.PathElement]) -> [String]? {
    var schema = root.unwrapped
    var rest = path[...]
    while let element = rest.popFirst() {
      switch (element, schema, definition(of: schema)) {
      case (.name(let name), _, .record(let fields)):
        guard let field = fields.first(where: { $0.name == name }) else { return nil }
        schema = field.schema.unwrapped
      case (.name(let name), _, .choice(let cases)):
        guard let payload = cases.first(where: { $0.name == name })?.payload,
          case .name(let label)? = rest.popFirst(),
          let part = payload.first(where: { $0.name == label })
        else { return nil }
        schema = part.schema.unwrapped
      case (.index, .array(let item), _), (.index, .identified(_, _, let item), _):
        schema = item.unwrapped
      default: return nil
      }
    }
    guard case .choice(let cases) = definition(of: schema) else { return nil }
    return cases.map(\.name)
  }
}

extension Schema {
  fileprivate var unwrapped: Schema {
    if case .optional(let wrapped) = self { wrapped.unwrapped } else { self }
  }
}
