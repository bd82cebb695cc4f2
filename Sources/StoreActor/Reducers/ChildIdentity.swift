/// The identity of children of one type; chosen once for a type, as a type check is slow.
///
/// An `Identifiable` child has its id. An enum has its case and the id of its payload, if any. Any
/// other child has no identity except its presence.
@usableFromInline
struct ChildIdentity<Child> {
  /// The identity of a child; nil if only its presence counts.
  @usableFromInline let id: ((Child) -> AnyHashable)?

  @usableFromInline
  init(_ kind: ChildIdentityKind) {
    if let type = Child.self as? any Identifiable.Type {
      id = Self.byID(type)
    } else if kind == .idOrCase, let layout = EnumLayout<Child>() {
      id = Self.byCase(layout)
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
    { child in (child as? I).map { AnyHashable($0.id) } ?? only }
  }

  private static func byCase(_ layout: EnumLayout<Child>) -> (Child) -> AnyHashable {
    let ids = layout.payloadTypes.enumerated().map { tag, type in
      (type as? any Identifiable.Type).map { byPayload(layout, tag, $0) }
    }
    return { child in
      let tag = Int(layout.tag(of: child))
      let id = tag < ids.count ? ids[tag]?(child) : nil
      return AnyHashable(CaseIdentity(tag: tag, id: id))
    }
  }

  private static func byPayload<I: Identifiable>(
    _ layout: EnumLayout<Child>,
    _ tag: Int,
    _ type: I.Type,
  ) -> (Child) -> AnyHashable {
    { child in AnyHashable(layout.payload(of: child, tag: tag, as: type).id) }
  }
}

/// The case of an enum, and the id of its payload.
private struct CaseIdentity: Hashable {
  let tag: Int
  let id: AnyHashable?
}

/// Whether a child that changes to another case remains the same one.
@usableFromInline
enum ChildIdentityKind {
  case idOrCase
  case idOnly
}
