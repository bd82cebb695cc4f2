/// What a case path is called; the text is put together only when somebody asks for it.
package enum CasePathName: Sendable {
  /// A case that was written by hand, without its name.
  case unknown
  /// No case at all: the path from a value to itself.
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

  /// `child.tapped`, `rows[id: 1].tapped`; nil when one of the cases is not known by name.
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
