public import Foundation

/// Views in a row or a column.
@MainActor
struct Stack: PrimitiveView {
  let axis: Axes
  let views: [StackMember]
  let spacing: Int

  init(_ axis: Axes, _ views: [StackMember], spacing: Int = 0) {
    self.axis = axis
    self.views = views
    self.spacing = spacing
  }

  var flexibility: Axes { views.reduce([]) { $0.union($1.stretch) } }

  func size(in proposal: Size) -> Size {
    let sizes = sizes(in: proposal)
    let gaps = max(0, sizes.count - 1) * spacing
    if axis == .horizontal {
      return Size(
        width: min(sizes.reduce(gaps) { $0 + $1.width }, proposal.width),
        height: min(sizes.map(\.height).max() ?? 0, proposal.height),
      )
    }
    return Size(
      width: min(sizes.map(\.width).max() ?? 0, proposal.width),
      height: min(sizes.reduce(gaps) { $0 + $1.height }, proposal.height),
    )
  }

  func draw(in canvas: Canvas) {
    var position = 0
    for (view, size) in zip(views, sizes(in: canvas.size)) {
      if axis == .horizontal {
        view.drawn(in: canvas.part(x: position, width: size.width))
        position += size.width + spacing
      } else {
        view.drawn(in: canvas.part(y: position, height: size.height))
        position += size.height + spacing
      }
    }
  }

  /// Returns the sizes.
  ///
  /// Flexible views share the room that the others leave.
  private func sizes(in proposal: Size) -> [Size] {
    let isHorizontal = axis == .horizontal
    let isUnlimited =
      (isHorizontal ? proposal.width : proposal.height) >= Size.unlimitedLength / 2
    var rest =
      (isHorizontal ? proposal.width : proposal.height) - max(0, views.count - 1) * spacing
    let isFlexible = views.map { !isUnlimited && $0.stretch.contains(axis) }
    func measure(_ view: StackMember, _ length: Int) -> Size {
      view.measured(
        in: isHorizontal
          ? Size(width: length, height: proposal.height)
          : Size(width: proposal.width, height: length)
      )
    }
    var sizes = Array(repeating: Size.zero, count: views.count)
    for (place, view) in views.enumerated() where !isFlexible[place] {
      sizes[place] = measure(view, max(0, rest))
      rest -= isHorizontal ? sizes[place].width : sizes[place].height
    }
    var left = isFlexible.count { $0 }
    for (place, view) in views.enumerated() where isFlexible[place] {
      let share = max(0, rest) / left
      sizes[place] = measure(view, share)
      if isHorizontal { sizes[place].width = share } else { sizes[place].height = share }
      rest -= share
      left -= 1
    }
    return sizes
  }
}

/// A column of views.
public struct VStack<Content: View>: PrimitiveView {
  private let stack: Stack

  /// Creates a column.
  ///
  /// - Parameters:
  ///   - spacing: The empty rows between two views.
  ///   - content: The views.
  public init(spacing: Int = 0, @ViewBuilder content: () -> Content) {
    stack = Stack(.vertical, content().flattened, spacing: spacing)
  }

  /// The directions of all views together.
  public var flexibility: Axes { stack.flexibility }

  /// Returns the size of all views.
  public func size(in proposal: Size) -> Size { stack.size(in: proposal) }

  /// Draws the views.
  public func draw(in canvas: Canvas) { stack.draw(in: canvas) }
}

/// A row of views.
public struct HStack<Content: View>: PrimitiveView {
  private let stack: Stack

  /// Creates a row.
  ///
  /// - Parameters:
  ///   - spacing: The empty columns between two views.
  ///   - content: The views.
  public init(spacing: Int = 1, @ViewBuilder content: () -> Content) {
    stack = Stack(.horizontal, content().flattened, spacing: spacing)
  }

  /// The directions of all views together.
  public var flexibility: Axes { stack.flexibility }

  /// Returns the size of all views.
  public func size(in proposal: Size) -> Size { stack.size(in: proposal) }

  /// Draws the views.
  public func draw(in canvas: Canvas) { stack.draw(in: canvas) }
}

/// Flexible room that takes the space that other views leave.
public struct Spacer: PrimitiveView {
  /// Creates flexible room.
  public init() {}

  /// Both directions.
  public var flexibility: Axes { [.horizontal, .vertical] }

  /// Returns a size of zero.
  public func size(in _: Size) -> Size { .zero }

  /// Leaves the canvas unchanged.
  public func draw(in _: Canvas) {}
}

/// A group of views, which its parent lays out one by one.
public struct Group<Content: View>: View {
  /// The views.
  public let body: Content

  /// Creates a group.
  public init(@ViewBuilder content: () -> Content) {
    body = content()
  }
}

extension Group: ViewGroup {
  var members: [StackMember] { [StackMember(view: body)] }
}

/// A short list with a mark at each line; ``RowList`` suits long ones.
public struct List<Content: View>: PrimitiveView {
  private let content: Content

  /// Creates a list of views.
  public init(@ViewBuilder content: () -> Content) {
    self.content = content()
  }

  /// Creates a list with a view of each element.
  public init<Data: RandomAccessCollection, ID: Hashable, Row: View>(
    _ data: Data,
    id: KeyPath<Data.Element, ID>,
    @ViewBuilder row: @escaping (Data.Element) -> Row,
  ) where Content == ForEach<Data, Row> {
    content = ForEach(data, id: id, content: row)
  }

  /// Returns the size of the views and their marks.
  public func size(in proposal: Size) -> Size {
    let inner = content.measured(
      in: Size(width: proposal.width - 2, height: proposal.height)
    )
    return Size(width: inner.width + 2, height: inner.height)
  }

  /// Draws the lines.
  public func draw(in canvas: Canvas) {
    content.drawn(in: canvas.part(x: 2))
    for row in 0..<size(in: canvas.size).height { canvas.write("•", y: row) }
  }
}

/// A view of each element of a collection.
public struct ForEach<Data: RandomAccessCollection, Row: View>: PrimitiveView, ViewGroup {
  private let data: Data
  private let id: (Data.Element) -> AnyHashable
  private let row: (Data.Element) -> Row

  /// Creates a view of each element.
  public init(
    _ data: Data,
    @ViewBuilder content: @escaping (Data.Element) -> Row,
  ) where Data.Element: Identifiable {
    self.data = data
    id = { AnyHashable($0.id) }
    row = content
  }

  /// Creates a view of each element.
  public init<ID: Hashable>(
    _ data: Data,
    id: KeyPath<Data.Element, ID>,
    @ViewBuilder content: @escaping (Data.Element) -> Row,
  ) {
    self.data = data
    self.id = { AnyHashable($0[keyPath: id]) }
    row = content
  }

  var members: [StackMember] {
    data.enumerated().map { offset, element in
      StackMember(path: [.id(id(element), at: offset)], view: row(element))
    }
  }
  private var column: Stack { Stack(.vertical, flattened) }

  /// Returns the size of all views.
  public func size(in proposal: Size) -> Size { column.size(in: proposal) }

  /// Draws the views.
  public func draw(in canvas: Canvas) { column.draw(in: canvas) }

  /// Makes each view focusable and deletable with the delete and backspace keys.
  ///
  /// A ``Screen`` has a button for each view, such as `delete 0`.
  ///
  /// - Parameter delete: Deletes the elements at places of the collection.
  /// - Returns: The views.
  public func onDelete(
    perform delete: @escaping @MainActor (_ offsets: IndexSet) -> Void
  ) -> some View {
    DeletableRows(rows: members, delete: delete)
  }
}

/// Views that can be deleted, one below the other.
private struct DeletableRows: PrimitiveView {
  let rows: [StackMember]
  let delete: @MainActor (_ offsets: IndexSet) -> Void

  private var column: Stack {
    Stack(
      .vertical,
      rows.enumerated().map { offset, row in
        let deletable = DeletableRow(content: row.view, offset: offset, delete: delete)
        return StackMember(path: row.path, view: deletable)
      },
    )
  }

  func size(in proposal: Size) -> Size { column.size(in: proposal) }
  func draw(in canvas: Canvas) { column.draw(in: canvas) }
}

private struct DeletableRow: PrimitiveView {
  let content: any View
  let offset: Int
  let delete: @MainActor (_ offsets: IndexSet) -> Void

  var flexibility: Axes { content.stretch }
  func size(in proposal: Size) -> Size { content.measured(in: proposal) }

  func draw(in canvas: Canvas) {
    let remove = { @MainActor [delete, offset] in delete(IndexSet(integer: offset)) }
    canvas.frame.tappables.append(Frame.Tappable(title: "delete \(offset)", action: remove))
    let isFocused = canvas.takeFocus { key in
      guard key == .delete || key == .backspace else { return false }
      remove()
      return true
    }
    content.drawn(in: isFocused ? canvas.styled(Style(isBold: true)) : canvas)
  }
}
