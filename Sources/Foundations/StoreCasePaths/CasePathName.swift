/// The name of a case path; its text is composed only on demand.
package enum CasePathName: Sendable {
  /// A hand-written case without a name.
  case unknown
  /// The path from a value to itself, which is not a case.
  case root
  /// A case by its name in the source.
  case named(String)
  /// The action of the row with an id.
  case element(any Sendable)
  indirect case path(CasePathName, CasePathName)

  package func appending(_ name: CasePathName) -> CasePathName {
    switch (self, name) {
    case (.unknown, _), (_, .unknown): .unknown
    case (.root, _): name
    case (_, .root): self
    default: .path(self, name)
    }
  }

  /// The text `child.tapped` or `rows[id: 1].tapped`; nil if one of the names is unknown.
  package var text: String? {
    switch self {
    case .unknown: nil
    case .root: ""
    case .named(let name): name
    case .element(let id): "[id: \(id)]"
    case .path(let root, .element(let id)): root.text.map { "\($0)[id: \(id)]" }
    case .path(let root, let member):
      if let root = root.text, let member = member.text { "\(root).\(member)" } else { nil }
    }
  }
}
