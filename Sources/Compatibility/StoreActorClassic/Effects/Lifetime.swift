/// The lifetime of a part of an effect's work.
///
/// It ends once, and then stops its registered work.
@MainActor
final class Lifetime {
  private(set) var isOver = false
  private var handlers: [Int: @MainActor () -> Void] = [:]
  private var nextKey = 0
  private var leaveParent: (@MainActor () -> Void)?

  /// Creates a lifetime that ends with its parent, or before it.
  init(within parent: Lifetime? = nil) {
    guard let parent else { return }
    let key = parent.whenOver { [weak self] in self?.end() }
    leaveParent = { [weak parent] in parent?.forget(key) }
  }

  /// Calls a closure at the end, or at once if the lifetime has ended.
  ///
  /// - Returns: The key to unregister the closure.
  @discardableResult
  func whenOver(_ handler: @escaping @MainActor () -> Void) -> Int {
    nextKey += 1
    if isOver { handler() } else { handlers[nextKey] = handler }
    return nextKey
  }

  func forget(_ key: Int) {
    handlers[key] = nil
  }

  /// Ends the lifetime, and calls the registered closures.
  func end() {
    let handlers = handlers
    close()
    for key in handlers.keys.sorted() { handlers[key]?() }
  }

  /// Ends the lifetime of completed work, without calling the registered closures.
  func close() {
    isOver = true
    handlers = [:]
    leaveParent?()
    leaveParent = nil
  }
}
