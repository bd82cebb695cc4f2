/// How children of one type are told apart; chosen once for a type, as asking a type is slow.
///
/// An `Identifiable` child is told by its id, an enum by its case and by the id of what that holds,
/// if it has one; any other child has no identity beyond being there.
@usableFromInline
struct ChildIdentity<Child> {
  /// The identity of a child; nil where being there is all there is to it.
  @usableFromInline let id: ((Child) -> AnyHashable)?

  @usableFromInline
  init(_ kind: ChildIdentityKind) {
    if let type = Child.self as? any Identifiable.Type {
      id = Self.byID(type)
    } else if kind == .idOrCase, let type = Child.self as? any CasePathable.Type {
      id = Self.byCase(type)
    } else {
      id = nil
    }
  }

  @inlinable
  func callAsFunction(_ child: Child) -> AnyHashable {
    id?(child) ?? Self.only
  }

  @usableFromInline
  static var only: AnyHashable { AnyHashable(0) }

  private static func byID<I: Identifiable>(_: I.Type) -> (Child) -> AnyHashable {
    { child in AnyHashable((child as? I)?.id) }
  }

  private static func byCase<C: CasePathable>(_: C.Type) -> ((Child) -> AnyHashable)? {
    guard let paths = C.allCasePaths as? any CasePathReflectable<C> else { return nil }
    return { child in
      guard let child = child as? C else { return Self.only }
      let keyPath: PartialCaseKeyPath<C> = paths[child]
      guard payloadType(of: keyPath) is any Identifiable.Type else {
        return AnyHashable(keyPath as AnyKeyPath)
      }
      let payload = child[case: keyPath] as? any Identifiable
      return AnyHashable(CaseIdentity(keyPath: keyPath, id: payload.map { $0.anyHashableID }))
    }
  }
}

/// The case of an enum, and the id of what it holds.
private struct CaseIdentity: Hashable {
  let keyPath: AnyKeyPath
  let id: AnyHashable?
}

extension Identifiable {
  fileprivate var anyHashableID: AnyHashable { AnyHashable(id) }
}

/// Whether a child that moves on to another case is still the same one.
@usableFromInline
enum ChildIdentityKind {
  case idOrCase
  case idOnly
}
