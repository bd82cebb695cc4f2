import Foundation

/// Which dependencies an object was made with.
///
/// An object with a `@Dependency` property carries its own. One without is remembered here until it
/// goes, with the values of the innermost `withDependencies` of which it was the result.
///
/// Sendable because `entries` and `limit` are only touched while `lock` is held.
final class DependencyObjects: @unchecked Sendable {
  static let shared = DependencyObjects()

  private let lock = NSLock()
  private var entries: [ObjectIdentifier: Entry] = [:]
  private var limit = 64

  /// Remembers the values of an operation's result, if that is an object.
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

  /// The values that an object was made with, as far as they are known.
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
