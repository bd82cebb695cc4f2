@_spi(Reflection) import Swift

/// Where shared values are in the values of a type; made once for a type.
///
/// Nothing in the language says it, so it is read from the metadata of structs, tuples and enums.
/// What holds others behind references says it by being a ``SharedContainer``; objects, functions,
/// values of unknown type and others' collections are not looked into.
///
/// Plans are made and used under the table's lock.
class SharedPlan {
  /// Whether something at a place shows other than is to be shown.
  ///
  /// - Parameters:
  ///   - place: A value of the plan's type.
  ///   - old: A value of which everything shows what is to be shown; nil where there is none.
  ///   - settling: Knows what is to be shown.
  /// - Returns: Whether ``settle(_:_:)`` would change anything.
  func isBehind(
    _ place: UnsafeRawPointer,
    _ old: UnsafeRawPointer?,
    _ settling: SharedSettling,
  ) -> Bool {
    false
  }

  /// Shows at a place what is to be shown.
  func settle(_ place: UnsafeMutableRawPointer, _ settling: SharedSettling) {}

  /// Whether something in a value of the plan's type shows other than is to be shown.
  final func isBehind<Value>(_ value: Value, _ settling: SharedSettling) -> Bool {
    withUnsafePointer(to: value) { isBehind(UnsafeRawPointer($0), nil, settling) }
  }
}

/// What is to be shown.
struct SharedSettling {
  /// How values are seen; nil for the newest ones.
  let context: SharedContext?
  /// Whether what is shown was kept, and is the newest value from now on.
  var adopts = false

  /// Looks into values of a type; nil where they hold no shared ones.
  func values<Value>(of _: Value.Type) -> SharedValues<Value>? {
    SharedPlan.of(Value.self).map { SharedValues(plan: $0, settling: self) }
  }

  /// Shows in a value what is to be shown.
  func settle<Value>(_ value: inout Value) { values(of: Value.self)?.settle(&value) }
}

extension SharedSettling {
  // Guarded by the table's lock.
  nonisolated(unsafe) private static var errands: [() -> Void] = []
  // Guarded by the table's lock.
  nonisolated(unsafe) private static var entered: Set<ObjectIdentifier> = []

  /// Settles states under the table's lock, and then does without it what turned out to be needed:
  /// keys may do anything.
  ///
  /// - Parameter settle: Looks into states.
  /// - Returns: Whether anything was needed, and values may have changed by it.
  @discardableResult
  static func perform(_ settle: () -> Void) -> Bool {
    let due = SharedTable.withLock {
      settle()
      defer { errands = [] }
      return errands
    }
    for errand in due { errand() }
    return !due.isEmpty
  }

  /// Settles states until all keys in them have been asked.
  static func performAll(_ settle: () -> Void) { while perform(settle) {} }

  /// Does something behind the look at the states.
  static func need(_ errand: @escaping () -> Void) { errands.append(errand) }

  /// Looks into a shared value, unless that is under way: values may share each other.
  static func enter<R>(_ source: AnyObject, _ body: () -> R) -> R? {
    guard entered.insert(ObjectIdentifier(source)).inserted else { return nil }
    defer { entered.remove(ObjectIdentifier(source)) }
    return body()
  }
}

/// Looks into values of a type that may hold shared ones.
struct SharedValues<Value> {
  fileprivate let plan: SharedPlan
  fileprivate let settling: SharedSettling

  /// Whether something in a value shows other than is to be shown.
  func areBehind(_ value: Value) -> Bool {
    plan.isBehind(value, settling)
  }

  /// Shows in a value what is to be shown.
  func settle(_ value: inout Value) {
    withUnsafeMutablePointer(to: &value) { plan.settle(UnsafeMutableRawPointer($0), settling) }
  }
}

// MARK: - Finding plans

extension SharedPlan {
  // Guarded by the table's lock.
  nonisolated(unsafe) private static var known: [ObjectIdentifier: SharedPlan?] = [:]
  // Guarded by the table's lock.
  nonisolated(unsafe) private static var holding: [ObjectIdentifier: Bool] = [:]

  /// The plan of a type; nil where its values hold no shared ones.
  static func of(_ type: Any.Type) -> SharedPlan? {
    SharedTable.withLock {
      if let known = known[ObjectIdentifier(type)] { return known }
      let plan = holdsShared(type) ? make(type) : nil
      known[ObjectIdentifier(type)] = .some(plan)
      return plan
    }
  }

  private static func make<Value>(_: Value.Type) -> SharedPlan? {
    if let type = Value.self as? any SharedProperty.Type { return leaf(type) }
    if let type = Value.self as? any SharedContainer.Type { return container(type) }
    if let layout = EnumLayout<Value>() { return EnumPlan(layout) }
    return FieldsPlan(fields(of: Value.self))
  }

  private static func leaf<P: SharedProperty>(_: P.Type) -> SharedPlan { LeafPlan<P>() }

  private static func container<C: SharedContainer>(_: C.Type) -> SharedPlan { ContainerPlan<C>() }

  private static func fields(of type: Any.Type) -> [FieldsPlan.Field] {
    guard hasFields(type) else { return [] }
    var fields: [FieldsPlan.Field] = []
    _ = _forEachField(of: type) { _, offset, type, _ in
      if let plan = of(type) {
        let size = memorySize(type)
        fields.append(FieldsPlan.Field(range: offset..<(offset + size), plan: plan))
      }
      return true
    }
    return fields
  }

  private static func memorySize<Value>(_: Value.Type) -> Int { MemoryLayout<Value>.size }

  /// Whether values of a type may hold shared ones, at any depth.
  private static func holdsShared(_ type: Any.Type) -> Bool {
    var seen: Set<ObjectIdentifier> = []
    var rest = [type]
    while let next = rest.popLast() {
      let known = holding[ObjectIdentifier(next)]
      if known == true || next is any SharedProperty.Type {
        holding[ObjectIdentifier(type)] = true
        return true
      }
      guard known == nil, seen.insert(ObjectIdentifier(next)).inserted else { continue }
      rest += heldTypes(of: next)
    }
    // All that can be reached was looked at.
    for type in seen { holding[type] = false }
    return false
  }

  private static func heldTypes(of type: Any.Type) -> [Any.Type] {
    if let container = type as? any SharedContainer.Type { return container.heldTypes }
    if let payloads = payloadTypes(of: type) { return payloads }
    guard hasFields(type) else { return [] }
    var types: [Any.Type] = []
    _ = _forEachField(of: type) { _, _, type, _ in
      types.append(type)
      return true
    }
    return types
  }

  /// Whether it is a structure or a tuple: of what has another kind, as existentials, the library
  /// finds the fields in a value, and there is none here.
  private static func hasFields(_ type: Any.Type) -> Bool {
    // What metadata begins with: `MetadataKind` in Swift's ABI.
    let kind = unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee
    return kind == 0x200 || kind == 0x301
  }

  private static func payloadTypes<Value>(of _: Value.Type) -> [Any.Type]? {
    EnumLayout<Value>()?.payloadTypes.compactMap(\.self)
  }
}

// MARK: - Kinds of plans

/// A shared value itself, and what it shares in its turn.
private final class LeafPlan<Property: SharedProperty>: SharedPlan {
  /// Looked for when a value is met, for a type may share its own.
  private lazy var inner = SharedPlan.of(Property.Value.self)

  override func isBehind(
    _ place: UnsafeRawPointer,
    _: UnsafeRawPointer?,
    _ settling: SharedSettling,
  ) -> Bool {
    let content = place.assumingMemoryBound(to: Property.self).pointee.content
    // A copy of what another process shares shows what came.
    guard let source = content.source else { return false }
    if settling.adopts {
      // What is only read is what it is elsewhere, whatever it was then.
      if Property.isWritable { SharedSettling.need { content.adopt() } }
    } else if !source.isPrepared || content.next(in: settling.context) != nil {
      return true
    }
    guard let inner, let snapshot = content.snapshot else { return false }
    return SharedSettling.enter(source) { inner.isBehind(snapshot.value, settling) } ?? false
  }

  override func settle(_ place: UnsafeMutableRawPointer, _ settling: SharedSettling) {
    let property = place.assumingMemoryBound(to: Property.self)
    let content = property.pointee.content
    guard let source = content.source else { return }
    guard source.isPrepared else { return SharedSettling.need { source.prepare() } }
    let next = content.next(in: settling.context)
    let snapshot = next ?? content.snapshot
    if let inner, let snapshot, let settled = settled(snapshot, of: source, inner, settling) {
      property.pointee.content.show(settled)
    } else if let next {
      property.pointee.content.show(next)
    }
  }

  /// What is shown in place of a value in which something is behind; nil where nothing is.
  private func settled(
    _ snapshot: SharedSnapshot<Property.Value>,
    of source: SharedSource<Property.Value>,
    _ inner: SharedPlan,
    _ settling: SharedSettling,
  ) -> SharedSnapshot<Property.Value>? {
    let settled = SharedSettling.enter(source) { () -> SharedSnapshot<Property.Value>? in
      var value = snapshot.value
      guard inner.isBehind(value, settling) else { return nil }
      withUnsafeMutablePointer(to: &value) {
        inner.settle(UnsafeMutableRawPointer($0), settling)
      }
      return SharedSnapshot(value: value, version: snapshot.version)
    }
    return settled ?? nil
  }
}

/// A struct or a tuple.
private final class FieldsPlan: SharedPlan {
  struct Field {
    let range: Range<Int>
    let plan: SharedPlan
  }

  private let fields: [Field]

  init(_ fields: [Field]) { self.fields = fields }

  override func isBehind(
    _ place: UnsafeRawPointer,
    _ old: UnsafeRawPointer?,
    _ settling: SharedSettling,
  ) -> Bool {
    fields.contains { field in
      // What nobody has touched shows what it showed.
      if let old, haveSameBytes(at: old, place, field.range) { return false }
      let start = field.range.lowerBound
      return field.plan.isBehind(place + start, old.map { $0 + start }, settling)
    }
  }

  override func settle(_ place: UnsafeMutableRawPointer, _ settling: SharedSettling) {
    for field in fields { field.plan.settle(place + field.range.lowerBound, settling) }
  }
}

/// What a case of an enum holds.
private final class EnumPlan<Value>: SharedPlan {
  private let layout: EnumLayout<Value>
  /// By the numbers of the cases; made when they are met, for what is indirect may hold itself.
  private lazy var payloads = layout.payloadTypes.map { $0.flatMap { SharedPlan.of($0) } }

  init(_ layout: EnumLayout<Value>) { self.layout = layout }

  private func payload(of tag: Int) -> SharedPlan? {
    tag < payloads.count ? payloads[tag] : nil
  }

  override func isBehind(
    _ place: UnsafeRawPointer,
    _: UnsafeRawPointer?,
    _ settling: SharedSettling,
  ) -> Bool {
    let value = place.assumingMemoryBound(to: Value.self)
    let tag = layout.tag(at: value)
    guard let plan = payload(of: tag) else { return false }
    return layout.lookingAtPayload(of: value, tag: tag) { plan.isBehind($0, nil, settling) }
  }

  override func settle(_ place: UnsafeMutableRawPointer, _ settling: SharedSettling) {
    let value = place.assumingMemoryBound(to: Value.self)
    let tag = layout.tag(at: value)
    guard let plan = payload(of: tag) else { return }
    // What others may have too is not written to.
    guard isBehind(place, nil, settling) else { return }
    layout.changingPayload(of: value, tag: tag) { plan.settle($0, settling) }
  }
}

/// What holds others behind references.
private final class ContainerPlan<Container: SharedContainer>: SharedPlan {
  override func isBehind(
    _ place: UnsafeRawPointer,
    _ old: UnsafeRawPointer?,
    _ settling: SharedSettling,
  ) -> Bool {
    let old = old?.assumingMemoryBound(to: Container.self).pointee
    return place.assumingMemoryBound(to: Container.self).pointee.isBehind(since: old, settling)
  }

  override func settle(_ place: UnsafeMutableRawPointer, _ settling: SharedSettling) {
    let container = place.assumingMemoryBound(to: Container.self)
    guard container.pointee.isBehind(since: nil, settling) else { return }
    container.pointee.settle(settling)
  }
}
