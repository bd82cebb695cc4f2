import StoreState
import Synchronization

/// Keeps the layouts of generic types, which have no room for stored ones, by type.
enum GenericLayouts {
  private static let layouts = Mutex<[ObjectIdentifier: any Sendable]>([:])

  /// The layout of a record, made when it is first asked for.
  static func layout<Value>(_ make: () -> RecordLayout<Value>) -> RecordLayout<Value> {
    kept(make)
  }

  /// What there is one of for a type, made when it is first asked for.
  static func kept<Layout: Sendable>(_ make: () -> Layout) -> Layout {
    let id = ObjectIdentifier(Layout.self)
    if let layout = layouts.withLock({ $0[id] }) as? Layout { return layout }
    // Not while the mutex is held: a layout may ask for others.
    let layout = make()
    layouts.withLock { $0[id] = layout }
    return layout
  }
}
