@_spi(Reflection) import Swift

/// The positions of shared values in the values of a type; created once for a type.
///
/// The language does not offer this, so it is read from the metadata of structs, tuples and enums.
/// A type that holds values by reference conforms to ``SharedContainer``. Objects, functions,
/// values of unknown type and collections of other libraries are not searched.
///
/// Plans are created and used under the shared lock.
class SharedPlan {
  /// Whether any shown value is out of date.
  ///
  /// - Parameters:
  ///   - place: The address of a value of the plan's type.
  ///   - old: The address of an up-to-date value; nil if unknown.
  ///   - update: The values to show.
  /// - Returns: Whether ``updateSnapshots(_:_:)`` would change a value.
  func isBehind(
    _ place: UnsafeRawPointer,
    _ old: UnsafeRawPointer?,
    _ update: SnapshotUpdate,
  ) -> Bool {
    false
  }

  /// Updates the shown values at an address.
  func updateSnapshots(_ place: UnsafeMutableRawPointer, _ update: SnapshotUpdate) {}

  /// Whether any shown value in a value of the plan's type is out of date.
  final func isBehind<Value>(_ value: Value, _ update: SnapshotUpdate) -> Bool {
    withUnsafePointer(to: value) { isBehind(UnsafeRawPointer($0), nil, update) }
  }
}

/// The values that an update shows.
struct SnapshotUpdate {
  /// The context of the values; nil for the newest ones.
  let context: SharedContext?
  /// Whether the shown values were restored, and become the newest values.
  var adopts = false

  /// Access to the shared values within a type; nil without such values.
  func values<Value>(of _: Value.Type) -> SharedValues<Value>? {
    SharedPlan.of(Value.self).map { SharedValues(plan: $0, update: self) }
  }

  /// Updates the shown values in a value.
  func updateSnapshots<Value>(_ value: inout Value) {
    values(of: Value.self)?.updateSnapshots(&value)
  }
}

extension SnapshotUpdate {
  // Guarded by the shared lock.
  nonisolated(unsafe) private static var errands: [() -> Void] = []
  // Guarded by the shared lock.
  nonisolated(unsafe) private static var entered: Set<ObjectIdentifier> = []

  /// Updates states under the shared lock, then runs the required follow-up work without it, as
  /// keys may run any code.
  ///
  /// - Parameter updateSnapshots: Updates states.
  /// - Returns: Whether follow-up work ran, which may have changed values.
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

  /// Updates states until all keys in them are loaded.
  static func performAll(_ updateSnapshots: () -> Void) { while perform(updateSnapshots) {} }

  /// Schedules work after the update of the states.
  static func need(_ errand: @escaping () -> Void) { errands.append(errand) }

  /// Enters a shared value, unless it is entered already: values may share each other.
  static func enter<R>(_ source: AnyObject, _ body: () -> R) -> R? {
    guard entered.insert(ObjectIdentifier(source)).inserted else { return nil }
    defer { entered.remove(ObjectIdentifier(source)) }
    return body()
  }
}

/// Access to the shared values within values of a type.
struct SharedValues<Value> {
  fileprivate let plan: SharedPlan
  fileprivate let update: SnapshotUpdate

  /// Whether any shown value is out of date.
  func areBehind(_ value: Value) -> Bool {
    plan.isBehind(value, update)
  }

  /// Updates the shown values in a value.
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

  /// The plan of a type; nil if its values contain no shared ones.
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

  /// Whether values of a type may contain shared ones, at any depth.
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
    // All reachable types were checked.
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

  /// Whether it is a structure or a tuple.
  ///
  /// For other kinds, such as existentials, the library finds the fields in a value, which is not
  /// available here.
  private static func hasFields(_ type: Any.Type) -> Bool {
    // Metadata begins with its kind: `MetadataKind` in Swift's ABI.
    let kind = unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee
    return kind == 0x200 || kind == 0x301
  }

  private static func payloadTypes<Value>(of _: Value.Type) -> [Any.Type]? {
    EnumLayout<Value>()?.payloadTypes.compactMap(\.self)
  }
}

// MARK: - Kinds of plans

/// A shared value itself, and the values that it shares in turn.
private final class LeafPlan<Property: SharedProperty>: SharedPlan {
  /// Looked up at the first value, as a type may share itself.
  private lazy var inner = SharedPlan.of(Property.Value.self)

  override func isBehind(
    _ place: UnsafeRawPointer,
    _: UnsafeRawPointer?,
    _ update: SnapshotUpdate,
  ) -> Bool {
    let content = place.assumingMemoryBound(to: Property.self).pointee.content
    // A copy of another process's shared value shows the received value.
    guard let source = content.source else { return false }
    if update.adopts {
      // A read-only value has its present value elsewhere; the restored one is ignored.
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

  /// The updated snapshot if a value within it is out of date; otherwise nil.
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
      // Unchanged bytes are up to date.
      if let old, haveSameBytes(at: old, place, field.range) { return false }
      let start = field.range.lowerBound
      return field.plan.isBehind(place + start, old.map { $0 + start }, update)
    }
  }

  override func updateSnapshots(_ place: UnsafeMutableRawPointer, _ update: SnapshotUpdate) {
    for field in fields { field.plan.updateSnapshots(place + field.range.lowerBound, update) }
  }
}

/// The payloads of an enum's cases.
private final class EnumPlan<Value>: SharedPlan {
  private let layout: EnumLayout<Value>
  /// Indexed by case number; created on first use, as an indirect case may contain itself.
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
    // Memory that may be shared with other values is not written.
    guard isBehind(place, nil, update) else { return }
    layout.changingPayload(of: value, tag: tag) { plan.updateSnapshots($0, update) }
  }
}

/// A value that holds others by reference.
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
