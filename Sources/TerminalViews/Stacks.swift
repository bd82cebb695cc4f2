public import Foundation

/// Views one below the other.
public struct VStack<Content: View>: View {
  /// The views.
  public let body: Content

  /// Stacks views.
  public init(@ViewBuilder content: () -> Content) {
    body = content()
  }
}

/// Views that belong together.
public struct Group<Content: View>: View {
  /// The views.
  public let body: Content

  /// Puts views together.
  public init(@ViewBuilder content: () -> Content) {
    body = content()
  }
}

/// Views beside each other, in one line.
public struct HStack<Content: View>: PrimitiveView {
  private let content: Content

  /// Puts views beside each other.
  public init(@ViewBuilder content: () -> Content) {
    self.content = content()
  }

  /// Writes the views into one line.
  public func render(on screen: inout Screen) {
    screen.write({ content.renderTree(on: &$0) }, changing: { [$0.joined(separator: " ")] })
  }
}

/// A list, with a mark at each line.
public struct List<Content: View>: PrimitiveView {
  private let content: Content

  /// Lists views.
  public init(@ViewBuilder content: () -> Content) {
    self.content = content()
  }

  /// Lists a view of each element.
  public init<Data: RandomAccessCollection, ID: Hashable, Row: View>(
    _ data: Data,
    id: KeyPath<Data.Element, ID>,
    @ViewBuilder row: @escaping (Data.Element) -> Row,
  ) where Content == ForEach<Data, Row> {
    content = ForEach(data, id: id, content: row)
  }

  /// Writes the lines.
  public func render(on screen: inout Screen) {
    screen.write({ content.renderTree(on: &$0) }, changing: { $0.map { "• \($0)" } })
  }
}

/// A view of each element of a collection.
public struct ForEach<Data: RandomAccessCollection, Row: View>: PrimitiveView {
  private let data: Data
  private let row: (Data.Element) -> Row

  /// Creates a view of each element.
  public init(
    _ data: Data,
    @ViewBuilder content: @escaping (Data.Element) -> Row,
  ) where Data.Element: Identifiable {
    self.data = data
    row = content
  }

  /// Creates a view of each element.
  public init<ID: Hashable>(
    _ data: Data,
    id: KeyPath<Data.Element, ID>,
    @ViewBuilder content: @escaping (Data.Element) -> Row,
  ) {
    self.data = data
    row = content
  }

  /// Writes the views.
  public func render(on screen: inout Screen) {
    for element in data { row(element).renderTree(on: &screen) }
  }

  /// The same views, with something to tap for each, `delete 0`, that deletes it.
  public func onDelete(
    perform delete: @escaping @MainActor (_ offsets: IndexSet) -> Void
  ) -> some View {
    Modified(content: self) { screen in
      for offset in 0..<data.count {
        screen.addButton("delete \(offset)") { delete(IndexSet(integer: offset)) }
      }
    }
  }
}
