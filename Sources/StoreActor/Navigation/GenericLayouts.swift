import StoreState
import Synchronization

/// Stores the layouts of generic types, which cannot have stored static properties, by type.
enum GenericLayouts {
  private static let layouts = Mutex<[ObjectIdentifier: any Sendable]>([:])

  /// The layout of a record, created on first use.
  static func layout<Value>(_ make: () -> RecordLayout<Value>) -> RecordLayout<Value> {
    kept(make)
  }

  /// The single instance for a type, created on first use.
  static func kept<Layout: Sendable>(_ make: () -> Layout) -> Layout {
    let id = ObjectIdentifier(Layout.self)
    if let layout = layouts.withLock({ $0[id] }) as? Layout { return layout }
    // Without the mutex, as a layout may request others.
    let layout = make()
    layouts.withLock { $0[id] = layout }
    return layout
  }
}
