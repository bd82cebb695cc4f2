@_spi(Reflection) import Swift

/// Where shared values are in the values of a type; made once for a type.
///
/// Nothing in the language says it, so it is read from the metadata of structs, tuples and enums.
/// What holds others behind references says it by being a ``SharedContainer``; objects, functions,
/// values of unknown type and others' collections are not looked into.
///
/// Plans are made and used under the shared lock.
class SharedPlan {
  /// Whether something at a place shows other than is to be shown.
  ///
  /// - Parameters:
  ///   - place: A value of the plan's type.
  ///   - old: A value of which everything shows what is to be shown; nil where there is none.
  ///   - update: Knows what is to be shown.
  /// - Returns: Whether ``updateSnapshots(_:_:)`` would change anything.
  func isBehind(
    _ place: UnsafeRawPointer,
    _ old: UnsafeRawPointer?,
    _ update: SnapshotUpdate,
  ) -> Bool {
    false
  }

  /// Shows at a place what is to be shown.
  func updateSnapshots(_ place: UnsafeMutableRawPointer, _ update: SnapshotUpdate) {}

  /// Whether something in a value of the plan's type shows other than is to be shown.
  final func isBehind<Value>(_ value: Value, _ update: SnapshotUpdate) -> Bool {
    withUnsafePointer(to: value) { isBehind(UnsafeRawPointer($0), nil, update) }
  }
}

/// What is to be shown.
struct SnapshotUpdate {
  /// How values are seen; nil for the newest ones.
  let context: SharedContext?
  /// Whether what is shown was kept, and is the newest value from now on.
  var adopts = false

  /// Looks into values of a type; nil where they hold no shared ones.
  func values<Value>(of _: Value.Type) -> SharedValues<Value>? {
    SharedPlan.of(Value.self).map { SharedValues(plan: $0, update: self) }
  }

  /// Shows in a value what is to be shown.
  func updateSnapshots<Value>(_ value: inout Value) {
    values(of: Value.self)?.updateSnapshots(&value)
  }
}

extension SnapshotUpdate {
  // Guarded by the shared lock.
  nonisolated(unsafe) private static var errands: [() -> Void] = []
  // Guarded by the shared lock.
  nonisolated(unsafe) private static var entered: Set<ObjectIdentifier> = []

  /// Updates states under the shared lock, and then does without it what turned out to be needed:
  /// keys may do anything.
  ///
  /// - Parameter updateSnapshots: Looks into states.
  /// - Returns: Whether anything was needed, and values may have changed by it.
  @discardableResult
  static func perform(_ updateSnapshots: () -> Void) -> Bool {
    let due = SharedLock.withLock {
      updateSnapshots()
      defer { errands = [] }
      return errands
    }
    for errand in due { errand() }
    return !due.isEmpty
  }

  /// Updates states until all keys in them have been asked.
  static func performAll(_ updateSnapshots: () -> Void) { while perform(updateSnapshots) {} }

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
  fileprivate let update: SnapshotUpdate

  /// Whether something in a value shows other than is to be shown.
  func areBehind(_ value: Value) -> Bool {
    plan.isBehind(value, update)
  }

  /// Shows in a value what is to be shown.
  func updateSnapshots(_ value: inout Value) {
    withUnsafeMutablePointer(to: &value) {
      plan.updateSnapshots(UnsafeMutableRawPointer($0), update)
    }
  }
}

// MARK: - Finding plans

extension SharedPlan {
  // Guarded by the shared lock.
  nonisolated(unsafe) private static var known: [ObjectIdentifier: SharedPlan?] = [:]
  // Guarded by the shared lock.
  nonisolated(unsafe) private static var holding: [ObjectIdentifier: Bool] = [:]

  /// The plan of a type; nil where its values hold no shared ones.
  static func of(_ type: Any.Type) -> SharedPlan? {
    SharedLock.withLock {
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
    _ update: SnapshotUpdate,
  ) -> Bool {
    let content = place.assumingMemoryBound(to: Property.self).pointee.content
    // A copy of what another process shares shows what came.
    guard let source = content.source else { return false }
    if update.adopts {
      // What is only read is what it is elsewhere, whatever it was then.
      if Property.isWritable { SnapshotUpdate.need { content.adopt() } }
    } else if !source.isPrepared || content.next(in: update.context) != nil {
      return true
    }
    guard let inner, let snapshot = content.snapshot else { return false }
    return SnapshotUpdate.enter(source) { inner.isBehind(snapshot.value, update) } ?? false
  }

  override func updateSnapshots(_ place: UnsafeMutableRawPointer, _ update: SnapshotUpdate) {
    let property = place.assumingMemoryBound(to: Property.self)
    let content = property.pointee.content
    guard let source = content.source else { return }
    guard source.isPrepared else { return SnapshotUpdate.need { source.enter() } }
    let next = content.next(in: update.context)
    let snapshot = next ?? content.snapshot
    if let inner, let snapshot, let updated = updated(snapshot, of: source, inner, update) {
      property.pointee.content.show(updated)
    } else if let next {
      property.pointee.content.show(next)
    }
  }

  /// What is shown in place of a value in which something is behind; nil where nothing is.
  private func updated(
    _ snapshot: SharedSnapshot<Property.Value>,
    of source: SharedSource<Property.Value>,
    _ inner: SharedPlan,
    _ update: SnapshotUpdate,
  ) -> SharedSnapshot<Property.Value>? {
    let updated = SnapshotUpdate.enter(source) { () -> SharedSnapshot<Property.Value>? in
      var value = snapshot.value
      guard inner.isBehind(value, update) else { return nil }
      withUnsafeMutablePointer(to: &value) {
        inner.updateSnapshots(UnsafeMutableRawPointer($0), update)
      }
      return SharedSnapshot(value: value, version: snapshot.version)
    }
    return updated ?? nil
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
    _ update: SnapshotUpdate,
  ) -> Bool {
    fields.contains { field in
      // What nobody has touched shows what it showed.
      if let old, haveSameBytes(at: old, place, field.range) { return false }
      let start = field.range.lowerBound
      return field.plan.isBehind(place + start, old.map { $0 + start }, update)
    }
  }

  override func updateSnapshots(_ place: UnsafeMutableRawPointer, _ update: SnapshotUpdate) {
    for field in fields { field.plan.updateSnapshots(place + field.range.lowerBound, update) }
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
    _ update: SnapshotUpdate,
  ) -> Bool {
    let value = place.assumingMemoryBound(to: Value.self)
    let tag = layout.tag(at: value)
    guard let plan = payload(of: tag) else { return false }
    return layout.lookingAtPayload(of: value, tag: tag) { plan.isBehind($0, nil, update) }
  }

  override func updateSnapshots(_ place: UnsafeMutableRawPointer, _ update: SnapshotUpdate) {
    let value = place.assumingMemoryBound(to: Value.self)
    let tag = layout.tag(at: value)
    guard let plan = payload(of: tag) else { return }
    // What others may have too is not written to.
    guard isBehind(place, nil, update) else { return }
    layout.changingPayload(of: value, tag: tag) { plan.updateSnapshots($0, update) }
  }
}

/// What holds others behind references.
private final class ContainerPlan<Container: SharedContainer>: SharedPlan {
  override func isBehind(
    _ place: UnsafeRawPointer,
    _ old: UnsafeRawPointer?,
    _ update: SnapshotUpdate,
  ) -> Bool {
    let old = old?.assumingMemoryBound(to: Container.self).pointee
    return place.assumingMemoryBound(to: Container.self).pointee.isBehind(since: old, update)
  }

  override func updateSnapshots(_ place: UnsafeMutableRawPointer, _ update: SnapshotUpdate) {
    let container = place.assumingMemoryBound(to: Container.self)
    guard container.pointee.isBehind(since: nil, update) else { return }
    container.pointee.updateSnapshots(update)
  }
}
