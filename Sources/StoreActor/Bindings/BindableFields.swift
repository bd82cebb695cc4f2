public import StoreState
import Synchronization

/// A state of which clients in other processes may set only some properties.
///
/// Without it, a ``BindingAction`` of a client may set every property that is replicated, writable
/// and comparable, except for presented states, stacks, boxed values and shared values. To allow
/// less:
///
/// ```swift
/// extension Profile.State: BindableFields {
///   static var bindableFields: [PartialKeyPath<Self>] { [\.name, \.age] }
/// }
/// ```
public protocol BindableFields: ReplicatedState {
  /// The properties that a client may set.
  static var bindableFields: [PartialKeyPath<Self>] { get }
}

/// The properties of a state that clients may set, by their names.
struct BindableFieldTable<Root: ReplicatedState>: Sendable {
  typealias Action = BindingAction<Root>

  let layout: ActionLayout<Action>
  // Sound: key paths cannot be changed.
  nonisolated(unsafe) let keyPaths: Set<PartialKeyPath<Root>>

  /// Collects the fields of the state's schema.
  init() {
    let collector = FieldCollector<Root>()
    let schema = SchemaRegistry.visitFields(of: Root.self, collector)
    let fields = collector.fields
    layout = ActionLayout("\(schema).Binding", fields.map(\.layout))
    keyPaths = Set(fields.map(\.keyPath.value))
  }
}

/// A property with its wire form.
private struct BindableField<Root: ReplicatedState>: Sendable {
  let keyPath: UncheckedSendable<PartialKeyPath<Root>>
  let layout: ActionLayout<BindingAction<Root>>.Case

  init<Value: ReplicatedState & Equatable>(_ name: String, _ keyPath: WritableKeyPath<Root, Value>)
  {
    self.keyPath = UncheckedSendable(keyPath)
    // Sound: a key path cannot be changed.
    let path = UncheckedSendable(keyPath)
    layout = .case(name) { (value: Value) in
      .set(path.value, value)
    } extract: {
      $0.value(of: path.value)
    }
  }
}

/// Selects the fields of one type that can be set.
private final class FieldCollector<Root: ReplicatedState>: SchemaFieldVisitor {
  private let collected = Mutex<[BindableField<Root>]>([])
  private let isAllowed: @Sendable (PartialKeyPath<Root>) -> Bool

  var fields: [BindableField<Root>] { collected.withLock { $0 } }

  init() {
    if let type = Root.self as? any BindableFields.Type {
      let allowed = UncheckedSendable(type.anyBindableFields)
      isAllowed = { allowed.value.contains($0) }
    } else {
      isAllowed = { _ in true }
    }
  }

  func visit<Owner, Part: ReplicatedState>(_ name: String, _ keyPath: KeyPath<Owner, Part>) {
    guard Owner.self == Root.self, !(Part.self is any UnbindableState.Type),
      // A client sends a copy, which would not be shared.
      SharedPlan.of(Part.self) == nil,
      let type = Part.self as? any (ReplicatedState & Equatable).Type
    else { return }
    add(name, keyPath, of: type)
  }

  private func add<Value: ReplicatedState & Equatable>(
    _ name: String,
    _ keyPath: AnyKeyPath,
    of _: Value.Type,
  ) {
    guard let keyPath = keyPath as? WritableKeyPath<Root, Value>, isAllowed(keyPath) else { return }
    let field = BindableField(name, keyPath)
    collected.withLock { $0.append(field) }
  }
}

extension BindableFields {
  fileprivate static var anyBindableFields: Set<AnyKeyPath> {
    Set(bindableFields)
  }
}

/// A state that no client sets as a whole: only its own actions change presentations and stacks.
///
/// A boxed value has another key path than its property.
protocol UnbindableState {}

extension PresentationState: UnbindableState {}
extension StackState: UnbindableState {}
extension Boxed: UnbindableState {}
