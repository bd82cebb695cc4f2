import Foundation

/// The dependencies with which objects were created.
///
/// An object with a `@Dependency` property contains its own. For another object they are stored
/// here until it is released: the values of the innermost `withDependencies` that returned it.
///
/// Sendable because `entries` and `limit` are accessed only while `lock` is held.
final class DependencyObjects: @unchecked Sendable {
  static let shared = DependencyObjects()

  private let lock = NSLock()
  private var entries: [ObjectIdentifier: Entry] = [:]
  private var limit = 64

  /// Stores the values of an operation's result, if that is an object.
  func remember<R>(_ result: R, _ values: DependencyValues) {
    guard R.self is AnyClass else { return }
    let object = result as AnyObject
    lock.withLock {
      guard entries[ObjectIdentifier(object)]?.object == nil else { return }
      entries[ObjectIdentifier(object)] = Entry(object: object, values: values)
      guard entries.count > limit else { return }
      entries = entries.filter { $0.value.object != nil }
      limit = max(64, entries.count * 2)
    }
  }

  /// Returns the values with which an object was created, if they are known.
  func values<Model: AnyObject>(of model: Model) -> DependencyValues? {
    if let values = reflectedValues(of: model) { return values }
    return lock.withLock {
      let entry = entries[ObjectIdentifier(model)]
      return entry?.object === model ? entry?.values : nil
    }
  }

  private func reflectedValues(of model: AnyObject) -> DependencyValues? {
    var mirror: Mirror? = Mirror(reflecting: model)
    while let current = mirror {
      for child in current.children {
        if let holder = child.value as? any DependencyHolding { return holder.initialValues }
      }
      mirror = current.superclassMirror
    }
    return nil
  }

  private struct Entry {
    weak var object: AnyObject?
    let values: DependencyValues
  }
}
