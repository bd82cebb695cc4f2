/// How long a piece of an effect's work may go on; ends once, and stops what was hung on it.
@MainActor
final class Lifetime {
  private(set) var isOver = false
  private var handlers: [Int: @MainActor () -> Void] = [:]
  private var nextKey = 0
  private var leaveParent: (@MainActor () -> Void)?

  /// A lifetime that ends with another one, or before it.
  init(within parent: Lifetime? = nil) {
    guard let parent else { return }
    let key = parent.whenOver { [weak self] in self?.end() }
    leaveParent = { [weak parent] in parent?.forget(key) }
  }

  /// Calls a closure at the end; at once when that has come.
  ///
  /// - Returns: What the closure can be taken back by.
  @discardableResult
  func whenOver(_ handler: @escaping @MainActor () -> Void) -> Int {
    nextKey += 1
    if isOver { handler() } else { handlers[nextKey] = handler }
    return nextKey
  }

  func forget(_ key: Int) {
    handlers[key] = nil
  }

  /// Ends, and stops what was hung on this.
  func end() {
    let handlers = handlers
    close()
    for key in handlers.keys.sorted() { handlers[key]?() }
  }

  /// Ends as something does that is done: there is nothing to stop.
  func close() {
    isOver = true
    handlers = [:]
    leaveParent?()
    leaveParent = nil
  }
}
